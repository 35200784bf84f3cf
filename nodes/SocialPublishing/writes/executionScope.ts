import { attempt, isError } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

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

/**
 * What n8n stores of the node with its execution, and hands to each retry: scope, first run, journal, numbers of equal writes.
 * A crash loses it. n8n's own agents run a tool without an execution: nothing is stored then.
 */
export function memoryOf(n8n: IExecuteFunctions): IDataObject {
	const memory = attempt(() => n8n.getContext('node'));
	return isError(memory) ? {} : memory;
}

/**
 * Which execution this is a try of, as it was found first; kept in the node's context.
 * @param creates false for what sets a state: a sub-workflow's call sends it each time, and is known by its own execution
 */
export async function findExecutionScope(
	context: IExecuteFunctions,
	memory: IDataObject,
	creates: boolean,
): Promise<ExecutionScope> {
	memory.executionScope ??= { ...((creates && (await callersScope(context))) || ownScope(context)) };
	return memory.executionScope as unknown as ExecutionScope;
}

/** n8n hands the token in an execution's resume address to each retry, also after a crash; before 2.14 there is none. */
function ownScope(context: IExecuteFunctions): ExecutionScope {
	const url = String(context.getWorkflowDataProxy(0).$execution?.resumeUrl);
	const token = URL.canParse(url) ? new URL(url).search : '';
	// A call over MCP has no ID.
	const executionId = (context.getExecutionId() as string | undefined) ?? randomUUID();
	return {
		id: token ? hashOf(token) : `execution:${executionId}`,
		isSubWorkflow: false,
		cannotMatchOriginal: !token && context.getMode() === 'retry',
	};
}

/** The execution that called a sub-workflow first of all: when it is retried, the sub-workflow runs as a new one. */
async function callersScope(context: IExecuteFunctions): Promise<ExecutionScope | undefined> {
	const read = async (id: string) => await context.getExecutionDataById(id).catch(() => undefined);
	let called = context.getExecutionId();
	let run = context.getExecutionContext?.();
	let token: string | undefined;
	// An error workflow is a run of its own: n8n names the execution that failed as its parent.
	while (run?.parentExecutionId && run.source !== 'error') {
		const caller = run.parentExecutionId;
		const data = await read(caller);
		// Of one by hand n8n stores nothing before it has ended, but with what it called it stores when it began.
		run = data?.executionData?.runtimeData ?? (await read(called))?.parentExecution?.executionContext;
		token = run?.source === 'manual' ? `by hand ${run.establishedAt}` : data?.resumeToken;
		called = caller;
	}
	if (!token) return undefined;
	return { id: hashOf(token), isSubWorkflow: true, cannotMatchOriginal: false };
}
