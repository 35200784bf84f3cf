import { setTimeout as pause } from 'node:timers/promises';

import { parseDelivery, verify } from '../../nodes/SocialPublishingTrigger/delivery';
import { DeliveryTracker } from '../../nodes/SocialPublishingTrigger/tracker';
import { type N8n, startN8n } from '../../test/n8n/instance';
import { startService } from '../../test/service';
import { Field } from '../../test/support/e2e/field';
import { nothing, ours } from '../../test/support/e2e/flow';
import { deliver, inParallel, newEvent, type Sent } from '../../test/support/e2e/sender';
import { signed, timestampAt } from '../../test/support/signing';
import { figure, percentile, row, type Row } from './figures';
import { deliverGithub, publishGithub } from './github';

/** The trigger beside n8n's own, in the same n8n and run. */

const ROUNDS = 7;
const WIDTH = 10;

const median = (values: number[]): number => percentile(values, 0.5);

/** Verification and duplicate check of one event, without n8n. */
export async function verification(scale: number): Promise<Row[]> {
	const key = 'whsec_example_of_a_length_that_is_usual';
	const deliveries = Array.from({ length: 20_000 * scale }, () =>
		signed(JSON.stringify(newEvent()), timestampAt(Date.now()), key),
	);
	const tracker = new DeliveryTracker();
	const secrets = { accepted: [key], isKnown: true };
	const micros: number[] = [];
	for (const delivery of deliveries) {
		const started = performance.now();
		const { event } = verify(parseDelivery(delivery), secrets, Date.now(), () => 300_000);
		const arrival = await tracker.admit(event!.id);
		if (typeof arrival === 'string') throw new Error('not accepted');
		arrival('taken');
		micros.push((performance.now() - started) * 1000);
	}
	return [
		row('median', `${median(micros).toFixed(1)} µs`, 'under 50 µs', median(micros) < 50),
		figure('p99', `${percentile(micros, 0.99).toFixed(1)} µs`),
	];
}

/** New, repeated and forged deliveries a second, by those of n8n's GitHub Trigger. */
export const besideGithub = async (scale: number): Promise<Row[]> => await compare(scale, 'false');

/**
 * By default n8n makes a sandbox for expressions for each delivery to a node that is not its own Webhook node, before
 * the node is asked. With this setting it makes one when there is an expression; it is off in n8n 2.41.
 */
export const lazySandboxes = async (scale: number): Promise<Row[]> => await compare(scale, 'true');

/** So many requests, ten at once; how many a second. */
async function rateOf(count: number, send: () => Promise<Sent>, expected: number): Promise<number> {
	const started = performance.now();
	const answers = await inParallel(
		Array.from({ length: count }, () => send),
		WIDTH,
	);
	const wrong = answers.find(({ status }) => status !== expected);
	if (wrong) throw new Error(`Answered ${wrong.status} ${wrong.body}`);
	return (1000 * count) / (performance.now() - started);
}

async function compare(scale: number, isLazy: 'true' | 'false'): Promise<Row[]> {
	const service = await startService();
	const n8n = await startN8n({ env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: isLazy } });
	try {
		return await inField(await new Field<N8n>().set(n8n, service), Math.round(150 * scale));
	} finally {
		await n8n.stop();
		await service.close();
	}
}

async function inField(field: Field<N8n>, size: number): Promise<Row[]> {
	const settings = { saveDataSuccessExecution: 'none' };
	const { receiver } = await field.publish(ours([nothing], { settings }));
	const theirs = await publishGithub(field, settings);
	const copied = newEvent();
	const secret = 'guess';
	const contenders: Record<string, [send: () => Promise<Sent>, status: number]> = {
		ours: [async () => await deliver(receiver, newEvent()), 200],
		github: [async () => await deliverGithub(theirs, newEvent()), 200],
		copies: [async () => await deliver(receiver, copied), 200],
		forged: [async () => await deliver({ ...receiver, secret }, newEvent()), 401],
		forgedGithub: [async () => await deliverGithub({ ...theirs, secret }, newEvent()), 401],
	};
	const names = Object.keys(contenders);
	const perSecond: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
	await deliver(receiver, copied);
	// In turn, and each round in another order: what else the machine does then hits all alike.
	for (let i = 0; i <= ROUNDS; i++)
		for (let j = 0; j < names.length; j++) {
			const name = names[(i + j) % names.length]!;
			perSecond[name]!.push(await rateOf(size, ...contenders[name]!));
			// Executions go on after the answer: let them end before the next contender's turn.
			await pause(1500);
		}
	// The first round loads what is loaded once.
	const rates = (name: string) => perSecond[name]!.slice(1);
	const ratio = (a: string, b: string) => median(rates(a).map((rate, i) => rate / rates(b)[i]!));
	const compared = (what: string, value: number): Row =>
		row(`${what} to those of the GitHub Trigger`, value.toFixed(2), 'at least 0.95', value >= 0.95);
	return [
		...names.map((name) => figure(`${name}, a second`, median(rates(name)).toFixed(1))),
		compared('new events', ratio('ours', 'github')),
		compared('refusals', ratio('forged', 'forgedGithub')),
		figure('duplicates to new events', ratio('copies', 'ours').toFixed(2)),
	];
}
