import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { canonical, hashOf } from './key';

/** What all tries of an execution have in common, however often n8n runs the node for it. */
export interface ExecutionScope {
	/** Stays the same in every retry of an execution, also after a crash; differs between executions. */
	id: string;
	/** The execution is a sub-workflow's: a retry of the calling execution starts it anew, as a new execution. */
	isSubWorkflow: boolean;
	/**
	 * A retry that can't know what the execution before has sent: n8n kept nothing of that, and before 2.14 gives
	 * executions no token that a retry shares.
	 */
	cannotMatchOriginal: boolean;
}

/** How many calling executions to go up. */
const MAX_CALLERS = 10;

/**
 * Which execution this is a try of. n8n makes a random token for every execution (the one in its resume address), stores
 * it before the first node runs, and hands it to every retry, also of an execution whose process died and whose node
 * context was lost with it. Kept in the node's context as a hash. Without a token: the first execution's ID.
 */
export async function findExecutionScope(context: IExecuteFunctions): Promise<ExecutionScope> {
	const memory = context.getContext('node');
	const known = memory.executionScope as ExecutionScope | undefined;
	const scope = known ?? (await callersScope(context)) ?? ownScope(context);
	memory.executionScope = { ...scope };
	return scope;
}

function ownScope(context: IExecuteFunctions): ExecutionScope {
	const id = ownToken(context);
	return {
		id: id ?? `execution:${context.getExecutionId()}`,
		isSubWorkflow: false,
		cannotMatchOriginal: id === undefined && context.getMode() === 'retry',
	};
}

/** The token in the execution's resume address, hashed. */
function ownToken(context: IExecuteFunctions): string | undefined {
	try {
		const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: { resumeUrl: string } };
		const token = new URL($execution!.resumeUrl).search;
		return token === '' ? undefined : hashOf(token);
	} catch {
		return undefined;
	}
}

/**
 * Of a sub-workflow: the execution that called it first of all, and what it was called with. When the
 * caller is retried, the sub-workflow runs as an execution of its own that shares only this with the one before.
 */
async function callersScope(context: IExecuteFunctions): Promise<ExecutionScope | undefined> {
	let parent = context.getExecutionContext?.()?.parentExecutionId;
	let token: string | undefined;
	for (let depth = 0; parent && depth < MAX_CALLERS; depth++) {
		const data = await context.getExecutionDataById(parent).catch(() => undefined);
		if (!data?.resumeToken) return undefined;
		token = data.resumeToken;
		parent = data.executionData?.runtimeData?.parentExecutionId;
	}
	if (!token) return undefined;
	return { id: hashOf(`${token}\n${calledWith(context)}`), isSubWorkflow: true, cannotMatchOriginal: false };
}

/** The items that a sub-workflow was called with. */
function calledWith(context: IExecuteFunctions): string {
	const trigger = context
		.getParentNodes(context.getNode().name)
		.find(({ type }) => type.toLowerCase().endsWith('executeworkflowtrigger'));
	if (!trigger) return '';
	try {
		const { $ } = context.getWorkflowDataProxy(0) as {
			$: (name: string) => { all: (output: number, run: number) => Array<{ json: IDataObject }> };
		};
		return canonical(
			$(trigger.name)
				.all(0, 0)
				.map(({ json }) => json),
		);
	} catch {
		return '';
	}
}
