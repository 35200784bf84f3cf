import type { IDataObject, Logger } from 'n8n-workflow';

import { stateIn, type NodeContext } from './state';

interface Context extends NodeContext {
	getWorkflow(): { id?: string; name?: string };
	getNode(): { id: string; name: string };
	logger: Logger;
}

/** A line in n8n's log. */
export function warn(context: Context, message: string, more: IDataObject = {}): void {
	const { name: workflow } = context.getWorkflow();
	context.logger.warn(`${context.getNode().name}: ${message}`, { workflow, ...more });
}

/** What stays as it is, once while a workflow is published, or once in a while. */
export function warnOnce(context: Context, message: string, everyMs = Infinity): void {
	const { said } = stateIn(context);
	const now = Date.now();
	if (Math.abs(now - (said.get(message) ?? -Infinity)) < everyMs) return;
	said.set(message, now);
	warn(context, message);
}

/** Why something did not work, for a line in the log. */
export const reasonOf = (error: unknown): { reason: string } => ({ reason: (error as Error).message });
