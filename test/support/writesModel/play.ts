import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { createRequire } from 'node:module';

import type { Fault, Service } from '../../service';
import { Binaries } from '../binaries';
import { runNode, runTool, type RunResult } from '../engine';
import { credentialOf } from '../service';
import { aboutOf, effectOf, type Effect } from './effects';
import { changed, CREATES_POSTS, filledIn, inputOf, isCall, ON_POSTS, parametersOf } from './parameters';
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
for (const clock of [Date, performance]) {
	const realNow = clock.now.bind(clock);
	const start = realNow();
	clock.now = () => start + (realNow() - start) * SPEED;
}
Object.defineProperty(createRequire(__filename)('n8n-workflow'), 'sleep', {
	value: async (ms: number) => await new Promise((done) => setTimeout(done, ms / SPEED)),
});

/** One run of the node, as it went. */
export interface Run {
	step: number;
	/** Which execution it is a try of; by hand each press is one. */
	execution: number;
	/** Execution and round: which writes it may ask for again. */
	scope: string;
	/** Which call of a tool or a sub-workflow it is a try of. */
	call: number;
	operation: Operation;
	settings: Settings;
	/** Each with what its effects are about, see {@link Effect.about}. */
	items: Array<InputItem & { about: string }>;
	/** Output items by input item; undefined where the run failed. */
	outputs?: Array<{ item: number; json: IDataObject }>;
	requests: Effect[];
	/** The node can't know what the execution before has sent, and the keys depend on it. */
	cannotMatchOriginal: boolean;
	hints: string[];
	/** What errors say: the one that the run ended with, or those of items. */
	errors: Told[];
	/** Which journal it has, and which round of it. */
	journal: string;
	/** Whether bytes of a file arrived. */
	hasPut: boolean;
	approval: Step['approval'];
	/** Posts at the service after it, by label. */
	postsAfter: Array<{ text: string; status: string } | undefined>;
}

/** What an error says to a person. */
interface Told {
	/** Left out: of the whole run. */
	item?: number;
	message: string;
	code?: string;
	/** `posts.count`, 0 where it says nothing of posts. */
	posts: number;
}

/** What the sequences so far had: node runs, writes that reached the service and that it carried out, items reported as succeeded. */
export const figures = { sequences: 0, runs: 0, requests: 0, carriedOut: 0, reported: 0 };

/** What one execution hands to the next. */
interface Execution {
	number: number;
	id: string;
	token: string;
	isRetry: boolean;
	context: IDataObject;
	round: number;
}

/**
 * A sub-workflow is called again when its caller is retried: a new execution with the caller's token. Now and then its own
 * execution is retried instead; not one that sets a state, whose changes would be other content of the same write.
 */
const isCalledAnew = ({ operation }: Sequence, step: number): boolean =>
	step % 2 === 0 || ON_POSTS.has(operation) || operation === 'webhookDelete';

let executions = 0;
const newExecution = (number: number): Execution => ({
	number,
	id: String(++executions),
	token: `token-${executions}`,
	isRetry: false,
	context: {},
	round: 0,
});

export async function play(service: Service, one: Sequence, world: World): Promise<Run[]> {
	const runs: Run[] = [];
	const variables = counter();
	figures.sequences++;
	let execution = newExecution(0);
	/** As the execution found it: what a crash leaves. */
	let before: Pick<Execution, 'context' | 'round'> = { context: {}, round: 0 };
	/** What the first try of the execution left behind. */
	let first: Pick<Execution, 'context' | 'round'> | undefined;
	let unmatchedTries = 0;
	let call = 0;
	let crashed = false;
	let journals = 0;
	let { items, settings } = one;
	const nodeId = `node-${figures.sequences}`;
	const binaries = new Binaries();
	await binaries.use(one.files === 'filesystem' ? 'filesystem' : 'default');
	/** n8n hands the same files to each try of an execution. */
	const inputs = new Map<string, INodeExecutionData>();

	for (const [index, step] of one.steps.entries()) {
		const { how } = step;
		const last = runs.at(-1);
		const isLoop = how === 'loop' && !crashed && !(one.as === 'byHand' && last?.outputs === undefined);
		let cannotMatchOriginal = false;
		if (index > 0) {
			settings = { ...settings, ...step.change };
			if (how !== 'again' || one.as === 'byHand') items = changed(items, step.items);
			if (isLoop) execution.round++;
			else if (how === 'again' || one.as === 'byHand') {
				execution = newExecution(execution.number + 1);
				before = { context: {}, round: 0 };
				first = undefined;
				journals++;
			} else {
				const { context, round } = execution;
				first ??= crashed ? before : { context, round };
				const found = how === 'retryFirst' ? first : crashed ? before : { context, round };
				const isCall = one.as === 'subWorkflow' && isCalledAnew(one, index);
				if (isCall) journals++;
				before = { ...found, ...(isCall ? { context: {} } : {}) };
				execution = { ...execution, ...before, id: String(++executions), isRetry: !isCall };
				cannotMatchOriginal =
					!one.token && one.as !== 'subWorkflow' && Object.keys(before.context).length === 0;
				if (cannotMatchOriginal) unmatchedTries++;
			}
			const isSameCall =
				one.as === 'subWorkflow' && !isLoop && !crashed && how === 'retry' && !isCalledAnew(one, index);
			if (!isSameCall) call++;
		}
		crashed = step.crash;
		if (step.meanwhile === 'reconnect') world.reconnect();
		if (step.meanwhile === 'undo') world.undo();
		world.setFilesGone(step.meanwhile === 'filesGone');

		const operation: Operation =
			settings.operation && ON_POSTS.has(one.operation) ? settings.operation : one.operation;
		const count = new Map<string, number>();
		const input: INodeExecutionData[] = [];
		for (const each of items) {
			const kind = JSON.stringify([execution.number, operation, each]);
			count.set(kind, (count.get(kind) ?? 0) + 1);
			const name = `${kind}#${count.get(kind)}`;
			if (!inputs.has(name))
				inputs.set(name, await inputOf(each, operation, { files: one.files, world, binaries }));
			input.push(inputs.get(name)!);
		}
		const credential = {
			...credentialOf(service, { apiKey: world.apiKeys[settings.apiKey] }),
			workspaceId: '',
			postFormat: settings.format,
		};
		const shared = {
			credential,
			executionId: execution.id,
			variables,
			...(one.token && one.as !== 'subWorkflow' ? { resumeToken: execution.token } : {}),
		};
		figures.runs++;
		const { context, round, isRetry, token } = execution;
		const runWith = async (parameters: IDataObject): Promise<Result> => {
			const contextData = JSON.parse(JSON.stringify(context)) as IDataObject;
			if (one.as === 'tool') return await asTool({ ...shared, contextData }, parameters, input);
			return await asNode({
				...{ ...shared, contextData, parameters, items: input, runIndex: round },
				mode: one.as === 'byHand' ? 'manual' : isRetry ? 'retry' : 'trigger',
				...(one.as === 'subWorkflow' ? { callersToken: token } : {}),
				node: {
					id: nodeId,
					...(step.tries > 1 ? { retryOnFail: true, maxTries: step.tries, waitBetweenTries: 1 } : {}),
					...(one.continueOnFail ? { onError: 'continueRegularOutput' as const } : {}),
				},
			});
		};
		const parametersWith = (once: object): IDataObject => parametersOf(one, settings, operation, once);
		service.faults.clear();
		const approval = CREATES_POSTS.has(operation) && !step.previewOnly ? step.approval : 'none';
		const codes =
			approval === 'approved'
				? ((await runWith(parametersWith({ previewOnly: true }))).outputs ?? []).flatMap(
						({ json }) => json.approval_code ?? [],
					)
				: approval === 'wrong'
					? ['of-another-post']
					: [];
		for (const name of step.faults)
			service.faults.add({ ...FAULTS[name], method: 'POST|PATCH|DELETE' } as Fault);
		for (const name of step.storeFaults)
			service.faults.add({ ...STORE_FAULTS[name], method: 'PUT' } as Fault);
		const from = service.requests.length;
		const result = await runWith(
			parametersWith({ previewOnly: step.previewOnly, approvedCode: codes.join(', ') }),
		);
		execution.context = result.context;
		// On a machine that stood still, a request that the node gave up may still be on its way to the service.
		for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
		const requests = service.requests
			.slice(from)
			.flatMap((request) => effectOf(request, service, settings) ?? []);
		figures.requests += requests.length;
		figures.carriedOut += requests.filter(({ request }) => request.acted).length;
		figures.reported += result.outputs?.filter(({ json }) => !('error' in json)).length ?? 0;
		runs.push({
			step: index,
			execution: execution.number,
			scope: `${execution.number}.${settings.mode === 'execution' ? unmatchedTries : ''}/${execution.round}`,
			call,
			operation,
			settings,
			items: items.map((each) => ({
				...{ ...each, preview: step.previewOnly || each.preview },
				about: aboutOf(each, operation, world),
			})),
			outputs: result.outputs,
			requests,
			cannotMatchOriginal: cannotMatchOriginal && settings.mode === 'execution',
			hints: result.hints,
			errors: result.errors,
			journal: `${journals}/${execution.round}`,
			hasPut: service.requests.slice(from).some(({ method, acted }) => method === 'PUT' && acted),
			approval: codes.length > 0 ? approval : 'none',
			postsAfter: isCall(one)
				? world.posts.map((id) => {
						const post = service.store.posts.get(id);
						return post && { text: post.text, status: post.status };
					})
				: [],
		});
	}
	await binaries.remove();
	return runs;
}

const counter = (): { readonly tick: number } => {
	let n = 0;
	return {
		get tick() {
			return n++;
		},
	};
};

interface Result {
	outputs?: Run['outputs'];
	context: IDataObject;
	hints: string[];
	errors: Told[];
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
	const outputs = result.items.map(({ json, pairedItem }) => ({
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
