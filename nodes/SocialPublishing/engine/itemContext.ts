import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../api/address';
import type { Client } from '../../api/client';
import { records } from '../../api/lists';
import { Uploads } from '../media/uploads';
import { planWrite, previewWrite, sendWrite, type WriteItem, type WriteRequest } from '../writes/write';
import type { CommonOptions, ItemContext } from './operation';
import type { RunContext } from './runContext';

const DEFAULT_MAX_RETRY_WAIT_S = 60;

const cannotMatchOriginal =
	"n8n did not keep what the original execution sent, and before version 2.14 a retry can't be matched with it, so posts may have been sent twice. To prevent this, set 'Avoid Duplicates' to 'Same Text and Time' or 'My Own ID', or update n8n.";

/** One item's way to the service. */
export function createItemContext(
	run: RunContext,
	client: Client,
	index: number,
	options: CommonOptions,
): ItemContext {
	const { address, pace } = client;
	const { workspaceId, previewOnly = false, idempotencyKeyMode: keyMode = 'execution' } = options;
	const maxWaitMs = (options.maxRetryWait ?? DEFAULT_MAX_RETRY_WAIT_S) * 1000;
	const own: WriteItem = { run, index, options, client };

	const item: ItemContext = {
		index,
		postFormat: address.postFormat,
		zone: run.zone,
		now: run.now,
		previewOnly,
		apiUrl: address.apiUrl,

		async get({ path, qs, workspaceId: other = workspaceId, expects }) {
			return await client.send({ method: 'GET', path, qs, workspaceId: other, expects }, maxWaitMs);
		},

		async list({ path, qs, listNames }) {
			const { data } = await item.get({ path, ...(qs ? { qs } : {}), expects: { list: listNames } });
			return records(data, listNames);
		},

		once: async (name, make) => await run.once(name, workspaceId, make),

		sentPosts: async () => await run.sentPosts(workspaceId || address.workspaceId),

		async write(request) {
			if (keyMode === 'execution' && (await run.scope).cannotMatchOriginal)
				run.warnings.add(cannotMatchOriginal);
			return await sendWrite(own, await planWrite(own, request), maxWaitMs);
		},

		async preview(request) {
			return await previewWrite(own, await planWrite(own, request));
		},

		sentBefore: (path, part) => run.sentBefore(own, path, part),

		warn: (message) => void run.postWarnings.set(message, (run.postWarnings.get(message) ?? 0) + 1),

		inform: (message) => void run.notes.add(message),

		async waitFor(id, { waitFor, timeout, known, scheduledAt }) {
			const poller = await run.poller;
			const path = `/posts/${pathSegment(id, 'Post')}`;
			return await poller.until({
				id,
				waitFor,
				timeout,
				known,
				scheduledAt,
				get: async (withinMs) =>
					(await client.send({ method: 'GET', path, workspaceId, expects: 'record' }, { withinMs }))
						.data as IDataObject,
			});
		},

		uploads: new Uploads(run, run.filesWith(pace), {
			index,
			byContent: keyMode === 'content' || run.isByHand,
			keyMode,
			maxWait: maxWaitMs,
			workspaceId: workspaceId || address.workspaceId,
			write: async (request: WriteRequest) => (await item.write(request)).response,
		}),
	};
	return item;
}
