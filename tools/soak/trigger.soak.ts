import fc from 'fast-check';

import { parseDelivery, verify } from '../../nodes/SocialPublishingTrigger/delivery';
import { startN8n, type N8n, type N8nOptions } from '../../test/n8n/instance';
import { startService } from '../../test/service';
import type { ServiceOptions } from '../../test/service/types';
import { forged } from '../../test/support/forgeries';
import { TOLERANCE } from '../../test/support/signing';
import { faultCases, withFault } from '../../test/support/e2e/faults';
import { Field } from '../../test/support/e2e/field';
import { flood } from '../../test/support/e2e/flood';
import { kills, PER_SECOND } from '../../test/support/e2e/kills';
import { bothProcessors, cutAnswers, leaders, restarts, wiped } from '../../test/support/e2e/queue';
import { repeats } from '../../test/support/e2e/repeats';
import { deliver, newEvent } from '../../test/support/e2e/sender';
import { Sink } from '../../test/support/e2e/sink';
import { ours, tell } from '../../test/support/e2e/workflows';
import { row, told, type Row } from '../figures';

/** The long tests of the trigger; docs/guarantees.md says what they show. */
export const name = 'trigger';

/** With `SOAK_PARTS=flood,queue` only those. */
const parts: Record<string, (scale: number) => Promise<Row[]>> = {
	verifier,
	flood: flooded,
	repeats: repeated,
	faults,
	kills: killed,
	queue,
};

export async function run(scale: number): Promise<Row[]> {
	const wanted = process.env.SOAK_PARTS?.split(',');
	const rows: Row[] = [];
	for (const [part, measure] of Object.entries(parts)) {
		if (wanted && !wanted.includes(part)) continue;
		const started = Date.now();
		const found = await measure(scale);
		rows.push(...found, told(`${part}: time`, `${Math.round((Date.now() - started) / 1000)} s`));
		for (const { what, value, ok } of found) console.log(`${ok ? ' ' : '!'} ${what}: ${value}`);
	}
	return rows;
}

const sized = (full: number, scale: number, least: number): number =>
	Math.max(least, Math.round(full * scale));

async function verifier(scale: number): Promise<Row[]> {
	const count = sized(1_000_000, scale, 1000);
	let accepted = 0;
	let thrown = 0;
	fc.assert(
		fc.property(forged, ({ delivery, secret, now }) => {
			try {
				if (verify(parseDelivery(delivery), secret === '' ? [] : [secret], now, () => TOLERANCE).event)
					accepted++;
			} catch {
				thrown++;
			}
		}),
		{ numRuns: count, seed: 2026 },
	);
	return [
		row(`of ${count} forged or mutated deliveries, the verifier accepted`, accepted, '0', accepted === 0),
		row(`of ${count} forged or mutated deliveries, the verifier threw at`, thrown, '0', thrown === 0),
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
			return [...rows, row('subscriptions left at the service', left, '0', left === 0)];
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
			row(`${sent} forged deliveries to a real n8n: executions`, executions, '0', executions === 0),
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
		const found = await repeats({ count, deliver, receiver, sink, makeEvent: () => newEvent() });
		await sink.stop();
		const what = `one process, ${count} events in ${found.deliveries} deliveries`;
		return [
			row(`${what}: twice behind the trigger`, found.doubled, '0', found.doubled === 0),
			row(`${what}: never behind the trigger`, found.lost, '0', found.lost === 0),
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
			row(`${what}: never behind the trigger`, found.lost, '0', found.lost === 0),
			row(`${what}: handed on by two finished executions`, found.doubled, '0', found.doubled === 0),
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
				row(
					`queue mode, ${cut.events} cut answers, copy 150 ms later to the other processor: twice`,
					cut.doubled,
					'0',
					cut.doubled === 0,
				),
				row(`queue mode, ${cut.events} cut answers: never`, cut.lost, '0', cut.lost === 0),
			);
			const restarted = await restarts(field, n8n, sized(300, scale, 50));
			const restarting = `queue mode (${KEEP_STALLED}=0), every process restarted, ${restarted.events} events`;
			rows.push(
				row(`${restarting}: never`, restarted.lost, '0', restarted.lost === 0),
				row(`${restarting}: twice`, restarted.doubled, '0', restarted.doubled === 0),
				told('  … behind the trigger only after the retry of a broken execution', restarted.needed),
			);
			const led = await leaders(field, n8n, sized(300, scale, 40), sized(5, scale, 1));
			const leading = `queue mode, the leading main killed, another takes over, ${led.events} events`;
			rows.push(
				row(`${leading}: never`, led.lost, '0', led.lost === 0),
				row(`${leading}: twice`, led.doubled, '0', led.doubled === 0),
				told('  … behind the trigger only after the retry of a broken execution', led.needed),
			);
			const count = sized(2000, scale, 100);
			const mine = await bothProcessors(field, n8n, count, 'ours');
			const theirs = await bothProcessors(field, n8n, count, 'github');
			rows.push(
				row(
					`queue mode, ${count} events with copies to both processors (${mine.deliveries} deliveries): never`,
					mine.lost,
					'0',
					mine.lost === 0,
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
