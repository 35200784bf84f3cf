import merge from 'lodash/merge';
import type { IDataObject } from 'n8n-workflow';

import { canonical, customKey, keyOf } from '../api/idempotency';
import type { CommonOptions, Item, Write } from './operation';
import type { Run } from './session';
import { takeOnce } from './takeOnce';
import { Uploads } from './uploads';

const DEFAULT_MAX_RETRY_WAIT = 60;

/** One item's way to the service. */
export async function createItem(run: Run, index: number, options: CommonOptions): Promise<Item> {
	const client = await run.client;
	const maxWait = (options.maxRetryWait ?? DEFAULT_MAX_RETRY_WAIT) * 1000;

	const write = async (one: Write) => await item.write(one);
	const uploads = new Uploads(run, run.filesWith(client.pace), {
		index,
		keyMode: options.idempotencyKeyMode,
		maxWait,
		own: run.operation.value !== 'create',
		write,
	});
	const item: Item = {
		index,
		uploads,
		postFormat: client.address.postFormat,
		zone: run.context.getTimezone(),
		now: run.now,

		async get({ path, qs, workspaceId = options.workspaceId }) {
			return (await client.send({ method: 'GET', path, qs, workspaceId }, maxWait)).data;
		},

		async write(write) {
			const { path, method = run.operation.method, form, additional = true } = write;
			const added = additional ? options.additionalFields : undefined;
			const body = merge({}, write.body, added) as IDataObject;
			const idempotencyKey = writeKey(run, index, options, { ...write, body });
			if (form) addFields(form, added);
			const { data, requestId } = await client.send(
				{
					method,
					path,
					...(form ? { body: form } : write.body || added ? { body } : {}),
					workspaceId: write.workspaceId ?? options.workspaceId,
					idempotencyKey,
				},
				maxWait,
			);
			return {
				...(data as IDataObject | undefined),
				idempotency_key: idempotencyKey,
				...(requestId ? { request_id: requestId } : {}),
			};
		},

		async accounts() {
			return await run.accounts(options.workspaceId, async () => await item.get({ path: '/accounts' }));
		},

		async takeOnce(values) {
			return await takeOnce(run.context, run.rootExecution, values);
		},
	};
	return item;
}

/** The user's additional fields, as fields of a multipart body. */
function addFields(form: FormData, fields: IDataObject = {}): void {
	for (const [name, value] of Object.entries(fields))
		form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** The key of a write in the mode that the user chose. */
function writeKey(
	run: Run,
	index: number,
	options: CommonOptions,
	{ path, body, content = body, part = '' }: Write,
): string {
	const { context, operation } = run;
	if (options.idempotencyKeyMode === 'custom') return customKey(options.idempotencyKey ?? '', part);
	if (options.idempotencyKeyMode === 'content')
		return keyOf('content', options.workspaceId ?? '', operation.value, path, part, canonical(content));
	return keyOf(
		'execution',
		context.getInstanceId(),
		context.getWorkflow().id ?? '',
		context.getNode().id,
		run.rootExecution,
		run.runIndex(index),
		index,
		operation.value,
		part,
	);
}
