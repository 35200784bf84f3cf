import { cloneDeep, difference, isEmpty, isEqual, some } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { createRequire } from 'node:module';

import type { Fault, Service } from '../../service';
import { Binaries } from '../binaries';
import { runNode, runTool, type RunResult } from '../engine';
import { credentialOf } from '../service';
import { effectOf, type Effect } from './effects';
import { aboutOf, changed, filledIn, inputOf, ON_POSTS, parametersOf, type Once } from './parameters';
import {
	FAULTS,
	STORE_FAULTS,
	type InputItem,
	type Operation,
	type Sequence,
	type Settings,
	type Step,
} from './sequence';
import type { World } from './world';

/** Runs a sequence in n8n's engine against the embedded service. */

/** The node's clocks and its waits go so much faster than real ones: it tries again by itself, too. */
const SPEED = 20;
function faster(clock: Pick<typeof Date, 'now'>): () => number {
	const realNow = clock.now.bind(clock);
	const start = realNow();
	return () => start + (realNow() - start) * SPEED;
}
Date.now = faster(Date);
// Node's own is shared by all test files of a process; this one, as `Date`, ends with the file.
globalThis.performance = { ...performance, now: faster(performance) };
Object.defineProperty(createRequire(__filename)('n8n-workflow'), 'sleep', {
	value: async (ms: number) => await new Promise((done) => setTimeout(done, ms / SPEED)),
});

export interface Run extends Result {
	step: number;
	/** Which execution it is a try of; by hand each press is one. */
	execution: number;
	/** Execution and round: which writes it may ask for again. */
	scope: string;
	/** Which journal it has, and which round of it. */
	journal: string;
	operation: Operation;
	settings: Settings;
	/** Each with what its effects are about, see {@link Effect.about}. */
	items: Array<InputItem & { about: string }>;
	requests: Effect[];
	/** The node can't know what the execution before has sent, and the keys depend on it. */
	cannotMatchOriginal: boolean;
	/** Whether bytes of a file arrived. */
	hasPut: boolean;
}

interface Result {
	/** Output items by input item; undefined where the run failed. */
	outputs?: Array<{ item: number; json: IDataObject }>;
	hints: string[];
	/** What errors say: the one that the run ended with, or those of items. */
	errors: Told[];
	context: IDataObject;
}

interface Told {
	/** Left out: of the whole run. */
	item?: number;
	message: string;
	code?: string;
	/** `posts.count`, 0 where it says nothing of posts. */
	posts: number;
}

/** What the sequences so far had: node runs, writes that reached the service and that it carried out, items reported as succeeded. */
export const figures = {
	sequences: 0,
	runs: 0,
	carriedOut: 0,
	reported: 0,
	unclear: 0,
	followed: 0,
};

/** What one try of an execution hands to the next. */
interface Memory {
	context: IDataObject;
	round: number;
	/** Runs that n8n counts, though a crash lost them. */
	lost: number;
	journal: number;
}

interface Execution {
	number: number;
	id: string;
	token: string;
	isRetry: boolean;
	memory: Memory;
	/** As this try found it: what a crash leaves. */
	found: Memory;
	/** What each try left. */
	left: Memory[];
}

let executions = 0;
let journals = 0;
const fresh = (): Memory => ({ context: {}, round: 0, lost: 0, journal: ++journals });
function newExecution(number: number): Execution {
	const memory = fresh();
	const id = ++executions;
	return {
		...{ number, id: String(id), token: `token-${id}`, isRetry: false },
		...{ memory, found: memory, left: [memory] },
	};
}

/**
 * A sub-workflow is called again when its caller is retried: a new execution with the caller's token. Now and then its own
 * execution is retried instead; not one that sets a state, whose changes would be other content of the same write.
 */
const isCalledAnew = ({ as, operation }: Sequence, step: number): boolean =>
	as === 'subWorkflow' && (step % 2 === 0 || ON_POSTS.has(operation) || operation === 'webhookDelete');

function retryOf(execution: Execution, isOfFirst: boolean, isCall: boolean): Execution {
	const left = execution.left.at(isOfFirst ? 0 : -1)!;
	// What is called anew begins with its first round.
	const memory = isCall ? fresh() : left;
	return {
		...{ ...execution, id: String(++executions), isRetry: !isCall },
		...{ memory, found: memory, left: [...execution.left, memory] },
	};
}

export async function play(service: Service, one: Sequence, world: World): Promise<Run[]> {
	const runs: Run[] = [];
	figures.sequences++;
	let execution = newExecution(0);
	const executed: Execution[] = [];
	let unmatchedTries = 0;
	let { items, settings } = one;
	/** The items of the last round in which none came back, and what failed and didn't come back yet, before and after a run. */
	let fresh = items;
	let waiting: { before: InputItem[]; after: InputItem[] } = { before: [], after: [] };
	const isByHand = one.as === 'byHand';
	const nodeId = `node-${figures.sequences}`;
	let ticks = 0;
	const variables = Object.defineProperty({}, 'tick', { get: () => ticks++ });
	const binaries = new Binaries();
	await binaries.use(one.files === 'filesystem' ? 'filesystem' : 'default');
	/** n8n hands the same files to each try of an execution. */
	const inputs = new Map<string, INodeExecutionData>();

	for (const [index, step] of one.steps.entries()) {
		const { how } = step;
		let cannotMatchOriginal = false;
		if (index > 0) {
			settings = { ...settings, ...step.change };
			if (how !== 'again' || isByHand) items = changed(items, step.items);
			const hasEnded = one.steps[index - 1]!.crash || (isByHand && runs.at(-1)!.outputs === undefined);
			if (step.retries) {
				items = runs.find(({ step: at }) => at === step.retries!.step)!.items;
				execution = retryOf(executed[step.retries.execution]!, false, false);
			} else if (how === 'loop' && !hasEnded) {
				execution.memory.round++;
				waiting.before = waiting.after;
				items = comingBack(waiting, step.back, some(items, 'row') ? fresh : items);
			} else if (how === 'again' || isByHand) execution = newExecution(execution.number + 1);
			else {
				execution = retryOf(execution, how === 'retryFirst', isCalledAnew(one, index));
				const isLost = isEmpty(execution.memory.context);
				cannotMatchOriginal = !one.token && one.as !== 'subWorkflow' && isLost;
				if (cannotMatchOriginal) unmatchedTries++;
			}
		}
		if (execution.memory.round === 0) {
			if (some(items, 'row')) items = fresh;
			waiting = { before: [], after: [] };
		}
		if (!some(items, 'row')) fresh = items;
		if (step.meanwhile === 'reconnect') world.reconnect();
		if (step.meanwhile === 'undo') world.undo();
		world.setFiles(step.meanwhile === 'filesGone' ? 'gone' : 'same');

		const operation: Operation =
			settings.operation && ON_POSTS.has(one.operation) ? settings.operation : one.operation;
		const input: INodeExecutionData[] = [];
		for (const [at, each] of items.entries()) {
			const before = items.slice(0, at).filter((other) => isEqual(other, each)).length;
			// Only what calls or presses anew makes other items.
			const isStamped = one.stamped && (isByHand || one.as === 'subWorkflow');
			const stamp = isStamped ? String(execution.memory.journal) : undefined;
			const name = JSON.stringify([execution.number, operation, each, before, stamp]);
			if (!inputs.has(name))
				inputs.set(name, await inputOf(each, operation, { files: one.files, world, binaries, stamp }));
			const given = inputs.get(name)!;
			input.push(execution.isRetry ? binaries.moved(given) : given);
		}
		const { isRetry, token, id, memory } = execution;
		const runWith = async (once: Once): Promise<Result> => {
			const parameters = parametersOf(one, settings, operation, once);
			const shared = {
				credential: {
					...credentialOf(service, { apiKey: world.apiKeys[settings.apiKey] }),
					...{ workspaceId: '', postFormat: settings.format },
				},
				...{ executionId: id, variables, contextData: cloneDeep(memory.context) },
				...(one.token && one.as !== 'subWorkflow' ? { resumeToken: token } : {}),
			};
			if (one.as === 'tool') return await asTool(shared, parameters, input);
			return await asNode({
				...{ ...shared, parameters, items: input, runIndex: memory.round + memory.lost },
				mode: isRetry ? 'retry' : isByHand ? 'manual' : 'trigger',
				...(one.as === 'subWorkflow' ? { callersToken: token } : {}),
				node: {
					id: nodeId,
					...(step.tries > 1 ? { retryOnFail: true, maxTries: step.tries, waitBetweenTries: 1 } : {}),
					...(one.continueOnFail ? { onError: 'continueRegularOutput' as const } : {}),
					...(one.errorOutput ? { onError: 'continueErrorOutput' as const } : {}),
				},
			});
		};
		service.faults.clear();
		for (const name of step.faults)
			service.faults.add({ ...FAULTS[name], method: 'POST|PATCH|DELETE' } as Fault);
		for (const name of step.storeFaults)
			service.faults.add({ ...STORE_FAULTS[name], method: 'PUT' } as Fault);
		const from = service.requests.length;
		const result = await runWith({ previewOnly: step.previewOnly });
		execution.memory = { ...memory, context: result.context };
		if (one.errorOutput)
			waiting.after = [
				...waiting.before,
				...(result.outputs ?? []).flatMap(({ item: at, json: { error } }): InputItem[] => {
					if (!error) return [];
					const each = items[at]!;
					const isPreview = step.previewOnly || each.preview === true;
					const isFirst = isPreview && (each.isFirst ?? true);
					const back = { ...input[at]!, json: { ...input[at]!.json, error } };
					return [{ row: `${memory.round}.${at}`, ...each, isFirst, back }];
				}),
			];
		executed[execution.number] = execution;
		const { found } = execution;
		const isCounted = step.counted && isEmpty(found.context);
		const afterCrash = isCounted ? { ...found, lost: 1 } : found;
		execution.left[execution.left.length - 1] = step.crash ? afterCrash : { ...execution.memory };
		// On a machine that stood still, a request that the node gave up may still be on its way to the service.
		for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
		const arrived = service.requests.slice(from);
		const requests = arrived.flatMap((request) => effectOf(request, service, one, settings) ?? []);
		figures.runs++;
		figures.carriedOut += requests.filter(({ request }) => request.acted).length;
		figures.reported += result.outputs?.filter(({ json }) => !('error' in json)).length ?? 0;
		runs.push({
			...{ ...result, step: index, execution: execution.number, operation, settings, requests },
			scope: `${execution.number}.${settings.mode === 'execution' ? unmatchedTries : ''}/${memory.round}`,
			journal: `${memory.journal}/${memory.round}`,
			items: items.map((each) => ({
				...{ ...each, preview: step.previewOnly || each.preview },
				about: aboutOf(each, operation, world),
			})),
			cannotMatchOriginal: cannotMatchOriginal && settings.mode === 'execution',
			hasPut: arrived.some(({ method, acted }) => method === 'PUT' && acted),
		});
	}
	await binaries.remove();
	return runs;
}

/** The items of a round: what comes back of what is waiting, which is taken out of there, else new ones. */
function comingBack(waiting: { before: InputItem[] }, step: Step['back'], fresh: InputItem[]): InputItem[] {
	const all = waiting.before;
	// A new row that is equal to one that waits would go on with what that left in doubt.
	const which = step === 'none' && all.length > 0 ? 'all' : step;
	const chosen = { none: [], all, withNew: all, first: all.slice(0, 1), last: all.slice(-1) }[which];
	waiting.before = difference(all, chosen);
	if (chosen.length === 0) return fresh;
	return which === 'withNew' ? [...chosen, fresh[0]!] : chosen;
}

/** Of an error item, or the data of n8n's error. */
function toldBy({ message, code, posts }: IDataObject, item?: number): Told {
	const { count = 0 } = (posts ?? {}) as { count?: number };
	return {
		message: String(message),
		code: String(code),
		posts: count,
		...(item === undefined ? {} : { item }),
	};
}

const dataOf = ({ message, context }: any): IDataObject => ({ ...context?.data, message });

async function asNode(options: Parameters<typeof runNode>[0]): Promise<Result> {
	const result: RunResult = await runNode(options);
	const context = JSON.parse(JSON.stringify(result.run.data.executionData!.contextData)) as IDataObject;
	const hints = result.hints.map(({ message }) => String(message));
	if (result.error) return { context, hints, errors: [toldBy(dataOf(result.error))] };
	const outputs = result.outputs.flat().map(({ json, pairedItem }) => ({
		item: (pairedItem as { item: number }).item,
		json,
	}));
	const errors = outputs.flatMap(({ item, json }) =>
		'error' in json ? [toldBy(json.error as IDataObject, item)] : [],
	);
	return { context, hints, errors, outputs };
}

/** Each item is a call of its own; n8n gives a model's calls no input item. */
async function asTool(
	shared: Omit<Parameters<typeof runTool>[0], 'calls'>,
	parameters: IDataObject,
	input: INodeExecutionData[],
): Promise<Result> {
	const calls = input.map(({ json }, runIndex) => ({ runIndex, parameters: filledIn(parameters, json) }));
	const results = await runTool({ ...shared, calls });
	return {
		context: JSON.parse(JSON.stringify(shared.contextData)) as IDataObject,
		hints: [],
		errors: results.flatMap((one, item) => (Array.isArray(one) ? [] : [toldBy(dataOf(one), item)])),
		outputs: results.flatMap((one, item) =>
			Array.isArray(one)
				? one.map((json: IDataObject) => ({ item, json }))
				: [{ item, json: { error: true } }],
		),
	};
}
