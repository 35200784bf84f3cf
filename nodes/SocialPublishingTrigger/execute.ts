import { compact, once, uniq } from 'lodash';
import { sleep, type IDataObject, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { pathSegment } from '../api/address';
import { limitConcurrency } from '../api/concurrency';
import { toErrorItem, toFailure } from '../api/failure';
import { postEndOf } from '../api/postEnds';
import { postIdIn, workspaceIdIn } from '../api/records';
import { VALUES_PER_EVENT, type AddProcessed } from '../shared/claims';
import { connectTrigger, LIMIT_WINDOW_MS, type Connection } from './connection';
import { reasonOf, warn } from './log';
import { settingsOf, type Settings } from './settings';
import { stateIn } from './state';
import { MAX_WAIT_MS } from './tracker';

/** Nobody waits: the delivery is answered. The posts of 500 events are ten minutes' reads on the lowest plan. */
const FETCH_LIMITS = { requestMs: LIMIT_WINDOW_MS, totalMs: 15 * 60_000 };

/** The events of an execution, without those that another one has: by n8n's database, across restarts and processes. */
export async function emitEvents(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const getNodeParameter = (name: string, missing: unknown) => context.getNodeParameter(name, 0, missing);
	const settings = settingsOf({ getNodeParameter });
	const items = context.getInputData().map(({ json }, item) => ({ json, pairedItem: { item } }));
	const claimed = await Promise.all(items.map(async ({ json }) => await isClaimed(context, json, settings)));
	const out = items.filter((_, index) => claimed[index]);
	return settings.includePost ? await withPosts(context, out, settings) : out;
}

async function withPosts(context: IExecuteFunctions, items: INodeExecutionData[], { workspaceId }: Settings) {
	// An execution doesn't know the address that the derived secret is made from.
	const setup = { url: '', workspaceId, secrets: stateIn(context).knownSecrets, ...FETCH_LIMITS };
	const connected = once(async () => await connectTrigger(context, setup));
	const limit = limitConcurrency(5);
	return await Promise.all(
		items.map(async ({ json, ...rest }) => {
			const attachment = await limit(async () => await postFor(json, connected));
			return { ...rest, json: { ...json, post: json.post ?? null, ...attachment } };
		}),
	);
}

/** Test runs and retries are deliberate: never deduplicate them. A retry's events are recorded, or a check would recover them. */
async function isClaimed(context: IExecuteFunctions, event: IDataObject, settings: Settings) {
	const mode = context.getMode();
	const { id: eventId } = event;
	const executionId = context.getExecutionId();
	if (!['webhook', 'trigger', 'retry'].includes(mode) || typeof eventId !== 'string') return true;
	const { tracker, claims } = stateIn(context);
	const outcome = tracker.outcomeOf(eventId);
	// If n8n dies before this process has answered, the copy that then comes must find nothing recorded.
	if (outcome && mode === 'webhook') await Promise.race([outcome, sleep(MAX_WAIT_MS)]);
	// One after another, so that the one of several copies which has the event has the post's end, too.
	const ids = uniq(compact([eventId, settings.catchUpFromPosts && postEndOf(event)]));
	const maxEntries = settings.rememberEvents * VALUES_PER_EVENT * (settings.catchUpFromPosts ? 2 : 1);
	const options = { mode: 'entries' as const, maxEntries };
	const add: AddProcessed = async (more) =>
		(await context.helpers.checkProcessedAndRecord(more, 'node', options)).new.map(String);
	let isFirst = true;
	try {
		for (const id of ids)
			isFirst &&= await claims.claim({ eventId: id, executionId }, add, outcome === undefined);
	} catch (error) {
		// Twice is better than never.
		warn(context, "n8n's database could not say whether an event is new", reasonOf(error));
	}
	for (const id of ids) if (mode !== 'webhook' || id !== eventId) tracker.markProcessed(id);
	return isFirst || mode === 'retry';
}

/** The full post of a post's event; whatever goes wrong, the event is passed on. */
async function postFor(event: IDataObject, connected: () => Promise<Connection>) {
	const postId = postIdIn(event);
	if (postId === undefined) return {};
	try {
		const path = `/posts/${pathSegment(postId, 'Post')}`;
		const { send, redact } = await connected();
		const request = { method: 'GET', path, expects: 'record', workspaceId: workspaceIdIn(event) } as const;
		// Not counted in the budget of checks: many events would leave it no room.
		const { data } = await send(request);
		return { post: redact(data as IDataObject) };
	} catch (error) {
		return { post_error: toErrorItem(toFailure(error).details) };
	}
}
