import { setTimeout as pause } from 'node:timers/promises';

import fc from 'fast-check';
import countBy from 'lodash/countBy';

import { parseDelivery, verify } from '../../nodes/SocialPublishingTrigger/delivery';
import type { N8n } from '../../test/n8n/instance';
import { forged } from '../../test/support/forgeries';
import { TOLERANCE } from '../../test/support/signing';
import { kills as killUnderLoad, PER_SECOND } from '../../test/support/e2e/kills';
import { bothProcessors, cutAnswers, leaders, restarts, wiped } from '../../test/support/e2e/queue';
import { repeats as sendRepeats } from '../../test/support/e2e/repeats';
import { deliver, inParallel, newEvent, post, signatureHeaders } from '../../test/support/e2e/sender';
import { nothing, ours } from '../../test/support/e2e/workflows';
import { inField, inMiB, type Measure, none, row, sized, told, type Row } from '../figures';

/** The long tests of the trigger; docs/guarantees.md says what they show. */

/** Forged and mutated deliveries against the verifier alone. */
export const verifier: Measure = async (scale) => {
	const numRuns = sized(1_000_000, scale, 1000);
	let accepted = 0;
	let thrown = 0;
	const check = fc.property(forged, ({ delivery, secret, now }) => {
		try {
			// An empty secret is none: secrets.ts.
			const secrets = { accepted: secret === '' ? [] : [secret], isKnown: true };
			if (verify(parseDelivery(delivery), secrets, now, () => TOLERANCE).event) accepted++;
		} catch {
			thrown++;
		}
	});
	fc.assert(check, { numRuns, seed: 2026 });
	return [none(`accepted of ${numRuns}`, accepted), none(`exceptions of ${numRuns}`, thrown)];
};

/** Forged deliveries against a real n8n; each kind by itself, and more of them: test/e2e/trigger-malformed.test.ts. */
export const flood: Measure = async (scale) =>
	await inField(async (field, n8n) => {
		const { id, receiver } = await field.publish(ours([nothing], { name: 'Flooded' }));
		const { url, secret } = receiver;
		const forgeries: Array<(body: string) => Record<string, string>> = [
			() => ({}),
			() => signatureHeaders('another', secret),
			(body) => signatureHeaders(body, 'guess'),
			(body) => signatureHeaders(body, secret, Date.now() - 3_600_000),
		];
		const send = async (count: number): Promise<number[]> => {
			const tasks = Array.from({ length: count }, (_, i) => async () => {
				const body = JSON.stringify({ ...newEvent(), pad: 'x'.repeat(i % 20 === 0 ? 200_000 : 0) });
				const headers = forgeries[i % forgeries.length]!(body);
				return (await post(url, body, { 'content-type': 'application/json', ...headers })).status;
			});
			return await inParallel(tasks, 10);
		};
		const count = sized(10_000, scale, 200);
		// Warm, so that what n8n loads the first time does not count as growth.
		await send(Math.max(500, count / 10));
		const before = await lowestMemory(n8n, 5);
		const started = Date.now();
		const statuses = await send(count);
		const seconds = (Date.now() - started) / 1000;
		const grown = (await lowestMemory(n8n, 20)) - before;
		const answers = countBy(statuses);
		return [
			row(`answers to ${count}`, JSON.stringify(answers), 'no 2xx', !Object.keys(answers).some(isSuccess)),
			none('executions', (await n8n.executions(id)).length),
			row('memory grew by', inMiB(grown), 'under 100 MiB', grown < 100 * 2 ** 20),
			told('refusals a second', Math.round(count / seconds)),
		];
	});

const isSuccess = (status: string): boolean => status.startsWith('2');

/** The lowest of so many seconds: garbage comes and goes. */
async function lowestMemory(n8n: N8n, seconds: number): Promise<number> {
	const seen: number[] = [];
	for (let second = 0; second < seconds; second++) {
		seen.push(await n8n.memory());
		await pause(1000);
	}
	return Math.min(...seen);
}

/** Events with copies, in one process. */
export const repeats: Measure = async (scale) =>
	await inField(async (field) => {
		const { sink } = field;
		const settings = { saveDataSuccessExecution: 'none' };
		const { receiver } = await field.publish(ours([sink.tell()], { settings }));
		const count = sized(10_000, scale, 100);
		const found = await sendRepeats({ count, deliver, receiver, sink });
		return [
			...arrivals(`${count} events in ${found.deliveries} deliveries`, found),
			told('answers', JSON.stringify(found.answers)),
			told('took', `${Math.round(found.seconds)} s`),
		];
	});

const arrivals = (what: string, { lost, doubled }: { lost: number; doubled: number }): Row[] => [
	none(`${what}: never behind the trigger`, lost),
	none(`${what}: twice behind the trigger`, doubled),
];

/** kill -9 under load, with nothing in front of n8n. */
export const kills: Measure = async (scale) =>
	await inField(async (field) => {
		const count = sized(20, scale, 2);
		const found = await killUnderLoad(field, count, PER_SECOND);
		return [
			...arrivals(`${count} × kill -9, ${found.events} events`, found),
			told('dead letters', found.deadLetters),
			told('answered 200 by n8n itself while it was starting', found.swallowed),
			told('executions that n8n shows as crashed', found.crashed),
			told('executions that n8n shows as running for ever', found.stuck),
			told('events behind the trigger only after the retry of a crashed execution', found.needed),
		];
	});

/** Queue mode: two webhook processors, two workers. */
export const queue: Measure = async (scale) =>
	await inField(
		async (field) => {
			const { wasWiped, verified, unsubscribed } = await wiped(field);
			const lost = `${verified}, ${unsubscribed}`;
			const cut = await cutAnswers(field, sized(200, scale, 20), 5);
			const restarted = await restarts(field, sized(300, scale, 50));
			const led = await leaders(field, sized(300, scale, 40), sized(5, scale, 1));
			const count = sized(2000, scale, 100);
			const mine = await bothProcessors(field, count, 'ours');
			const theirs = await bothProcessors(field, count, 'github');
			return [
				told('n8n loses the static data when another node writes some', String(wasWiped)),
				row(
					'static data lost: still verified, still unsubscribed',
					lost,
					'true, true',
					lost === 'true, true',
				),
				...arrivals(`${cut.events} cut answers, a copy 150 ms later to the other processor`, cut),
				...arrivals(`${restarted.events} events, every process restarted`, restarted),
				told('… only after the retry of a broken execution', restarted.needed),
				...arrivals(`${led.events} events, the leading main killed, another takes over`, led),
				told('… only after the retry of a broken execution', led.needed),
				none(`${count} events with copies to both processors: never behind the trigger`, mine.lost),
				told('… twice, our trigger', mine.doubled),
				told("… twice, n8n's GitHub Trigger", theirs.doubled),
			];
		},
		// Without this setting n8n 2.41 empties the executions of a worker that was killed: docs/guarantees.md, "What remains".
		{ mode: 'queue', workers: 2, env: { QUEUE_WORKER_STALLED_INTERVAL: '0' } },
		{ speed: 60 },
	);
