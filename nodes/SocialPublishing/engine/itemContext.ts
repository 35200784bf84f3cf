import merge from 'lodash/merge';
import type { IDataObject } from 'n8n-workflow';

import { Failure, toFailure } from '../../api/errors';
import { canonical, hashOf } from '../idempotency/key';
import type { Planned, Slot } from '../idempotency/record';
import { isFixed } from './checkRows';
import type { CommonOptions, ItemContext, WriteRequest } from './operation';
import type { RunContext } from './runContext';
import { takeOnce } from '../takeOnce';
import { Uploads } from '../media/uploads';

const DEFAULT_MAX_RETRY_WAIT = 60;

/** One item's way to the service. */
export async function createItemContext(
	run: RunContext,
	index: number,
	options: CommonOptions,
): Promise<ItemContext> {
	const client = await run.client;
	const maxWait = (options.maxRetryWait ?? DEFAULT_MAX_RETRY_WAIT) * 1000;

	const write = async (one: WriteRequest) => await item.write(one);
	const uploads = new Uploads(run, run.filesWith(client.limiter), {
		index,
		keyMode: options.idempotencyKeyMode,
		maxWait,
		own: run.operation.value !== 'create',
		write,
	});
	const item: ItemContext = {
		index,
		uploads,
		postFormat: client.address.postFormat,
		zone: run.context.getTimezone(),
		now: run.now,
		typeVersion: run.context.getNode().typeVersion,
		isFixed: (parameter) => isFixed(run.context.getNode().parameters[parameter]),

		async get({ path, qs, workspaceId = options.workspaceId }) {
			return (await client.send({ method: 'GET', path, qs, workspaceId }, maxWait)).data;
		},

		async write(write) {
			const { path, method = run.operation.method, form, additional = true } = write;
			const added = additional ? options.additionalFields : undefined;
			const body = merge({}, write.body, added) as IDataObject;
			if (form) addFields(form, added);
			const workspaceId = write.workspaceId ?? options.workspaceId;
			const planned: Planned = {
				method,
				path,
				...(workspaceId ? { workspaceId } : {}),
				...(!form && (write.body || added) ? { body } : {}),
			};
			const content = canonical(write.content ?? planned);
			const slot = await slotOf(run, index, write, content);
			const opened = run.record.open(slot, planned, {
				mode: options.idempotencyKeyMode ?? 'execution',
				custom: options.idempotencyKey ?? '',
				parts: write.keyParts,
				operation: run.operation.value,
				content: canonical(write.content ?? body),
				check: write.check,
			});
			if ('answer' in opened) return opened.answer;
			if ('failure' in opened) throw new Failure(opened.failure);
			const { key, request, entry } = opened;
			write.sent?.(request.body ?? {});
			try {
				const { data, requestId } = await client.send(
					{ ...request, ...(form ? { body: form } : {}), method, idempotencyKey: key },
					maxWait,
				);
				const answer: IDataObject = {
					...(data as IDataObject | undefined),
					idempotency_key: key,
					...(requestId ? { request_id: requestId } : {}),
				};
				run.record.done(entry, answer, path);
				return answer;
			} catch (error) {
				const failure = toFailure(error).with({ idempotency_key: key });
				run.record.failed(entry, failure);
				throw failure;
			}
		},

		async waitFor(id, { waitFor, timeout, known, scheduledAt }) {
			const poller = await run.poller;
			const { workspaceId } = options;
			const path = `/posts/${encodeURIComponent(id)}`;
			return await poller.until({
				id,
				waitFor,
				timeout,
				known,
				scheduledAt,
				get: async (until) =>
					(await client.send({ method: 'GET', path, workspaceId }, Infinity, until)).data as IDataObject,
			});
		},

		async list({ path, ignoresWorkspace }) {
			if (ignoresWorkspace)
				return await run.list(path, '', async () => await item.get({ path, workspaceId: null }));
			return await run.list(path, options.workspaceId, async () => await item.get({ path }));
		},

		async takeOnce(values) {
			return await takeOnce(run.context, (await run.scope).id, values);
		},
	};
	return item;
}

/** Where a write stands among the writes of an execution, and what its key is made of in mode `execution`. */
async function slotOf(
	run: RunContext,
	index: number,
	{ path, part = '' }: WriteRequest,
	content: string,
): Promise<Slot> {
	const { context, isTool } = run;
	const scope = await run.scope;
	const hash = hashOf(content);
	// An item may upload files and then post them: each kind of write has places of its own.
	const suffix = `/${path.split('/')[1] ?? ''}/${part}`;
	const node = [context.getInstanceId(), context.getWorkflow().id ?? '', context.getNode().id, scope.id];
	if (isTool)
		// n8n counts each call and each try of a tool as a run of its own: only the content tells wishes apart.
		return { parts: [...node, hash], run: 'tool:', index: hash, part, suffix, item: '', hash };
	const runIndex = run.runIndex(index);
	// Calls of a sub-workflow with the same input can't be told apart by anything else than what they send.
	const parts = [...node, runIndex, index, ...(scope.nested ? [hash] : [])];
	return {
		parts,
		run: `${runIndex}:`,
		index: String(index),
		part,
		suffix,
		item: run.itemHash(index),
		hash,
	};
}

/** The user's additional fields, as fields of a multipart body. */
function addFields(form: FormData, fields: IDataObject = {}): void {
	for (const [name, value] of Object.entries(fields))
		form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
}
