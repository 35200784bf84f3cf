import { cloneDeep, difference, differenceBy, isEmpty } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { createRequire } from 'node:module';

import type { Fault, Service } from '../../service';
import { Binaries } from '../binaries';
import { runNode, runTool } from '../engine';
import { credentialOf } from '../service';
import { effectOf, type Effect } from './effects';
import { changed, filledIn, inputOf, parametersOf } from './parameters';
import { FAULTS, STORE_FAULTS, type InputItem, type Sequence, type Settings, type Step } from './sequence';
import { prepare, type World } from './world';

/** Runs a sequence in n8n's engine against the embedded service. */

/** The node's clocks and its waits go so much faster than real ones; its time-outs, too, so it can't be much more. */
const SPEED = 10;
function faster(clock: Pick<typeof Date, 'now'>): () => number {
	const realNow = clock.now.bind(clock);
	const start = realNow();
	return () => start + (realNow() - start) * SPEED;
}

/** From now on in this test file. */
export function speedUp(): void {
	Date.now = faster(Date);
	// Node's own is shared by all test files of a process; this one, as `Date`, ends with the file.
	globalThis.performance = { ...performance, now: faster(performance) };
	Object.defineProperty(createRequire(__filename)('n8n-workflow'), 'sleep', {
		value: async (ms: number) => await new Promise((done) => setTimeout(done, ms / SPEED)),
	});
}

/** A row of a run: an input item, and how it is known. */
interface Row extends InputItem {
	/** Where it was first: execution, node, round and index. A row that comes back keeps it. */
	row: string;
	/** It comes back: the item as n8n hands it out. */
	back?: INodeExecutionData;
	/** Another item of the same run has its row ID. */
	isDivided?: boolean;
}

export interface Run extends Result {
	step: number;
	/** What all tries of an execution, and all rounds of a node in it, have in common. */
	scope: string;
	/** The run whose journal it was handed; left out: none. */
	after?: Run;
	settings: Settings;
	rows: Row[];
	requests: Effect[];
}

interface Result {
	/** Output items by input item; undefined where the run failed. */
	outputs?: Array<{ item: number; json: IDataObject }>;
	hints: string[];
	/** What errors say: the one that the run ended with, or those of items. */
	errors: Told[];
	context: IDataObject;
}

export interface Told {
	/** Left out: of the whole run. */
	item?: number;
	text: string;
	code: string;
	failures: IDataObject[];
	sent: IDataObject[];
}

/** What one try of an execution hands to the next. */
interface Memory {
	context: IDataObject;
	round: number;
	/** Runs that n8n counts, though a crash lost them. */
	lost: number;
	after?: Run;
	items: Row[];
	/** What failed and has not come back yet. */
	waiting: Row[];
}

interface Execution {
	scope: string;
	id: string;
	token: string;
	isRetry: boolean;
	/** As its first round, or its last retry, found it: what a crash leaves. */
	found: Memory;
	/** What its first try left. */
	first?: Memory;
	memory: Memory;
}

let executions = 0;
let players = 0;
/** The end of the scope of the second node. */
const SECOND = '-second';

/** Plays a sequence. @returns its runs, in order */
export async function play(service: Service, one: Sequence): Promise<Run[]> {
	const world = await prepare(service, one);
	const player = new Player(service, one, world);
	await player.binaries.use(one.files === 'filesystem' ? 'filesystem' : 'default');
	for (const [index, step] of one.steps.entries()) await player.play(index, step);
	await player.binaries.remove();
	await world.setOnline(true);
	return player.runs;
}

class Player {
	readonly runs: Run[] = [];
	readonly binaries = new Binaries();
	private execution: Execution;
	private settings: Settings;
	private items: InputItem[];
	private ticks = 0;
	/** What is pressed by hand is remembered by the node. */
	private readonly nodeId = `node-${++players}`;
	/** n8n hands the same files to each try of an execution. */
	private readonly inputs = new Map<string, INodeExecutionData>();

	constructor(
		private readonly service: Service,
		private readonly one: Sequence,
		private readonly world: World,
	) {
		this.settings = one.settings;
		this.items = one.items;
		this.execution = this.begin();
	}

	async play(index: number, step: Step): Promise<void> {
		const { one, service, world } = this;
		if (index > 0) this.goOn(index, step);
		world.setFiles(step.filesGone ? 'gone' : 'there');
		await world.setOnline(!step.offline);
		service.faults.clear();
		for (const name of step.faults)
			service.faults.add({ ...FAULTS[name], method: 'POST|PATCH|DELETE' } as Fault);
		for (const name of step.storeFaults)
			service.faults.add({ ...STORE_FAULTS[name], method: 'PUT' } as Fault);
		const { memory } = this.execution;
		// A sub-workflow that is called for each item is an execution of its own each time, and n8n stores nothing of it.
		if (one.as === 'callPerItem') for (const row of memory.items) await this.run(index, step, [row]);
		else await this.run(index, step, memory.items);
		const { found } = this.execution;
		// Rounds count from the first run that the context knows.
		const lost = step.counted && isEmpty(found.context) ? 1 : found.lost;
		if (step.crash) this.execution.memory = { ...found, lost };
	}

	/** A new execution, with its first round. */
	private begin(): Execution {
		const id = String(++executions);
		const memory = this.firstRound(id);
		return { scope: id, id, token: `token-${id}`, isRetry: false, found: memory, memory };
	}

	private firstRound(scope: string): Memory {
		return { context: {}, round: 0, lost: 0, items: this.rowsOf(scope, 0), waiting: [] };
	}

	private rowsOf(scope: string, round: number): Row[] {
		return this.items.map((item, at) => ({ ...item, row: `${scope}/${round}.${at}` }));
	}

	/** What the user, or n8n, does before the next run. */
	private goOn(index: number, step: Step): void {
		const { one, execution } = this;
		const { as } = one;
		this.settings = { ...this.settings, ...step.change };
		this.items = changed(this.items, step.items, index);
		const last = this.runs.at(-1)!;
		const hasEnded = one.steps[index - 1]!.crash || last.outputs === undefined;
		if (as === 'byHand' || step.how === 'again') {
			this.execution = this.begin();
			// What a press takes over is as the presses before have left it.
			const isTakenOver = as === 'byHand' && one.settings.mode === 'execution';
			if (isTakenOver && one.operation !== 'reply') this.execution.memory.after = last;
		} else if (step.how === 'loop' && !hasEnded) this.nextRound(step);
		else {
			// A caller that is retried calls the sub-workflow anew; now and then its own execution is retried.
			const isCalledAnew = as === 'callPerItem' || (as === 'subWorkflow' && index % 2 === 0);
			const first = execution.first ?? execution.memory;
			const left = step.how === 'retryFirst' ? first : execution.memory;
			const memory = isCalledAnew ? this.firstRound(execution.scope) : left;
			const id = String(++executions);
			this.execution = { ...execution, id, isRetry: !isCalledAnew, first, memory, found: memory };
		}
	}

	private nextRound({ back }: Step): void {
		const { execution } = this;
		const { memory } = execution;
		const { waiting } = memory;
		const round = memory.round + 1;
		const fresh = this.rowsOf(execution.scope, round);
		const chosen = {
			...{ none: [], all: waiting, withNew: waiting, secondNode: waiting },
			...{ first: waiting.slice(0, 1), last: waiting.slice(-1), split: waiting.slice(0, 1) },
		}[back];
		const isLedOn = back === 'secondNode' && chosen.length > 0 && !execution.scope.endsWith(SECOND);
		const twice = back === 'split' ? chosen.map((row) => ({ ...row, isDivided: true })) : [];
		const more = back === 'withNew' ? fresh.slice(0, 1) : [];
		const items = chosen.length > 0 ? [...chosen, ...twice, ...more] : fresh;
		execution.memory = { ...memory, round, items, waiting: difference(waiting, chosen) };
		if (!isLedOn) return;
		// Another node of the package: what it gets are new rows to it.
		const scope = `${execution.scope}${SECOND}`;
		const rows = chosen.map((row, at) => ({ ...row, row: `${scope}/0.${at}` }));
		const second: Memory = { context: {}, round: 0, lost: 0, items: rows, waiting: [] };
		this.execution = { ...execution, scope, memory: second, found: second, first: undefined };
	}

	private async run(index: number, step: Step, rows: Row[]): Promise<void> {
		const { one, service, settings, execution } = this;
		const { memory } = execution;
		const input: INodeExecutionData[] = [];
		for (const row of rows) input.push(row.back ?? (await this.inputOf(row)));
		const from = service.requests.length;
		const result = await this.resultOf(step, input);
		// A request that the node gave up may still be on its way to the service.
		for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
		const requests = service.requests
			.slice(from)
			.flatMap((request) => effectOf(request, service, one, settings) ?? []);
		const { scope } = execution;
		const run = { ...result, step: index, scope, after: memory.after, settings, rows, requests };
		this.runs.push(run);
		if (one.as === 'callPerItem') return;
		const failedNow = one.onError === 'errorOutput' ? failed(run, input) : [];
		// What fails again in a retry comes back once.
		const waiting = [...differenceBy(memory.waiting, failedNow, 'row'), ...failedNow];
		execution.memory = { ...memory, context: result.context, after: run, waiting };
	}

	private async inputOf(row: Row): Promise<INodeExecutionData> {
		const { one, world, binaries, inputs } = this;
		const name = `${row.row} ${row.number}`;
		if (!inputs.has(name)) inputs.set(name, await inputOf(row, one, world, binaries));
		const item = inputs.get(name)!;
		return this.execution.isRetry ? binaries.moved(item) : item;
	}

	private async resultOf(step: Step, items: INodeExecutionData[]): Promise<Result> {
		const { one, service, settings, execution, world } = this;
		const { token, isRetry, memory } = execution;
		// Each call of a sub-workflow is an execution of its own.
		const id = one.as === 'callPerItem' ? String(++executions) : execution.id;
		const isSubWorkflow = one.as === 'subWorkflow' || one.as === 'callPerItem';
		const parameters = parametersOf(one, settings, step);
		const more = { baseUrl: world.baseUrl, workspaceId: '', postFormat: settings.format };
		const variables = Object.defineProperty({}, 'tick', { get: () => this.ticks++ });
		const shared = {
			...{ credential: credentialOf(service, more), executionId: id, variables },
			contextData: one.as === 'callPerItem' ? {} : cloneDeep(memory.context),
			...(one.token && !isSubWorkflow ? { resumeToken: token } : {}),
		};
		if (one.as === 'tool') return await asTool(shared, parameters, items);
		return await asNode({
			...{ ...shared, parameters, items, runIndex: memory.round + memory.lost },
			mode: isRetry ? 'retry' : one.as === 'byHand' ? 'manual' : 'trigger',
			...(isSubWorkflow ? { callersToken: token } : {}),
			node: {
				id: execution.scope.endsWith(SECOND) ? `${this.nodeId}${SECOND}` : this.nodeId,
				...(step.tries > 1 ? { retryOnFail: true, maxTries: step.tries, waitBetweenTries: 1 } : {}),
				...(one.onError === 'continue' ? { onError: 'continueRegularOutput' as const } : {}),
				...(one.onError === 'errorOutput' ? { onError: 'continueErrorOutput' as const } : {}),
			},
		});
	}
}

/** What failed, as n8n hands it out; the workflow has put its file back. */
const failed = ({ outputs = [], rows }: Run, input: INodeExecutionData[]): Row[] =>
	outputs.flatMap(({ item, json: { error } }) =>
		error && !rows[item]!.isDivided
			? [{ ...rows[item]!, back: { ...input[item]!, json: { ...input[item]!.json, error } } }]
			: [],
	);

/** Of an error item, or the data of n8n's error. */
const toldBy = ({ message, hint, code, failures = [], sent = [] }: IDataObject, item?: number): Told => ({
	text: `${String(message)} ${String(hint ?? '')}`,
	code: String(code),
	failures: failures as IDataObject[],
	sent: sent as IDataObject[],
	...(item === undefined ? {} : { item }),
});

const dataOf = ({ message, description, context }: any): IDataObject => ({
	...context?.data,
	...{ message, hint: description },
});

async function asNode(options: Parameters<typeof runNode>[0]): Promise<Result> {
	const result = await runNode(options);
	const context = JSON.parse(JSON.stringify(result.run.data.executionData!.contextData)) as IDataObject;
	const hints = result.hints.map(({ message }) => String(message));
	if (result.error) return { context, hints, errors: [toldBy(dataOf(result.error))] };
	const outputs = result.outputs.flat().map(({ json, pairedItem }) => ({
		item: (pairedItem as { item: number }).item,
		json,
	}));
	const errors = outputs.flatMap(({ item, json: { error } }) =>
		error ? [toldBy(error as IDataObject, item)] : [],
	);
	return { context, hints, errors, outputs };
}

/** Each item is a call of its own, all at once; n8n gives a model's calls no input item. */
async function asTool(
	shared: Omit<Parameters<typeof runTool>[0], 'calls'>,
	parameters: IDataObject,
	input: INodeExecutionData[],
): Promise<Result> {
	const calls = input.map(({ json }, runIndex) => ({ runIndex, parameters: filledIn(parameters, json) }));
	const results = await runTool({ ...shared, calls, areParallel: true });
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
