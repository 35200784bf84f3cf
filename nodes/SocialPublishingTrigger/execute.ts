import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { pathSegment } from '../api/address';
import { limitConcurrency } from '../api/concurrency';
import { toFailure } from '../api/failure';
import { isRecord } from '../api/lists';
import { toErrorItem } from '../api/toNodeError';
import { VALUES_PER_EVENT, type ProcessedList } from '../shared/claims';
import { isText } from '../shared/webhooks';
import { connectTrigger, type Connection } from './connection';
import { lazily, LONGEST_WAIT_MS } from './dedupe';
import { reasonOf, warn } from './log';
import { postEndOf } from './missedEvents';
import { secretsToHide } from './secrets';
import { readOptions, type Options } from './settings';
import { stateIn } from './state';

/** How long fetching a post is tried again. */
const FETCH_MS = 10_000;

/** How many posts are fetched at the same time. */
const AT_ONCE = 5;

/**
 * The events of an execution, without those that another execution has: the second look, from n8n's database, after
 * restarts and across processes. Events that were caught up are told by it, too.
 */
export async function emitEvents(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const settings = readOptions(context.getNodeParameter('options', 0, {}) as IDataObject);
	const items = context.getInputData().map(({ json }, item) => ({ json, pairedItem: { item } }));
	const ours = await Promise.all(items.map(async ({ json }) => await isOurs(context, json, settings)));
	const out = items.filter((_, index) => ours[index]);
	const includePost = context.getNodeParameter('includePost', 0, true) === true;
	return includePost ? await withPosts(context, out, settings) : out;
}

async function withPosts(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
	{ workspaceId }: Options,
): Promise<INodeExecutionData[]> {
	// What the derived secret is made from is known where the subscription is made; here no answer holds it.
	const setup = { url: '', workspaceId, secrets: secretsToHide(context), requestMs: FETCH_MS };
	const connection = lazily(async () => await connectTrigger(context, setup));
	const limit = limitConcurrency(AT_ONCE);
	return await Promise.all(
		items.map(async ({ json, ...rest }) => {
			const attachment = await limit(async () => await postFor(json, connection));
			return { ...rest, json: { ...json, ...attachment } };
		}),
	);
}

/** Tests and retries (of a crashed execution, too) are somebody's wish: they pass without asking. */
async function isOurs(context: IExecuteFunctions, event: IDataObject, settings: Options): Promise<boolean> {
	const mode = context.getMode();
	const { id: eventId } = event;
	if ((mode !== 'webhook' && mode !== 'trigger') || typeof eventId !== 'string') return true;
	const { tracker, claims } = stateIn(context);
	const outcome = tracker.outcomeOf(eventId);
	// Accepted by this very process: if n8n dies before its answer is out, the copy that then comes must find nothing.
	// An execution that catches up was not asked for by anybody who waits for an answer.
	if (outcome && mode === 'webhook') await Promise.race([outcome, sleep(LONGEST_WAIT_MS)]);
	// One after another: of copies, only the one that has the event asks for the post's end. So one of them has both.
	const ids = [...new Set([eventId, (settings.catchUpFromPosts && postEndOf(event)) || eventId])];
	let isOurs = true;
	try {
		for (const id of ids) {
			const claim = { eventId: id, executionId: context.getExecutionId() };
			isOurs &&= await claims.claim(claim, processedList(context, settings), outcome === undefined);
		}
	} catch (error) {
		// Twice is better than never.
		warn(context, "n8n's database could not tell whether an event is new", reasonOf(error));
	}
	for (const id of ids) if (mode === 'trigger' || id !== eventId) tracker.markProcessed(id);
	return isOurs;
}

function processedList(
	{ helpers }: IExecuteFunctions,
	{ rememberEvents, catchUpFromPosts }: Options,
): ProcessedList {
	const values = VALUES_PER_EVENT * (catchUpFromPosts ? 2 : 1);
	const options = { mode: 'entries' as const, maxEntries: rememberEvents * values };
	return {
		async add(values) {
			const { new: added } = await helpers.checkProcessedAndRecord(values, 'node', options);
			return added.map(String);
		},
	};
}

/** The full post of a post's event; whatever goes wrong, the event is handed on. */
async function postFor(
	{ data, workspace_id }: IDataObject,
	connected: () => Promise<Connection>,
): Promise<{ post: IDataObject | null; post_error?: IDataObject }> {
	const postId = isRecord(data) ? data.post_id : undefined;
	if (!isText(postId)) return { post: null };
	try {
		const path = `/posts/${pathSegment(postId, 'Post')}`;
		const workspace = isText(workspace_id) ? { workspaceId: workspace_id } : {};
		const { get } = await connected();
		return { post: (await get({ path, expects: 'record', ...workspace })) as IDataObject };
	} catch (error) {
		return { post: null, post_error: toErrorItem(toFailure(error).details) };
	}
}
