import { pickBy, some } from 'lodash';
import { deepCopy, type IDataObject } from 'n8n-workflow';

import type { Expected } from '../../api/answers';
import { Failure, hasStatus, keepsPost, toFailure } from '../../api/failure';
import { publishFailure } from '../../api/failureTexts';
import { recordIn } from '../../api/lists';
import { readPost } from '../../api/records';
import { callReplayed } from './hints';
import type { Before, Entry, Result } from './journal';
import { isConflict, told } from './refusals';
import type { Outgoing, Sender, SentWrite, WriteItem } from './write';

/** How many further upload URLs a try asks for, where those before had expired. */
const MAX_RENEWED_URLS = 2;

/** One write on its way: its requests, and what they make of its entry. */
export class Sending {
	constructor(
		private readonly writer: Sender,
		private readonly item: WriteItem,
		private readonly outgoing: Outgoing,
		private readonly entry: Entry,
		/** What was known of it before. */
		private readonly before: Before,
		private readonly rowId: string,
	) {}

	/** @throws Failure with the key, in the words that the write's state needs */
	async send(): Promise<SentWrite> {
		const { writer, outgoing, entry, before, rowId } = this;
		const first = entry.key;
		for (let renewed = 0; renewed <= MAX_RENEWED_URLS; renewed++) {
			// With the same key the service would return the same URL again.
			if (renewed > 0) entry.key = `${first}-${renewed}`;
			const answer = await this.request().catch((error: unknown) => {
				throw this.failed(toFailure(error));
			});
			// Where this fails, the write stays in doubt: a retry asks for the same URL, and sends the bytes again.
			const response = outgoing.complete ? await outgoing.complete(answer) : answer;
			if (response) {
				writer.journal.settle(rowId, entry, before, 'done');
				if (!writer.operation.keepsNothing) entry.response = deepCopy(response);
				return { body: entry.body, response };
			}
		}
		throw uploadUrlsExpired.with({ idempotency_key: entry.key });
	}

	private async request(): Promise<IDataObject> {
		const { writer, item, entry, before } = this;
		const { client, operation } = writer;
		const { method, path, workspaceId, key } = entry;
		// Of other answers the specification shows nothing.
		const expects: Expected = writer.creates && !operation.isOncePerContent ? 'record' : 'anything';
		const sending = client.send(
			{ method, path, expects, workspaceId, idempotencyKey: key, body: () => this.body() },
			item.maxWaitMs,
		);
		const { data, requestId, headers, isFirst } = await sending.catch((error: unknown) => this.gone(error));
		const isReplay = before === 'nothing' && isFirst && isReplayed(headers);
		if (isReplay) this.replayed();
		const record = recordIn(data);
		const ids = pickBy({ idempotency_key: key, request_id: requestId });
		if (path !== '/posts') return { ...record, ...ids };
		// In mode `execution` it was this execution that sent it, before a crash.
		const sentBefore = isReplay && item.keyMode !== 'execution';
		const { status, failureReason } = readPost(record);
		if (status === 'failed')
			throw publishFailure(failureReason).with({ request: `${method} ${path}`, post: record, ...ids });
		return { ...record, ...pickBy({ sent_before: sentBefore }), ...ids };
	}

	/**
	 * The body right before it goes out: what may have been carried out goes out as it was, on purpose also where the row says
	 * something else now.
	 */
	private body(): IDataObject | FormData | undefined {
		const { outgoing, entry, before, writer } = this;
		if (before !== 'nothing' && entry.body) return entry.body;
		const body = outgoing.body?.();
		if (!writer.operation.keepsNothing) entry.body = body;
		return outgoing.form ?? body;
	}

	/** The service had carried it out before this run: for another row or call, or for an execution that is lost. */
	private replayed(): void {
		const { writer, item, entry } = this;
		writer.sentNow.delete(entry);
		if (writer.scope.isSubWorkflow) item.hint(callReplayed);
	}

	/** A DELETE that is answered 404 after an attempt without an answer has succeeded. @throws Failure otherwise */
	private gone(error: unknown) {
		const failure = toFailure(error);
		const isGone = this.entry.method === 'DELETE' && hasStatus(failure, 404);
		if (!isGone || !this.isRepeat(failure)) throw failure;
		return { data: {}, requestId: undefined, headers: {}, isFirst: false };
	}

	/** An earlier attempt, in this call or an earlier one, may have been carried out. */
	private isRepeat(failure: Failure): boolean {
		return this.before === 'inDoubt' || failure.isRepeat;
	}

	/** Notes what failed. @returns it in the words that the write's state needs */
	private failed(error: Failure): Failure {
		const { writer, item, entry, before, rowId } = this;
		const failure = error.with({ idempotency_key: entry.key });
		const isRepeat = this.isRepeat(failure);
		const isFirstConflict = isConflict(failure) && !isRepeat;
		const state = writer.journal.settle(rowId, entry, before, this.resultOf(failure, isFirstConflict));
		if (state === 'keptAsFailed') entry.failure = deepCopy(failure.details);
		const { keyMode } = item;
		const circumstances = { state, isRepeat, isFirstConflict, isAttached: entry.isAttached, keyMode };
		return told(failure, { ...circumstances, wayOn: writer.wayOn() });
	}

	private resultOf(failure: Failure, isFirstConflict: boolean): Result {
		if (keepsPost(failure.details)) return 'keptAsFailed';
		const isNot = failure.processed === 'no' || (isFirstConflict && this.writer.mayShareKey(this.item));
		return isNot ? 'notProcessed' : 'unknown';
	}
}

const uploadUrlsExpired = new Failure({
	code: 'NODE_UPLOAD_FORBIDDEN',
	message: 'Each upload URL that the service gave had expired',
	hint: 'Try again in a few minutes.',
	retryable: true,
});

/** Whether the service says that it returned an earlier answer (spec, "Common rules"; row 11 of docs/spec-gaps.md). */
const isReplayed = (headers: IDataObject): boolean =>
	some(headers, (value, name) => /^idempoten(t|cy)-replayed$/i.test(name) && String(value) === 'true');
