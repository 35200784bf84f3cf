import merge from 'lodash/merge';
import type { IDataObject } from 'n8n-workflow';

import { canonical, customKey, keyOf } from '../api/idempotency';
import type { CommonOptions, Item, Write } from './operation';
import type { Run } from './session';

const DEFAULT_MAX_RETRY_WAIT = 60;

/** One item's way to the service. */
export async function createItem(run: Run, index: number, options: CommonOptions): Promise<Item> {
	const client = await run.client;
	const maxWait = (options.maxRetryWait ?? DEFAULT_MAX_RETRY_WAIT) * 1000;

	const item: Item = {
		index,
		postFormat: client.address.postFormat,
		zone: run.context.getTimezone(),
		now: run.now,

		async get({ path, qs, workspaceId = options.workspaceId }) {
			return (await client.send({ method: 'GET', path, qs, workspaceId }, maxWait)).data;
		},

		async write(write) {
			const { path, method = run.operation.method } = write;
			const body = merge({}, write.body, options.additionalFields) as IDataObject;
			const idempotencyKey = writeKey(run, index, options, { ...write, body });
			const { data, requestId } = await client.send(
				{
					method,
					path,
					...(write.body || options.additionalFields ? { body } : {}),
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
	};
	return item;
}

/** The key of a write in the mode that the user chose. */
function writeKey(run: Run, index: number, options: CommonOptions, { path, body, part = '' }: Write): string {
	const { context, operation } = run;
	if (options.idempotencyKeyMode === 'custom') return customKey(options.idempotencyKey ?? '', part);
	if (options.idempotencyKeyMode === 'content')
		return keyOf('content', options.workspaceId ?? '', operation.value, path, part, canonical(body));
	return keyOf(
		'execution',
		context.getInstanceId(),
		context.getWorkflow().id ?? '',
		context.getNode().id,
		run.rootExecution,
		Number(context.getWorkflowDataProxy(index).$runIndex),
		index,
		operation.value,
		part,
	);
}
