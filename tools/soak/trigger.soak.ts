import fc from 'fast-check';

import { parseDelivery, verify } from '../../nodes/SocialPublishingTrigger/delivery';
import { forged } from '../../test/support/forgeries';
import { TOLERANCE } from '../../test/support/signing';
import { kills as killUnderLoad, PER_SECOND } from '../../test/support/e2e/kills';
import { bothProcessors, cutAnswers, leaders, restarts, wiped } from '../../test/support/e2e/queue';
import { repeats as sendRepeats } from '../../test/support/e2e/repeats';
import { deliver } from '../../test/support/e2e/sender';
import { ours } from '../../test/support/e2e/flow';
import { inField, type Measure, none, row, sized, figure, type Row } from '../figures';
import { runTest } from './random';

/** The long tests of the trigger; docs/guarantees.md says what they show. */

/** Forged and mutated deliveries against the verifier alone. */
export const verifier: Measure = async (scale) => {
	const numRuns = sized(1_000_000, scale, 1000);
	let accepted = 0;
	let thrown = 0;
	const check = fc.property(forged, ({ delivery, secret, now }) => {
		try {
			// An empty secret is none: state.ts.
			const secrets = { accepted: secret === '' ? [] : [secret], isKnown: true };
			if (verify(parseDelivery(delivery), secrets, now, () => TOLERANCE).event) accepted++;
		} catch {
			thrown++;
		}
	});
	fc.assert(check, { numRuns, seed: 2026 });
	return [none(`accepted of ${numRuns}`, accepted), none(`exceptions of ${numRuns}`, thrown)];
};

/** Random lives of subscriptions, see reconcile.model.test.ts. */
export const lives: Measure = async (scale) => {
	const RECONCILE_RUNS = String(sized(3_000, scale, 100));
	return [runTest('reconcile.model', `${RECONCILE_RUNS} lives`, { RECONCILE_RUNS }, 'unit')];
};

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
			figure('answers', JSON.stringify(found.answers)),
			figure('took', `${Math.round(found.seconds)} s`),
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
			figure('dead letters', found.deadLetters),
			figure('answered 200 by n8n itself while it was starting', found.swallowed),
			figure('executions that n8n shows as crashed', found.crashed),
			figure('executions that n8n shows as running for ever', found.stuck),
			figure('events behind the trigger only after the retry of a crashed execution', found.needed),
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
				figure('n8n loses the static data when another node writes some', String(wasWiped)),
				row(
					'static data lost: still verified, still unsubscribed',
					lost,
					'true, true',
					lost === 'true, true',
				),
				...arrivals(`${cut.events} cut answers, a copy 150 ms later to the other processor`, cut),
				...arrivals(`${restarted.events} events, every process restarted`, restarted),
				figure('… only after the retry of a broken execution', restarted.needed),
				...arrivals(`${led.events} events, the leading main killed, another takes over`, led),
				figure('… only after the retry of a broken execution', led.needed),
				none(`${count} events with copies to both processors: never behind the trigger`, mine.lost),
				figure('… answers', JSON.stringify(mine.answers)),
				figure('… twice, our trigger', mine.doubled),
				figure("… twice, n8n's GitHub Trigger", theirs.doubled),
			];
		},
		// Without this setting n8n 2.41 empties the executions of a worker that was killed: docs/guarantees.md, "What remains".
		{ mode: 'queue', workers: 2, env: { QUEUE_WORKER_STALLED_INTERVAL: '0' } },
		{ speed: 60 },
	);
