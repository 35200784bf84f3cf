import chunk from 'lodash/chunk';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { pathSegment } from '../api/address';
import { Failure } from '../api/errors';
import { toErrorItem } from '../api/toNodeError';
import { VALUES_PER_EVENT, type ProcessedList } from '../shared/claims';
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
	const out: INodeExecutionData[] = [];
	// What the derived secret is made from is known where the subscription is made; here no answer holds it.
	const connection = lazily(
		async () =>
			await connectTrigger(context, {
				url: '',
				workspaceId,
				secrets: secretsToHide(context),
				requestMs: FETCH_MS,
			}),
	);
	for (const some of chunk(items, AT_ONCE))
		out.push(
			...(await Promise.all(
				some.map(async ({ json, ...rest }) => ({
					...rest,
					json: { ...json, ...(await attached(connection, json)) },
				})),
			)),
		);
	return out;
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
async function attached(
	connected: () => Promise<Connection>,
	{ data, workspace_id }: IDataObject,
): Promise<IDataObject> {
	const postId = (data as IDataObject | null | undefined)?.post_id;
	if (typeof postId !== 'string' || postId === '') return { post: null };
	try {
		const path = `/posts/${pathSegment(postId, 'Post')}`;
		const workspace = typeof workspace_id === 'string' && workspace_id ? { workspaceId: workspace_id } : {};
		const connection = await connected();
		const post = await connection.get({ path, expects: 'record', ...workspace });
		return { post: (post ?? null) as IDataObject | null };
	} catch (error) {
		const details =
			error instanceof Failure
				? toErrorItem(error.details)
				: { code: 'NODE_UNEXPECTED', message: (error as Error).message };
		return { post: null, post_error: details };
	}
}
