import type { IExecuteFunctions } from 'n8n-workflow';

import { hashOf } from './key';

/** What all tries of an execution have in common, however often n8n runs the node for it. */
export interface ExecutionScope {
	/** Stays the same in every retry of an execution, also after a crash; differs between executions. */
	id: string;
	/** The execution is a sub-workflow's: a retry of the calling execution starts it anew, as a new execution. */
	isSubWorkflow: boolean;
	/** A retry that can't know what the execution before has sent: see {@link ownScope}. */
	cannotMatchOriginal: boolean;
}

/** Which execution this is a try of, as it was found first; kept in the node's context. */
export async function findExecutionScope(context: IExecuteFunctions): Promise<ExecutionScope> {
	const memory = context.getContext('node');
	const known = memory.executionScope as ExecutionScope | undefined;
	const scope = known ?? (await callersScope(context)) ?? ownScope(context);
	memory.executionScope = { ...scope };
	return scope;
}

/**
 * n8n makes a random token for every execution (the one in its resume address) and hands it to every retry, also where the
 * process died and the node's context was lost. Before 2.14 there is none: the first execution's ID, if n8n kept that.
 */
function ownScope(context: IExecuteFunctions): ExecutionScope {
	const url = String(context.getWorkflowDataProxy(0).$execution?.resumeUrl);
	const token = URL.canParse(url) ? new URL(url).search : '';
	return {
		id: token ? hashOf(token) : `execution:${context.getExecutionId()}`,
		isSubWorkflow: false,
		cannotMatchOriginal: !token && context.getMode() === 'retry',
	};
}

/**
 * Of a sub-workflow: the execution that called it first of all. When that is retried, the sub-workflow runs as an execution of
 * its own that shares only this with the one before; what it was called with may differ (`$now`).
 */
async function callersScope(context: IExecuteFunctions): Promise<ExecutionScope | undefined> {
	let parent = context.getExecutionContext?.()?.parentExecutionId;
	let token: string | undefined;
	while (parent) {
		const data = await context.getExecutionDataById(parent).catch(() => undefined);
		if (!data?.resumeToken) return undefined;
		token = data.resumeToken;
		parent = data.executionData?.runtimeData?.parentExecutionId;
	}
	if (!token) return undefined;
	return { id: hashOf(token), isSubWorkflow: true, cannotMatchOriginal: false };
}
