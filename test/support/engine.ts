import { Container } from '@n8n/di';
import {
	ExecutionLifecycleHooks,
	InstanceSettings,
	LoadOptionsContext,
	SupplyDataContext,
	WorkflowExecute,
} from 'n8n-core';
import type { IDataObject, INode, INodeExecutionData, INodePropertyOptions, IRun } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { join } from 'node:path';

import { credentialsHelper, find, load, nodeTypes } from './package';

/** Runs the built package the way n8n does: its loader, its real contexts, its workflow engine. `npm run build` first. */

// Keys are made of it: by itself n8n makes another one on each machine.
Object.defineProperty(Container.get(InstanceSettings), 'instanceId', { value: 'test-instance' });

export interface RunOptions {
	parameters: IDataObject;
	credential: IDataObject;
	/** Input items; one empty item unless given. */
	items?: INodeExecutionData[];
	/** Settings of the node: `onError`, `retryOnFail`, `maxTries` … */
	node?: Partial<INode>;
	executionId?: string;
	workflowId?: string;
	timezone?: string;
	mode?: 'manual' | 'trigger' | 'retry';
	/** Instead of a fresh one: what an earlier execution left behind (`contextData`). */
	contextData?: IDataObject;
	/** Stops the execution, as the button in the editor does, when this settles. */
	stopWhen?: Promise<unknown>;
	/** n8n's random token of an execution, which every retry of it shares. */
	resumeToken?: string;
	/** How often the node has run in this execution before, as in a loop. */
	runIndex?: number;
	/** The execution is a sub-workflow's: the token of the one that called it. */
	callersToken?: string;
	/** Settings of the workflow, beside its time zone. */
	settings?: IDataObject;
	/** What expressions find under `$vars`. */
	variables?: object;
}

export interface RunResult {
	/** Items by output; empty where the node failed. */
	outputs: INodeExecutionData[][];
	items: INodeExecutionData[];
	json: IDataObject[];
	error?: any;
	hints: any[];
	run: IRun;
}

const additionalDataFor = (
	credential: IDataObject,
	executionId: string,
	hooks?: unknown,
	more: object = {},
): any => {
	const url = 'http://localhost';
	return {
		hooks,
		executionId,
		instanceId: 'test-instance',
		variables: {},
		credentialsHelper: credentialsHelper(() => credential),
		restApiUrl: url,
		instanceBaseUrl: url,
		webhookBaseUrl: url,
		webhookWaitingBaseUrl: url,
		formWaitingBaseUrl: url,
		webhookTestBaseUrl: url,
		setExecutionStatus: () => undefined,
		...more,
	};
};

const workflowWith = (
	parameters: IDataObject,
	{
		node,
		callersToken,
		workflowId = 'workflow-1',
		timezone = 'Europe/Berlin',
		settings = {},
	}: Partial<RunOptions> = {},
): Workflow => {
	const at = { typeVersion: 1, position: [0, 0] };
	return new Workflow({
		id: workflowId,
		active: false,
		nodeTypes,
		settings: { timezone, ...settings },
		nodes: [
			{
				...at,
				id: 'start-id',
				name: 'Start',
				type: callersToken ? 'n8n-nodes-base.executeWorkflowTrigger' : 'start',
				parameters: {},
			},
			{
				...at,
				id: 'node-id',
				name: 'Node',
				type: 'n8n-nodes-social-publishing.socialPublishing',
				parameters,
				credentials: { socialPublishingApi: { id: '1', name: 'credential' } },
				...node,
			},
		],
		connections: { Start: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
	} as any);
};

/** What n8n stores of an execution, as far as the node and the engine read it. */
const executionDataOf = (
	{ contextData = {}, resumeToken }: Pick<RunOptions, 'contextData' | 'resumeToken'>,
	more: object,
): any => ({
	version: 1,
	startData: {},
	resultData: { runData: {}, pinData: {} },
	executionData: { contextData, metadata: {}, waitingExecution: {}, waitingExecutionSource: {}, ...more },
	...(resumeToken ? { resumeToken } : {}),
});

/** Runs the action node once in n8n's real engine. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	await load();
	const { credential, executionId = '1', mode = 'trigger', items = [{ json: {} }] } = options;
	const workflow = workflowWith(options.parameters, options);
	const hooks = new ExecutionLifecycleHooks(mode, executionId, {} as any);
	const finished = new Promise<IRun>((done) =>
		hooks.addHandler('workflowExecuteAfter', (run: any) => done(run)),
	);
	const { callersToken, variables = {}, runIndex = 0 } = options;
	const additionalData = additionalDataFor(credential, executionId, hooks, {
		variables,
		getRunExecutionData: async () => ({ resumeToken: callersToken }),
	});
	const earlier = { startTime: 0, executionTime: 0, executionIndex: 0, source: [], data: { main: [[]] } };
	const runData = executionDataOf(options, {
		nodeExecutionStack: [{ node: workflow.getNode('Start')!, data: { main: [items] }, source: null }],
		...(callersToken ? { runtimeData: { version: 1, parentExecutionId: 'caller' } } : {}),
	});
	if (runIndex > 0) runData.resultData.runData = { Node: Array(runIndex).fill(earlier) };
	const execution: any = new WorkflowExecute(additionalData, mode, runData).processRunExecutionData(workflow);
	void options.stopWhen?.then(() => execution.cancel());
	await execution.catch((error: Error) => {
		if (!execution.isCanceled) throw error;
	});
	return resultOf(await finished, runIndex);
}

function resultOf(run: IRun, runIndex: number): RunResult {
	const { error, runData } = run.data.resultData as any;
	const task = runData.Node?.[runIndex];
	const outputs: INodeExecutionData[][] = (task?.data?.main ?? []).map((one: any) => one ?? []);
	const items = outputs[0] ?? [];
	const json = items.map((item) => item.json);
	return { outputs, items, json, error: error ?? task?.error, hints: task?.hints ?? [], run };
}

/** A model's calls of the node in one execution, in n8n's context of tools; a call that fails gives its error. */
export async function runTool(options: {
	credential: IDataObject;
	/** n8n counts every call, and every try of a call, as a run of its own. */
	calls: Array<{ parameters: IDataObject; runIndex: number }>;
	contextData?: IDataObject;
	executionId?: string;
	resumeToken?: string;
	variables?: object;
	/** All calls begin at once. */
	areParallel?: boolean;
}): Promise<any[]> {
	await load();
	const { credential, calls, executionId = '1' } = options;
	const runExecutionData = executionDataOf(options, { nodeExecutionStack: [] });
	const call = async ({ parameters, runIndex }: (typeof calls)[number]): Promise<any> => {
		const workflow = workflowWith(parameters, {
			node: { type: 'n8n-nodes-social-publishing.socialPublishingTool' },
		});
		const context = new (SupplyDataContext as any)(
			workflow,
			workflow.getNode('Node')!,
			additionalDataFor(credential, executionId, undefined, { variables: options.variables ?? {} }),
			'trigger',
			runExecutionData,
			runIndex,
			[],
			{},
			'ai_tool',
			{ node: workflow.getNode('Node')!, data: {}, source: null },
			[],
		);
		try {
			const [items] = await find('socialPublishing').execute.call(context);
			return items.map(({ json }: INodeExecutionData) => json);
		} catch (error) {
			return error;
		}
	};
	if (options.areParallel) return await Promise.all(calls.map(call));
	const results: any[] = [];
	for (const one of calls) results.push(await call(one));
	return results;
}

/** What a field of the panel lists in n8n's editor; of a field with search, what fits `filter`. */
export async function loadOptions(
	name: string,
	credential: IDataObject,
	{ filter, parameters = {}, node }: { filter?: string; parameters?: object; node?: Partial<INode> } = {},
): Promise<INodePropertyOptions[]> {
	await load();
	const workflow = workflowWith({}, { node });
	const additionalData = { ...additionalDataFor(credential, '1'), currentNodeParameters: parameters };
	const context = new LoadOptionsContext(workflow, workflow.getNode('Node')!, additionalData, 'parameters');
	const { loadOptions: plain, listSearch } = find('socialPublishing').methods;
	return plain[name]
		? await plain[name].call(context)
		: (await listSearch[name].call(context, filter)).results;
}

/** The table of operations as built: for tests that walk it. */
export async function table(): Promise<any[]> {
	const built = join(__dirname, '..', '..', 'dist', 'nodes', 'SocialPublishing', 'resources');
	return (await import(built)).resources;
}
