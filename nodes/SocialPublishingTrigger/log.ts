import type { IDataObject } from 'n8n-workflow';

import { stateIn, type NodeContext } from './state';

export function warn(context: NodeContext, message: string, more: IDataObject = {}): void {
	const { name: workflow } = context.getWorkflow();
	context.logger.warn(`${context.getNode().name}: ${message}`, { workflow, ...more });
}

/** A line that would be repeated: once while a workflow is published, or once in a while. `about`: where its words differ. */
export function warnOnce(context: NodeContext, message: string, everyMs = Infinity, about = message): void {
	const { logged } = stateIn(context);
	const now = performance.now();
	if (now - (logged.get(about) ?? -Infinity) < everyMs) return;
	logged.set(about, now);
	warn(context, message);
}

export const reasonOf = (error: unknown): { reason: string } => ({ reason: (error as Error).message });
