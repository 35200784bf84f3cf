import fc from 'fast-check';

import { parseDelivery, verify } from '../../nodes/SocialPublishingTrigger/delivery';
import { startN8n, type N8n, type N8nOptions } from '../../test/n8n/instance';
import { startService } from '../../test/service';
import type { ServiceOptions } from '../../test/service/types';
import { forged } from '../../test/support/forgeries';
import { TOLERANCE } from '../../test/support/signing';
import { faultCases, withFault } from '../../test/support/e2e/faults';
import { Field } from '../../test/support/e2e/field';
import { kills, PER_SECOND } from '../../test/support/e2e/kills';
import { bothProcessors, cutAnswers, leaders, restarts, wiped } from '../../test/support/e2e/queue';
import { repeats } from '../../test/support/e2e/repeats';
import { deliver } from '../../test/support/e2e/sender';
import { Sink } from '../../test/support/e2e/sink';
import { ours, tell } from '../../test/support/e2e/workflows';
import { type Measure, none, row, runParts, sized, told, type Row } from '../figures';
import { flood } from './flood';

/** The long tests of the trigger; docs/guarantees.md says what they show. */
export const name = 'trigger';

export const run: Measure = async (scale) =>
	await runParts({ verifier, flood: flooded, repeats: repeated, faults, kills: killed, queue }, scale);

async function verifier(scale: number): Promise<Row[]> {
	const count = sized(1_000_000, scale, 1000);
	let accepted = 0;
	let thrown = 0;
	const secretsOf = (secret: string) => ({ accepted: [secret], isKnown: true });
	fc.assert(
		fc.property(forged, ({ delivery, secret, now }) => {
			try {
				if (verify(parseDelivery(delivery), secretsOf(secret), now, () => TOLERANCE).event) accepted++;
			} catch {
				thrown++;
			}
		}),
		{ numRuns: count, seed: 2026 },
	);
	return [
		none(`of ${count} forged or mutated deliveries, the verifier accepted`, accepted),
		none(`of ${count} forged or mutated deliveries, the verifier threw at`, thrown),
	];
}

/** Runs with an n8n and a service of its own. */
async function onField(
	work: (field: Field, n8n: N8n) => Promise<Row[]>,
	n8nOptions: N8nOptions = {},
	serviceOptions: ServiceOptions = {},
): Promise<Row[]> {
	const service = await startService(serviceOptions);
	try {
		const n8n = await startN8n(n8nOptions);
		try {
			const field = await Field.set(n8n, service);
			const rows = await work(field, n8n);
			await field.clear();
			const left = service.store.webhooks.size;
			return [...rows, none('subscriptions left at the service', left)];
		} finally {
			await n8n.stop();
		}
	} finally {
		await service.close();
	}
}

async function flooded(scale: number): Promise<Row[]> {
	return await onField(async (field, n8n) => {
		const { sent, statuses, executions, grown, seconds, passed } = await flood(
			field,
			n8n,
			sized(10_000, scale, 200),
		);
		for (const one of passed) console.log(`! passed: ${one}`);
		const answers = Object.entries(statuses)
			.map(([status, times]) => `${times} × ${status}`)
			.join(', ');
		return [
			row(`${sent} forged deliveries to a real n8n: answers`, answers, 'no 2xx', passed.length === 0),
			none(`${sent} forged deliveries to a real n8n: executions`, executions),
			row(
				`${sent} forged deliveries to a real n8n: memory grew by`,
				`${Math.round(grown)} MiB`,
				'under 100 MiB',
				grown < 100,
			),
			told('refusals a second', Math.round(sent / seconds)),
		];
	});
}

async function repeated(scale: number): Promise<Row[]> {
	return await onField(async (field) => {
		const sink = await Sink.start();
		const { receiver } = await field.publish(
			ours([tell(sink.url)], { settings: { saveDataSuccessExecution: 'none' } }),
		);
		const count = sized(10_000, scale, 100);
		const found = await repeats({ count, deliver, receiver, sink });
		await sink.stop();
		const what = `one process, ${count} events in ${found.deliveries} deliveries`;
		return [
			none(`${what}: twice behind the trigger`, found.doubled),
			none(`${what}: never behind the trigger`, found.lost),
			told(`${what}: answers`, JSON.stringify(found.answers)),
			told(`${what}: took`, `${Math.round(found.seconds)} s`),
		];
	});
}

async function faults(scale: number): Promise<Row[]> {
	return await onField(async (field) => {
		const step = Math.max(1, Math.round(1 / Math.max(scale, 0.05)));
		const cases = faultCases.filter((_each, i) => i % step === 0);
		const bad: string[] = [];
		for (const one of cases) {
			const { published, arrived, unpublished } = await withFault(field, one);
			if (published !== 1 || arrived !== 1 || unpublished !== 0)
				bad.push(`${one.name}: ${published}/${arrived}/${unpublished}`);
		}
		return [
			row(
				`${cases.length} faults while publishing and unpublishing: not one subscription, one event, none left`,
				bad.length === 0 ? 0 : bad.join('; '),
				'0',
				bad.length === 0,
			),
		];
	});
}

async function killed(scale: number): Promise<Row[]> {
	return await onField(async (field, n8n) => {
		const found = await kills(field, n8n, sized(20, scale, 2), PER_SECOND);
		const what = `${found.kills} × kill -9 with nothing in front of n8n, ${found.events} events`;
		return [
			none(`${what}: never behind the trigger`, found.lost),
			none(`${what}: handed on by two finished executions`, found.doubled),
			told(`${what}: dead letters`, found.deadLetters),
			told(`${what}: answered 200 by n8n itself while it was starting`, found.swallowed),
			told(`${what}: starts that n8n itself broke off`, found.ownCrashes),
			told(`${what}: executions that n8n shows as crashed`, found.crashed),
			told(`${what}: executions that n8n shows as running for ever`, found.stuck),
			told(`${what}: events behind the trigger only after the retry of a crashed execution`, found.needed),
		];
	});
}

/** Without this n8n 2.41 empties the executions of a worker that was killed: docs/guarantees.md, "What remains". */
const KEEP_STALLED = 'QUEUE_WORKER_STALLED_INTERVAL';

const delivered = (
	what: string,
	{ events, lost, doubled, needed }: { events: number; lost: number; doubled: number; needed: number },
): Row[] => [
	none(`${what}, ${events} events: never`, lost),
	none(`${what}, ${events} events: twice`, doubled),
	told('  … behind the trigger only after the retry of a broken execution', needed),
];

async function queue(scale: number): Promise<Row[]> {
	return await onField(
		async (field, n8n) => {
			const rows: Row[] = [];
			const { wasWiped, verified, unsubscribed } = await wiped(field);
			rows.push(
				told('queue mode: n8n loses the static data when another node writes some', String(wasWiped)),
				row(
					'queue mode, static data lost: still verified, still unsubscribed',
					`${verified}, ${unsubscribed}`,
					'true, true',
					verified && unsubscribed,
				),
			);
			const cut = await cutAnswers(field, n8n, sized(200, scale, 20), 5);
			rows.push(
				none(
					`queue mode, ${cut.events} cut answers, copy 150 ms later to the other processor: twice`,
					cut.doubled,
				),
				none(`queue mode, ${cut.events} cut answers: never`, cut.lost),
			);
			const restarted = await restarts(field, n8n, sized(300, scale, 50));
			rows.push(...delivered(`queue mode (${KEEP_STALLED}=0), every process restarted`, restarted));
			const led = await leaders(field, n8n, sized(300, scale, 40), sized(5, scale, 1));
			rows.push(...delivered('queue mode, the leading main killed, another takes over', led));
			const count = sized(2000, scale, 100);
			const mine = await bothProcessors(field, n8n, count, 'ours');
			const theirs = await bothProcessors(field, n8n, count, 'github');
			rows.push(
				none(
					`queue mode, ${count} events with copies to both processors (${mine.deliveries} deliveries): never`,
					mine.lost,
				),
				told('  … twice, our trigger', mine.doubled),
				told("  … twice, n8n's GitHub Trigger", theirs.doubled),
				told('  … took, our trigger', `${Math.round(mine.seconds)} s`),
				told("  … took, n8n's GitHub Trigger", `${Math.round(theirs.seconds)} s`),
			);
			return rows;
		},
		{ mode: 'queue', webhooks: 2, workers: 2, env: { [KEEP_STALLED]: '0' } },
		{ speed: 60 },
	);
}
