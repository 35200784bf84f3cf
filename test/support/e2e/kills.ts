import { setTimeout as pause } from 'node:timers/promises';

import { type ExecutionSummary, type N8nClient, poll, STEP_TIMEOUT_MS } from '../../n8n/client';
import type { N8n } from '../../n8n/instance';
import type { Field } from './field';
import { emit } from './sender';

/** So fast that n8n's start takes a quarter of an hour of the service's time; after the last kill, 22 hours pass in minutes. */
const WHILE_KILLING = 30;
const FAST = 600;

/** n8n 2.41 shows as running for ever what died between its start and that of its first node: stuck after so long. */
const QUIET_MS = STEP_TIMEOUT_MS / 2;

/**
 * Kills n8n under load, the service trying again by its schedule, with nothing between them: what n8n answers by itself
 * while it starts, the trigger catches up.
 * @returns how many events never were behind the trigger, and how many more than one finished execution handed on
 */
export async function kills(field: Field<N8n>, count: number): Promise<{ lost: number; doubled: number }> {
	const { n8n, service, sink } = field;
	const { id } = await field.publish(field.workflow('Killed', 'post.published'));
	/** For all events together. */
	const timeout = STEP_TIMEOUT_MS * count;
	const ids: string[] = [];
	const { speed } = service.clock;
	service.clock.speed = WHILE_KILLING;
	let startedAt = Date.now();
	let loading = true;
	let isDown = false;
	const load = (async () => {
		while (loading) {
			ids.push(emit(service));
			// Four a second; while n8n is down, one in two seconds.
			await pause(Math.random() * (isDown ? 4000 : 500));
		}
	})();
	for (let kill = 0; kill < count; kill++) {
		await pause(1500 + Math.random() * 3000);
		isDown = true;
		await n8n.kill();
		startedAt = Date.now();
		await bringUp(n8n);
		isDown = false;
	}
	loading = false;
	await load;

	/** n8n that has ended by itself is started again, as a supervisor does. */
	const until = async <T>(what: string, look: () => Promise<T>, fits: (seen: NonNullable<T>) => boolean) => {
		const lookAtRunning = async () => {
			if (!n8n.main.isRunning) await bringUp(n8n);
			return await look();
		};
		await poll(what, lookAtRunning, fits, timeout);
	};
	// n8n goes on with a publication that a kill broke off two minutes later: hours of the sped-up clock.
	const publication = async () =>
		await n8n.rest('GET', `/workflows/${id}/publication-status`).catch((error: Error) => error);
	await until('n8n to have published again', publication, ({ status }) => status === 'published');
	// Until then, nobody knows which events of crashed executions the trigger recovers by itself.
	const firstCheck = async () =>
		service.requests.find(({ receivedAt, query }) => receivedAt > startedAt && query.status === 'delivered');
	await until('the first check after the last start', firstCheck, () => true);
	service.clock.speed = FAST;
	const open = async () =>
		service.deliveries.history().filter(({ status }) => status === 'pending' || status === 'failed');
	await until('the service to be done', open, ({ length }) => length === 0);
	const unfinished = async () =>
		(await executionsOf(n8n, id)).filter(({ status }) => ['new', 'running', 'waiting'].includes(status));
	await poll('n8n to be done', unfinished, ({ length }) => length === 0, QUIET_MS).catch(() => undefined);

	// Checks, which come by the minute, hand on what is in no execution that died with n8n.
	const broken = await brokenOnes(n8n, id);
	const missing = () => sink.missing(ids);
	const left = () => [...missing()].filter((event) => !broken.some(({ text }) => text.includes(event)));
	await poll('checks to have caught up', left, ({ length }) => length === 0, timeout).catch(console.log);
	await retryMissing(n8n, id, missing);
	const finished = new Set(
		(await executionsOf(n8n, id)).filter(({ status }) => status === 'success').map((each) => each.id),
	);
	const doubled = [...sink.byEvent().values()].filter(
		(executions) => executions.filter((each) => finished.has(each)).length > 1,
	).length;
	const lost = missing().size;
	if (lost > 0) console.log(`! n8n said at last:\n${n8n.log().slice(-8000)}`);
	service.clock.speed = speed;
	return { lost, doubled };
}

/** Executions that died with n8n, or with their worker long ago, with their data as text; once n8n is done with all others. */
async function brokenOnes(n8n: N8nClient, workflowId: string) {
	const found: Array<{ id: string; status: string; text: string }> = [];
	for (const { id, status } of await executionsOf(n8n, workflowId))
		if (['new', 'running', 'crashed'].includes(status))
			found.push({ id, status, text: JSON.stringify((await n8n.execution(id)).data) });
	return found;
}

/** What a person does with crashed executions, and with some shown as running for ever: stops and retries them. */
export async function retryMissing(
	n8n: N8nClient,
	workflowId: string,
	missing: () => Set<string>,
): Promise<void> {
	for (const { id, status, text } of await brokenOnes(n8n, workflowId)) {
		if (![...missing()].some((event) => text.includes(event))) continue;
		if (status !== 'crashed') await n8n.stopExecution(id);
		await n8n.retryExecution(id);
	}
}

/** Starts n8n again, as often as it takes. */
async function bringUp(n8n: N8n, triesLeft = 4): Promise<void> {
	await n8n.restart().catch(async (error: unknown) => {
		if (triesLeft === 0) throw error;
		await bringUp(n8n, triesLeft - 1);
	});
}

/** Of a workflow: an n8n that has just come up, or is very busy, may say that its database is not ready. */
const executionsOf = async (n8n: N8nClient, id: string): Promise<ExecutionSummary[]> =>
	await poll('the list of executions', async () => await n8n.executions(id).catch(() => undefined));
