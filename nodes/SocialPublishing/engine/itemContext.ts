import merge from 'lodash/merge';
import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../api/address';
import { Failure, toFailure } from '../../api/errors';
import { notConfirmed } from '../../api/errorTexts';
import { isRecord, records } from '../../api/lists';
import { canonical, hashOf } from '../idempotency/key';
import type { KeyChoice, Wish } from '../idempotency/record';
import type { FrozenRequest } from '../idempotency/writeRecord';
import { isFixed } from './checkRows';
import type { CommonOptions, ItemContext, WriteRequest } from './operation';
import type { RunContext } from './runContext';
import { sendProbe } from '../../shared/probe';
import { binaryData } from '../media/sources';
import { Uploads } from '../media/uploads';

const DEFAULT_MAX_RETRY_WAIT = 60;

const blindRetry =
	"n8n kept nothing of what the execution before has sent, and before version 2.14 it gives a retry nothing to recognise it by: what was sent then may have been sent again. To rule that out, set 'Avoid Duplicates' to 'Same Text and Time' or 'My Own ID', or update n8n.";

/** One item's way to the service. */
export async function createItemContext(
	run: RunContext,
	index: number,
	options: CommonOptions,
): Promise<ItemContext> {
	const client = await run.client;
	const maxWait = (options.maxRetryWait ?? DEFAULT_MAX_RETRY_WAIT) * 1000;

	const plan = async (one: WriteRequest): Promise<PlannedWrite> =>
		await planWrite(run, index, options, client.address.workspaceId, one);
	const write = async (one: WriteRequest): Promise<IDataObject> => await item.write(one);
	const uploads = new Uploads(run, run.filesWith(client.limiter), {
		index,
		keyMode: options.idempotencyKeyMode,
		maxWait,
		workspaceId: options.workspaceId || client.address.workspaceId,
		write,
	});
	const item: ItemContext = {
		index,
		uploads,
		postFormat: client.address.postFormat,
		zone: run.context.getTimezone(),
		now: run.now,
		previewOnly: options.previewOnly ?? false,
		file: (field) => binaryData(run.context, index, field),
		isFixed: (parameter) => isFixed(run.context.getNode().parameters[parameter]),

		async get(request) {
			return (await item.answer(request)).data;
		},

		async answer({ path, qs, workspaceId = options.workspaceId, expects }) {
			return await client.send({ method: 'GET', path, qs, workspaceId, expects }, maxWait);
		},

		apiUrl: client.address.apiUrl,

		probe: async (url) => await sendProbe(run.context, url),

		async write(write) {
			const { wish, planned, choice, form, body, said } = await plan(write);
			const record = item.previewOnly ? run.draft : run.record;
			const byHand = choice.mode === 'execution' && !choice.sensitive ? await run.byHand : undefined;
			const before = byHand && !record.has(wish, planned, choice) ? byHand.take(said) : undefined;
			if (before) byHand!.note(record.adopt(wish, before), said);
			if (item.previewOnly) return previewOf(run, { wish, planned, choice, form });
			if (choice.mode === 'execution' && (await run.scope).blind) client.warnings.add(blindRetry);
			const opened = run.record.open(wish, planned, choice);
			if (!('key' in opened)) run.givenBack++;
			if ('failure' in opened) throw new Failure(opened.failure);
			if ('answer' in opened) {
				write.sent?.(opened.body);
				return opened.answer;
			}
			const { key, request, sending } = opened;
			byHand?.note(sending.record, said);
			write.sent?.(request.body ?? body);
			try {
				const { data, requestId } = await client.send(
					{
						...request,
						...(form ? { body: form } : {}),
						workspaceId: workspaceFor(request, client.address.workspaceId),
						method: planned.method,
						idempotencyKey: key,
						expects: write.expects ?? (planned.method === 'DELETE' ? 'anything' : 'record'),
					},
					maxWait,
				);
				const answer: IDataObject = {
					...(isRecord(data) ? data : {}),
					idempotency_key: key,
					...(requestId ? { request_id: requestId } : {}),
				};
				run.record.answered(sending, answer);
				return answer;
			} catch (error) {
				const failure = notConfirmed(toFailure(error)).with({ idempotency_key: key });
				run.record.failed(sending, failure);
				throw failure;
			}
		},

		async sentBefore(write) {
			const { wish, planned, choice } = await plan(write);
			// A tool's calls are told apart by what they send alone.
			return run.isTool ? [] : run.record.sentBefore(wish, planned, choice);
		},

		async waitFor(id, { waitFor, timeout, known, scheduledAt }) {
			const poller = await run.poller;
			const { workspaceId } = options;
			const path = `/posts/${pathSegment(id, 'Post')}`;
			return await poller.until({
				id,
				waitFor,
				timeout,
				known,
				scheduledAt,
				get: async (until) =>
					(await client.send({ method: 'GET', path, workspaceId, expects: 'record' }, { until })).data,
			});
		},

		async list({ path, listNames, ignoresWorkspace }) {
			const workspace = ignoresWorkspace ? { workspaceId: null } : {};
			const expects = { list: listNames };
			const ask = async () => records(await item.get({ path, ...workspace, expects }), listNames);
			return await run.list(path, ignoresWorkspace ? '' : options.workspaceId, ask);
		},
	};
	return item;
}

/** The credential's own workspace is left to the client, which knows it by name, too. */
const workspaceFor = ({ workspaceId = '' }: FrozenRequest, own: string): string | null | undefined =>
	workspaceId === own ? undefined : workspaceId || null;

/** What a write would send; nothing is sent and nothing remembered. */
function previewOf(
	run: RunContext,
	{ wish, planned, choice, form }: Omit<PlannedWrite, 'body' | 'said'>,
): IDataObject {
	const opened = run.draft.open(wish, planned, { ...choice, check: undefined });
	const { method, path, body, workspaceId } = 'key' in opened ? opened.request : planned;
	const fields = form
		? Object.fromEntries([...form].map(([name, value]) => [name, fieldOf(value)]))
		: undefined;
	const sent = 'answer' in opened || 'failure' in opened;
	const answer = 'answer' in opened ? opened.answer : undefined;
	return {
		preview: true,
		request: { method, path, ...(body ? { body } : {}), ...(fields ? { form: fields } : {}) },
		...(workspaceId ? { workspace_id: workspaceId } : {}),
		...('key' in opened ? { idempotency_key: opened.key } : {}),
		...(answer?.idempotency_key ? { idempotency_key: answer.idempotency_key } : {}),
		warnings: sent ? ['It was sent already: it is not sent again'] : [],
	};
}

/** A field of a multipart body; of a file its name. */
const fieldOf = (value: string | { name: string }): string =>
	typeof value === 'string' ? value : value.name;

/** A write as it is asked for now, which wish it belongs to, and what its key is made of. */
interface PlannedWrite {
	wish: Wish;
	planned: FrozenRequest;
	choice: KeyChoice;
	body: IDataObject;
	form?: FormData;
	/** Hash of where it goes and what it says. */
	said: string;
}

async function planWrite(
	run: RunContext,
	index: number,
	options: CommonOptions,
	credentialWorkspace: string,
	write: WriteRequest,
): Promise<PlannedWrite> {
	const { path, method = run.operation.method, form, additional = true, part = '', targets = [part] } = write;
	const added = additional ? options.additionalFields : undefined;
	const body = merge({}, write.body, added) as IDataObject;
	if (form) addFields(form, added);
	const chosen = (write.workspaceId === undefined ? options.workspaceId : write.workspaceId) ?? '';
	const workspaceId = write.workspaceId === null ? '' : chosen || credentialWorkspace;
	const request = { method, path, ...(!form && (write.body || added) ? { body } : {}) };
	const hasMore = added !== undefined && Object.keys(added).length > 0;
	const { content = body } = write;
	const whole = write.content !== undefined && hasMore ? { content, added } : content;
	const fixed = write.timeMoves ? omit(content as IDataObject, ['scheduled_at', 'schedule_at']) : content;
	return {
		wish: {
			...(await placeOf(
				run,
				index,
				hashOf(canonical([method, path, chosen, whole])),
				hashOf(canonical(whole)),
			)),
			part,
			targets,
		},
		planned: { ...request, workspaceId },
		choice: {
			mode: options.idempotencyKeyMode ?? 'execution',
			custom: options.idempotencyKey ?? '',
			operation: run.operation.value,
			parts: write.keyParts && [chosen, method, path, ...write.keyParts],
			content: [workspaceId, canonical(whole)],
			check: write.check,
			sensitive: write.sensitive,
		},
		body,
		form,
		said: hashOf(canonical([method, path, workspaceId, part, targets, fixed, added ?? {}])),
	};
}

/**
 * Where a write stands among the writes of an execution, and what its key is made of in mode `execution`.
 * @param contentHash of what is asked for
 * @param said hash of what is said, wherever it goes
 */
async function placeOf(
	run: RunContext,
	index: number,
	contentHash: string,
	said: string,
): Promise<Omit<Wish, 'part' | 'targets'>> {
	const { context, isTool } = run;
	const scope = await run.scope;
	const node = [context.getInstanceId(), context.getWorkflow().id ?? '', context.getNode().id, scope.id];
	// n8n counts each call and each try of a tool as a run of its own: only the content tells wishes apart.
	if (isTool)
		return {
			run: 'tool',
			item: said,
			place: [...node, contentHash],
		};
	const runIndex = run.runIndex(index);
	return {
		run: String(runIndex),
		item: run.identityOf(index),
		// Calls of a sub-workflow with the same input can't be told apart by anything else than what they send.
		place: [...node, runIndex, index, ...(scope.subWorkflow ? [contentHash] : [])],
	};
}

/** The user's additional fields, as fields of a multipart body. */
function addFields(form: FormData, fields: IDataObject = {}): void {
	for (const [name, value] of Object.entries(fields))
		form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
}
