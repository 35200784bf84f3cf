import { setTimeout as pause } from 'node:timers/promises';

import { parseDelivery, verify } from '../../nodes/SocialPublishingTrigger/delivery';
import { DeliveryTracker } from '../../nodes/SocialPublishingTrigger/tracker';
import { startN8n } from '../../test/n8n/instance';
import { startService } from '../../test/service';
import { Field } from '../../test/support/e2e/field';
import {
	deliver,
	deliverGithub,
	inParallel,
	newEvent,
	percentile,
	post,
	type Receiver,
	type Sent,
} from '../../test/support/e2e/sender';
import { bareWebhook, github, nothing, ours } from '../../test/support/e2e/workflows';
import { type Measure, row, runParts, sized, told, type Row } from '../figures';
import { signed, timestampAt } from '../../test/support/signing';

/** The trigger beside n8n's own: deliveries a second and p99, in the same n8n and run. */
export const name = 'trigger';

const WIDTH = 10;
const ROUNDS = 7;

export const run: Measure = async (scale) =>
	await runParts({ pure, inN8n, lazy: withLazySandboxes, idle }, scale);

/** Verification and duplicate check of one event, without n8n. */
async function pure(scale: number): Promise<Row[]> {
	const count = sized(20_000, scale, 1000);
	const key = 'whsec_example_of_a_length_that_is_usual';
	const deliveries = Array.from({ length: count }, () =>
		signed(JSON.stringify(newEvent()), timestampAt(Date.now()), key),
	);
	const tracker = new DeliveryTracker();
	const secrets = { accepted: [key], isKnown: true };
	const micros: number[] = [];
	for (const delivery of deliveries) {
		const started = performance.now();
		const now = Date.now();
		const { event } = verify(parseDelivery(delivery), secrets, now, () => 300_000);
		const arrival = await tracker.admit(event!.id);
		if (typeof arrival === 'string') throw new Error('not accepted');
		arrival('taken');
		micros.push((performance.now() - started) * 1000);
	}
	const median = percentile(micros, 0.5);
	return [
		row(
			'verification and duplicate check of one event, median',
			`${median.toFixed(1)} µs`,
			'under 50 µs',
			median < 50,
		),
		told('verification and duplicate check of one event, p99', `${percentile(micros, 0.99).toFixed(1)} µs`),
	];
}

interface Contender {
	name: string;
	send: () => Promise<Sent>;
	expected: number;
	/** Requests of one round. */
	size: number;
	perSecond: number[];
	latencies: number[];
}

/**
 * By default n8n makes a sandbox for expressions for each delivery to a node that is not its own Webhook node, before
 * the node is asked. With this setting it makes one when there is an expression; it is off in n8n 2.41.
 */
async function withLazySandboxes(scale: number): Promise<Row[]> {
	const rows = await inN8n(scale, { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' });
	return rows.map(({ what, value }) => told(`lazy sandboxes: ${what}`, value));
}

async function inN8n(scale: number, env: Record<string, string> = {}): Promise<Row[]> {
	const size = sized(150, scale, 20);
	const service = await startService();
	const n8n = await startN8n({ env });
	try {
		const field = await Field.set(n8n, service);
		const settings = { saveDataSuccessExecution: 'none' };
		const { receiver } = await field.publish(ours([nothing], { settings }));
		const theirs = await field.publishGithub(github([nothing], { settings }));
		const bare = await field.publishBare(bareWebhook([nothing], { settings }));
		const copied = newEvent();
		await deliver(receiver, copied);
		const contender = (title: string, send: () => Promise<Sent>, expected = 200, factor = 1): Contender => ({
			name: title,
			send,
			expected,
			size: size * factor,
			perSecond: [],
			latencies: [],
		});
		const contenders = {
			ours: contender('our trigger, new events', async () => await deliver(receiver, newEvent())),
			github: contender("n8n's GitHub Trigger", async () => await deliverGithub(theirs, newEvent())),
			bare: contender("n8n's bare Webhook node", async () => await plain(bare)),
			copies: contender('our trigger, duplicates', async () => await deliver(receiver, copied), 200, 3),
			forged: contender(
				'our trigger, forged',
				async () => await deliver({ ...receiver, secret: 'guess' }, newEvent()),
				401,
				3,
			),
			forgedGithub: contender(
				"n8n's GitHub Trigger, forged",
				async () => await deliverGithub({ ...theirs, secret: 'guess' }, newEvent()),
				401,
				3,
			),
		};
		const all = Object.values(contenders);
		for (const one of all) await round(one, false);
		// In turn, and each round in another order: what else the machine does then hits all alike.
		for (let i = 0; i < ROUNDS; i++)
			for (let j = 0; j < all.length; j++) await round(all[(i + j) % all.length]!, true);

		const ratios = (a: Contender, b: Contender) => a.perSecond.map((value, i) => value / b.perSecond[i]!);
		const toGithub = percentile(ratios(contenders.ours, contenders.github), 0.5);
		const toBare = percentile(ratios(contenders.ours, contenders.bare), 0.5);
		const copies = percentile(ratios(contenders.copies, contenders.ours), 0.5);
		const refusals = percentile(ratios(contenders.forged, contenders.forgedGithub), 0.5);
		await field.clear();
		return [
			...all.map((one) =>
				told(
					one.name,
					`${percentile(one.perSecond, 0.5).toFixed(1)}/s, p50 ${percentile(one.latencies, 0.5).toFixed(0)} ms, p99 ${percentile(one.latencies, 0.99).toFixed(0)} ms`,
				),
			),
			row(
				'our trigger to the GitHub Trigger, median of the rounds',
				toGithub.toFixed(2),
				'at least 0.95',
				toGithub >= 0.95,
			),
			told('our trigger to the bare Webhook node, median', toBare.toFixed(2)),
			row('duplicates to new events, median', copies.toFixed(2), 'at least 5', copies >= 5),
			row(
				'refusals to those of the GitHub Trigger, median',
				refusals.toFixed(2),
				'at least 0.95',
				refusals >= 0.95,
			),
		];
	} finally {
		await n8n.stop();
		await service.close();
	}
}

/** How long published triggers are watched. */
const WATCHED_MS = 4 * 60_000;

/**
 * What published triggers of one key cost to which nothing happens. Each wants to check once a minute, so that this is
 * the most that so many triggers read, whatever their *Check Every*.
 */
async function idle(scale: number): Promise<Row[]> {
	const service = await startService();
	const n8n = await startN8n();
	try {
		const field = await Field.set(n8n, service);
		const rows: Row[] = [];
		const before = await n8n.memory();
		let published = 0;
		for (const wanted of [1, 10, sized(100, scale, 20)]) {
			for (; published < wanted; published++)
				await field.publish(ours([nothing], { name: `Idle ${published}`, options: { checkEvery: 1 } }));
			await pause(WATCHED_MS / 4);
			const from = service.requests.length;
			await pause(WATCHED_MS);
			const reads = service.requests.slice(from).filter(({ method }) => method === 'GET').length;
			const each = reads / (WATCHED_MS / 60_000);
			rows.push(
				row(
					`idle: reads a minute of ${published} published triggers`,
					each.toFixed(1),
					'at most 12',
					each <= 12,
				),
			);
		}
		const mebibytes = ((await n8n.memory()) - before) / published / 1024 / 1024;
		rows.push(told('idle: memory of n8n for each trigger', `${mebibytes.toFixed(1)} MiB`));
		await field.clear();
		return rows;
	} finally {
		await n8n.stop();
		await service.close();
	}
}

async function round(contender: Contender, counts: boolean): Promise<void> {
	const started = performance.now();
	const answers = await inParallel(
		Array.from({ length: contender.size }, () => contender.send),
		WIDTH,
	);
	const seconds = (performance.now() - started) / 1000;
	const wrong = answers.find(({ status }) => status !== contender.expected);
	if (wrong) throw new Error(`${contender.name}: answered ${wrong.status} ${wrong.body}`);
	// Executions go on after the answer: let them end before the next contender's turn.
	await pause(1500);
	if (!counts) return;
	contender.perSecond.push(contender.size / seconds);
	contender.latencies.push(...answers.map(({ ms }) => ms));
}

const plain = async ({ url }: Receiver): Promise<Sent> =>
	await post(url, JSON.stringify(newEvent()), { 'content-type': 'application/json' });
