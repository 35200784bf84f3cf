import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { connect } from '../api/connect';
import { Failure, toErrorItem } from '../api/errors';
import type { Shared } from './claims';
import { LONGEST_WAIT, stateOf } from './seen';
import type { Settings } from './settings';
import { readOptions } from './settings';

/** How long fetching a post is tried again, in ms. */
const LONGEST_FETCH = 10_000;

/**
 * The events of an execution that `webhook()` started, without those that another execution has: the second look,
 * from n8n's database, after restarts and across processes.
 */
export async function handOn(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const settings = readOptions(context.getNodeParameter('options', 0, {}) as IDataObject);
	const items = context.getInputData();
	const out: INodeExecutionData[] = [];
	for (const [item, { json }] of items.entries()) {
		if (!(await isOurs(context, json, settings))) continue;
		const more = settings.attachPost ? await attached(context, json, settings) : {};
		out.push({ json: { ...json, ...more }, pairedItem: { item } });
	}
	return out;
}

/** Tests and retries (of a crashed execution, too) are somebody's wish: they pass without asking. */
async function isOurs(
	context: IExecuteFunctions,
	{ id: eventId }: IDataObject,
	{ rememberEvents }: Settings,
): Promise<boolean> {
	if (context.getMode() !== 'webhook' || typeof eventId !== 'string') return true;
	const { memory, claims } = stateOf(context.getWorkflow().id ?? '', context.getNode().id);
	const outcome = memory.outcomeOf(eventId);
	// Accepted by this very process: if n8n dies before its answer is out, the copy that then comes must find nothing.
	if (outcome) await Promise.race([outcome, sleep(LONGEST_WAIT)]);
	try {
		const claim = { eventId, executionId: context.getExecutionId() };
		return await claims.claim(claim, sharedList(context, rememberEvents), outcome === undefined);
	} catch (error) {
		// Twice is better than never.
		context.logger.warn(`${context.getNode().name}: n8n's database could not tell whether an event is new`, {
			reason: (error as Error).message,
		});
		return true;
	}
}

/** Two values an event, see {@link Claims}. */
function sharedList({ helpers }: IExecuteFunctions, rememberEvents: number): Shared {
	const options = { mode: 'entries' as const, maxEntries: rememberEvents * 2 };
	return {
		async add(values) {
			const { new: added } = await helpers.checkProcessedAndRecord(values, 'node', options);
			return added.map(String);
		},
	};
}

/** The full post of a post's event; whatever goes wrong, the event is handed on. */
async function attached(
	context: IExecuteFunctions,
	{ data, workspace_id }: IDataObject,
	settings: Settings,
): Promise<IDataObject> {
	const postId = (data as IDataObject | null | undefined)?.post_id;
	if (typeof postId !== 'string' || postId === '') return { post: null };
	try {
		const workspaceId = typeof workspace_id === 'string' ? workspace_id : settings.workspaceId;
		const client = await connect(context);
		const { data: post } = await client.send(
			{
				method: 'GET',
				path: `/posts/${encodeURIComponent(postId)}`,
				...(workspaceId ? { workspaceId } : {}),
			},
			{ until: Date.now() + LONGEST_FETCH },
		);
		return { post: (post ?? null) as IDataObject | null };
	} catch (error) {
		const details =
			error instanceof Failure
				? toErrorItem(error.details)
				: { code: 'NODE_UNEXPECTED', message: (error as Error).message };
		return { post: null, post_error: details };
	}
}
