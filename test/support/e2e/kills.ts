import { setTimeout as pause } from 'node:timers/promises';

import { poll, type ExecutionSummary, type N8nClient } from '../../n8n/client';
import type { N8n } from '../../n8n/instance';
import { STEP_TIMEOUT_MS } from '../../n8n/limits';
import { generator } from '../../service/faults';
import type { Field } from './field';
import { emit } from './sender';
import { Sink } from './sink';
import { ours, tell } from './workflows';

/** n8n killed under load, the service trying again by its schedule. */
export interface Kills {
	kills: number;
	events: number;
	/** Executions that n8n shows as crashed. */
	crashed: number;
	/** Executions that n8n shows as running for ever, though nothing runs them. */
	stuck: number;
	/** Events that were not behind the trigger until their crashed execution was retried. */
	needed: number;
	/** Events that never were. */
	lost: number;
	/** Of these: n8n answered 200 by itself while it was starting, without asking any node. */
	swallowed: number;
	/** Events that more than one finished execution handed on. */
	doubled: number;
	/** How often n8n ended by itself while it started after a kill, and had to be started again. */
	ownCrashes: number;
	/** Deliveries that the service gave up. */
	deadLetters: number;
}

/**
 * The service's clock is sped up so far that n8n, which takes half a minute to start on a loaded machine, is away for
 * a quarter of an hour of its time; when the last kill is over, so far that 22 hours of retries pass in minutes.
 */
const WHILE_KILLING = 30;
const FAST = 600;

/** Events a second while n8n is up. */
export const PER_SECOND = 4;

/** What n8n 2.41 answers to everything, with status 200, between listening and having migrated its database. */
const STARTING = 'n8n is starting up';

/**
 * Kills n8n under load, with nothing in front of it: what it answers by itself while it starts, the trigger catches up.
 * @param whileDown events a second while n8n is down
 */
export async function kills(field: Field, n8n: N8n, count: number, whileDown = 0.5): Promise<Kills> {
	const { service } = field;
	const sink = await Sink.start();
	const { id } = await field.publish(ours([tell(sink.url)], { name: 'Killed', options: { checkEvery: 1 } }));
	const random = generator(20);
	const ids: string[] = [];
	const { speed } = service.clock;
	service.clock.speed = WHILE_KILLING;
	let ownCrashes = 0;
	let down = false;
	let loading = true;
	const load = (async () => {
		while (loading) {
			ids.push(emit(service));
			await pause((random() * 2000) / (down ? whileDown : PER_SECOND));
		}
	})();

	for (let kill = 0; kill < count; kill++) {
		await pause(1500 + random() * 3000);
		down = true;
		await n8n.kill();
		ownCrashes += await bringUp(n8n);
		down = false;
	}
	loading = false;
	await load;
	/** Starts n8n again where it has ended by itself. */
	const revive = async () => {
		if (n8n.main.isRunning) return false;
		ownCrashes += 1 + (await bringUp(n8n));
		return true;
	};
	// n8n goes on with a publication that a kill broke off two minutes later: hours of the sped-up clock.
	await poll(
		'n8n to have published again',
		async () => {
			await revive();
			return await n8n.rest('GET', `/workflows/${id}/publication-status`).catch((error: Error) => error);
		},
		({ status }) => status === 'published',
	);
	service.clock.speed = FAST;
	// As a supervisor does, until it stays.
	for (let quiet = 0; quiet < 10; quiet++) {
		await pause(1000);
		if (await revive()) quiet = 0;
	}
	const undelivered = () =>
		service.deliveries.history().filter(({ status }) => status === 'pending' || status === 'failed').length;
	await poll(
		'the service to be done',
		async () => {
			await revive();
			return undelivered();
		},
		(count) => count === 0,
		ALL_EVENTS_TIMEOUT_MS,
	);
	const stuck = await untilDone(n8n, id);

	const missing = () => new Set(ids.filter((event) => !sink.byEvent().has(event)));
	await untilCaughtUp(n8n, id, missing);
	const needed = missing();
	const crashed = (await allExecutions(n8n, id)).filter(({ status }) => status === 'crashed');
	await retryMissing(n8n, id, missing);
	const finished = new Set(
		(await allExecutions(n8n, id)).filter(({ status }) => status === 'success').map((each) => each.id),
	);
	const doubled = [...sink.byEvent().values()].filter(
		(executions) => executions.filter((each) => finished.has(each)).length > 1,
	);
	if (missing().size > 0) console.log(`! n8n said at last:\n${n8n.log().slice(-8000)}`);
	const result = {
		kills: count,
		events: ids.length,
		crashed: crashed.length,
		stuck,
		needed: needed.size,
		lost: missing().size,
		swallowed: service.deliveries.history().filter(({ log }) => log.at(-1)?.said?.startsWith(STARTING))
			.length,
		doubled: doubled.length,
		ownCrashes,
		deadLetters: service.deliveries.history().filter(({ status }) => status === 'dead_letter').length,
	};
	service.clock.speed = speed;
	await sink.stop();
	return result;
}

/** For all events together. */
const ALL_EVENTS_TIMEOUT_MS = 3 * STEP_TIMEOUT_MS;

/**
 * Executions that n8n shows as crashed, or long after their worker died as running, with their data as text. Asked once
 * n8n is done with all others.
 */
async function brokenOnes(n8n: N8nClient, workflowId: string) {
	const broken = (await allExecutions(n8n, workflowId)).filter(({ status }) =>
		['new', 'running', 'crashed'].includes(status),
	);
	const found: Array<{ id: string; status: string; text: string }> = [];
	for (const { id, status } of broken)
		found.push({ id, status, text: JSON.stringify((await n8n.execution(id)).data) });
	return found;
}

/** Waits until looks, which come by the minute, have handed on what is missing and in no execution that died with n8n. */
async function untilCaughtUp(n8n: N8nClient, workflowId: string, missing: () => Set<string>): Promise<void> {
	const broken = await brokenOnes(n8n, workflowId);
	const left = () => [...missing()].filter((event) => !broken.some(({ text }) => text.includes(event)));
	const isOver = (events: string[]) => events.length === 0;
	await poll('looks to have caught up', left, isOver, ALL_EVENTS_TIMEOUT_MS).catch(console.log);
}

/**
 * What a person does who finds crashed executions in n8n's list, or in queue mode some that are shown as running long
 * after their worker died: stops these, and retries them where their events have not arrived.
 */
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

/** After so long without any change in n8n's list what is unfinished is stuck, in ms: a busy n8n may rest for a minute. */
const QUIET = 90_000;

/**
 * Waits until n8n has run everything; how many executions it shows as running for ever. n8n 2.41 does so with one that
 * died between its start and that of its first node, and with one that it could not start under load.
 */
async function untilDone(n8n: N8nClient, workflowId: string): Promise<number> {
	let last = '';
	let changedAt = Date.now();
	const look = async () => {
		const all = await allExecutions(n8n, workflowId);
		const unfinished = all.filter(({ status }) => ['new', 'running', 'waiting'].includes(status));
		const now = all.map(({ id, status }) => `${id} ${status}`).join();
		if (now !== last) changedAt = Date.now();
		last = now;
		return { unfinished: unfinished.length, quietFor: Date.now() - changedAt };
	};
	const isOver = (seen: Awaited<ReturnType<typeof look>>) => seen.unfinished === 0 || seen.quietFor > QUIET;
	return (await poll('n8n to be done', look, isOver, ALL_EVENTS_TIMEOUT_MS)).unfinished;
}

/** Starts n8n again, as often as it takes; how often it took more than once. */
async function bringUp(n8n: N8n): Promise<number> {
	for (let failed = 0; ; failed++) {
		try {
			await n8n.restart();
			return failed;
		} catch (error) {
			if (failed === 4) throw error;
		}
	}
}

/** All executions of a workflow, page by page. */
export async function allExecutions(n8n: N8nClient, workflowId: string): Promise<ExecutionSummary[]> {
	const all = new Map<string, ExecutionSummary>();
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	let cursor = '';
	do {
		const path = `/executions?limit=100&filter=${filter}${cursor && `&cursor=${cursor}`}`;
		// An n8n that has just come up, or is very busy, may say that its database is not ready.
		const page = await poll(
			'the list of executions',
			async () => await n8n.rest('GET', path).catch((error: Error) => error),
			(seen) => !(seen instanceof Error),
		);
		const before = all.size;
		// One that ends while n8n looks is on a page twice, as running and as ended.
		for (const each of page.results as ExecutionSummary[]) all.set(each.id, each);
		cursor = all.size > before ? (page.nextCursor ?? '') : '';
	} while (cursor);
	return [...all.values()];
}
