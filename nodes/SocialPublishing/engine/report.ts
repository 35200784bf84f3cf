import { groupBy, map, omit, partition, pick, some, sortBy, uniq } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { titleOf } from '../../api/contract';
import {
	Failure,
	isFailure,
	redacted,
	toErrorItem,
	toNodeError,
	type ErrorDetails,
	type Outcome,
} from '../../api/failure';
import { firstFew } from '../../api/texts';
import { timeZoneOf } from '../../shared/timeZone';
import type { Entry } from '../writes/journal';
import { timeIn } from '../writes/key';
import type { Writer } from '../writes/write';
import { isToolRun } from './toolRun';

/** A row of the run, as far as the report tells of it. */
interface Row {
	readonly index: number;
	readonly planned?: { readonly item: { readonly isPreview: boolean } };
	readonly failure?: Failure;
	readonly outcomes?: readonly Outcome[];
}

/** How many rows an error lists. */
const MAX_LISTED = 10;
/** n8n stores each with the execution. */
const MAX_WARNINGS = 50;
/** A shorter wait isn't worth a hint. */
const NOTICEABLE_WAIT_MS = 10_000;

/** What a run of the node says of itself: its output items, hints in the editor, and the one error that it ends with. */
export class Report {
	private readonly hints = new Map<string, { type: 'info' | 'warning'; rows: number[] }>();
	private readonly zone: string;

	constructor(
		private readonly n8n: IExecuteFunctions,
		private readonly client: Client,
		/** Left out: the operation writes nothing. */
		private readonly writer: Writer | undefined,
	) {
		this.zone = timeZoneOf(n8n);
	}

	/** Says something at the node after the run, once; of a post it names the row. */
	hint(message: string, type: 'info' | 'warning' = 'info', row?: number): void {
		if (!this.hints.has(message)) this.hints.set(message, { type, rows: [] });
		if (row !== undefined) this.hints.get(message)!.rows.push(row);
	}

	/** The output: what came of each row, in their order; of a failed one one item, with the row's files. */
	items(rows: readonly Row[]): INodeExecutionData[] {
		const input = this.n8n.getInputData();
		return rows.flatMap((row) => {
			const failure = this.failureOf(row);
			const pairedItem = { item: row.index };
			const done = (row.outcomes ?? []).filter((one) => !isFailure(one));
			const items: INodeExecutionData[] = done.map((json) => ({ json: json as IDataObject, pairedItem }));
			if (!failure) return items;
			const json = { error: toErrorItem(redacted(failure, this.client.redact).details) };
			return [...items, { json, pairedItem, ...pick(input[row.index], 'binary') }];
		});
	}

	/** The error of a run of which nothing was started, since some rows can't be sent. */
	rowsRefused(rows: readonly Row[]): Error {
		const wrong = rows.flatMap(({ index, failure }) => (failure ? [{ index, failure }] : []));
		const [first, another] = wrong;
		const { failure, index } = first!;
		if (!this.writer) return errorOf(this.n8n, this.redact(failure), index);
		const messages = uniq(map(wrong, 'failure.message'));
		const which =
			wrong.length === rows.length
				? `None of the ${rows.length} rows can be sent`
				: `${rowsNamed(map(wrong, 'index'))} of ${rows.length} can't be sent`;
		const what = another
			? `${which}${messages.length > 1 ? '' : `: ${messages[0]}`}`
			: `${rows.length > 1 ? `Row ${index + 1} of ${rows.length}: ` : ''}${failure.message}`;
		const listed = wrong.slice(0, MAX_LISTED).map((one) => {
			const [advice = ''] = one.failure.details.hint.split(/(?<=[.?]) /);
			return `Row ${one.index + 1}: ${joined(one.failure.message, advice)}`;
		});
		if (wrong.length > MAX_LISTED) listed.push(`And ${wrong.length - MAX_LISTED} more rows`);
		const details = wrong
			.slice(0, MAX_LISTED)
			.map((one) => ({ row: one.index + 1, ...pick(one.failure.details, 'code', 'message') }));
		const before = this.sentences(rows);
		return this.errorOfRow(
			rows,
			index,
			failure.with({
				message: joined(what, this.nothing, ...before),
				hint: messages.length > 1 ? listed.join('\n') : failure.details.hint,
				...(another ? { failures: details } : {}),
			}),
		);
	}

	/** The error of a run in which rows failed: what happened in the first, what was sent, what to do. */
	runFailed(rows: readonly Row[]): Error {
		const failed = rows.filter((row) => row.failure ?? row.outcomes?.some(isFailure));
		const [first, ...others] = failed;
		const { index } = first!;
		const failure = this.failureOf(first!)!;
		if (!this.writer) return errorOf(this.n8n, this.redact(failure), index);
		const isOneOfSeveral = rows.length > 1;
		const too = others.length > 0 ? [`${rowsNamed(map(others, 'index'))} failed, too`] : [];
		const unsent = rows.filter(({ outcomes, failure: refused }) => !outcomes && !refused);
		const failures = [...(failure.details.failures ?? [])];
		for (const row of others.slice(0, MAX_LISTED - 1))
			failures.push({ row: row.index + 1, ...pick(this.failureOf(row)!.details, 'code', 'message') });
		return this.errorOfRow(
			rows,
			index,
			failure.with({
				message: joined(
					isOneOfSeveral ? `Row ${index + 1} of ${rows.length} failed: ${failure.message}` : failure.message,
					...too,
					...(this.isUnsent(
						rows,
						failed.flatMap(({ outcomes = [] }) => outcomes.filter(isFailure)),
					)
						? [this.nothing]
						: []),
					...this.sentences(rows.filter((row) => !failed.includes(row))),
					...(unsent.length > 0 && this.begun(rows).length > 0
						? [`${rowsNamed(map(unsent, 'index'))} ${unsent.length > 1 ? 'were' : 'was'} not sent`]
						: []),
				),
				hint: joined(failure.details.hint, ...this.wayOn(rows, first!, failure)),
				failures: failures.length > 0 ? failures : undefined,
			}),
		);
	}

	/** Hands all that is to be said to n8n, which shows it at the node. */
	showHints(rows: readonly Row[]): void {
		for (const row of rows) this.previewed(row);
		for (const message of this.client.warnings) this.hint(message, 'warning');
		// A press that only previews sends nothing, and leaves what the next one takes over.
		if (!rows.every(({ planned }) => planned?.item.isPreview)) this.rerunHints();
		const summary = this.summary(rows);
		if (summary) this.hint(summary);
		const [warnings, infos] = partition([...this.hints], ([, { type }]) => type === 'warning');
		const more = warnings.splice(MAX_WARNINGS).length;
		if (more > 0)
			infos.push([
				`${more} more warning${more === 1 ? ' is' : 's are'} not shown`,
				{ type: 'warning', rows: [] },
			]);
		for (const [message, { type, rows: named }] of [...warnings, ...infos]) {
			const prefix = named.length > 0 && rows.length > 1 ? `${rowsNamed(named)}: ` : '';
			this.n8n.addExecutionHints({ message: prefix + message, type, location: 'outputPane' });
		}
	}

	/** What failed of a row, as one: what happened, whether the row was sent, each failure of a platform or file. */
	private failureOf(row: Row): Failure | undefined {
		const failures = (row.outcomes ?? []).filter(isFailure);
		const [first] = row.failure ? [row.failure] : failures;
		if (!first || !this.writer) return first;
		const sent = this.writer.ofRow(row.index).filter(({ state }) => state === 'succeeded');
		const names = (one: Failure): string =>
			row.outcomes && row.outcomes.length > 1 ? `${nameOf(one)}: ` : '';
		const said = failures.map((one) => `${names(one)}${one.message.replace(/\.$/, '')}`).join('; ');
		const count = failures.length > 1 ? `${failures.length} of ${row.outcomes!.length} failed: ` : '';
		const hints = uniq(map(failures, 'details.hint'));
		return first.with({
			...perPlatform(first.details, failures.length > 0),
			message: joined(
				failures.length > 0 ? count + said : first.message,
				...this.sentIn(row, sent, failures.length > 0 ? failures : [first]),
			),
			...(hints.length > 1
				? { hint: failures.map((one) => `${nameOf(one)}: ${one.details.hint}`).join(' ') }
				: {}),
			retryable: some(failures.length > 0 ? failures : [first], 'details.retryable'),
			row_id: this.writer.rows[row.index]?.id,
			...(sent.length > 0 ? { sent: sent.slice(0, MAX_LISTED).map(sentOf) } : {}),
			...(failures.length > 0 ? { failures: map(failures, 'details').map(failureIn) } : {}),
		});
	}

	/** What was sent of a row, in words; where the run goes on, also that nothing was. */
	private sentIn(row: Row, sent: readonly Entry[], failures: readonly Failure[]): string[] {
		if (sent.length > 0) return [`${this.labels(sent)} ${sent.length > 1 ? 'were' : 'was'} sent`];
		return this.n8n.continueOnFail() && this.isUnsent([row], failures) ? ['This row was not sent'] : [];
	}

	/** Whether it is certain that nothing of these rows was sent. */
	private isUnsent(rows: readonly Row[], failures: readonly Failure[]): boolean {
		return this.begun(rows).length === 0 && failures.every(({ processed }) => processed === 'no');
	}

	/** Of a run that sent nothing; earlier rounds of a loop, or calls of a tool, may have. */
	private get nothing(): string {
		// A file that was uploaded for a post is no post.
		return some(this.writer!.journal.all, ({ isAttached }) => !isAttached)
			? 'Nothing more was sent'
			: 'Nothing was sent';
	}

	/** The writes of these rows that were carried out, or may have been. */
	private begun(rows: readonly Row[]): Entry[] {
		return rows.flatMap(({ index }) => this.writer!.ofRow(index));
	}

	/** "Rows 2 and 3 were sent", "Row 4 may have been sent". */
	private sentences(rows: readonly Row[]): string[] {
		const {
			sent = [],
			unsure = [],
			kept = [],
		} = groupBy(rows, ({ index }) => {
			const states = map(this.writer!.ofRow(index), 'state');
			if (states.includes('inDoubt')) return 'unsure';
			return states.includes('succeeded') ? 'sent' : states.length > 0 ? 'kept' : 'none';
		});
		const named = (some: readonly Row[]): string =>
			rows.length === 1 && this.n8n.getInputData().length <= 1
				? this.labels(this.begun(some))
				: rowsNamed(map(some, 'index'));
		const were = (some: readonly Row[]): string => (some.length > 1 ? 'were' : 'was');
		return [
			...(sent.length > 0 ? [`${named(sent)} ${were(sent)} sent`] : []),
			...(unsure.length > 0 ? [`${named(unsure)} may have been sent`] : []),
			...(kept.length > 0 ? [`${named(kept)} ${were(kept)} kept by the service as failed`] : []),
		];
	}

	/** The one way to go on after a row failed and others were sent. */
	private wayOn(rows: readonly Row[], row: Row, failure: Failure): string[] {
		const { status, retryable } = failure.details;
		const own = this.writer!.ofRow(row.index);
		// Its own hint says how to go on.
		if (isToolRun(this.n8n) || some(own, { state: 'inDoubt' })) return [];
		if (!this.begun(rows).some(({ state }) => state === 'succeeded')) return [];
		const isByHand = this.writer!.rerun !== undefined;
		const it = rows.length > 1 ? `row ${row.index + 1}` : 'it';
		if (this.isKept(row))
			return [
				isByHand
					? `Correct ${it} and click Execute step again: what was sent isn't sent twice.`
					: `A retry doesn't send ${it} again. When you run the workflow again, leave out what was sent.`,
			];
		if (isByHand && (status === 401 || status === 403))
			return [
				"Then retry this execution from the Executions list: what was sent isn't sent twice. With another API key, Execute step would send it again.",
			];
		// It was sent, and what becomes of it couldn't be read.
		const isSent = failure.processed === 'maybe';
		const correct = retryable || isSent ? '' : `Correct ${it} and `;
		const go = isByHand ? 'click Execute step again, or retry this execution' : 'retry this execution';
		const what = `${correct}${go}: what was sent isn't sent twice.`;
		return [what.charAt(0).toUpperCase() + what.slice(1)];
	}

	private isKept({ index }: Row): boolean {
		return some(this.writer!.ofRow(index), { state: 'keptAsFailed' });
	}

	private redact(failure: Failure): Failure {
		return redacted(failure, this.client.redact);
	}

	private errorOfRow(rows: readonly Row[], index: number, failure: Failure): Error {
		// The message names the row, from 1: n8n's own "[item 0]" would contradict it.
		return errorOf(this.n8n, this.redact(failure), rows.length > 1 ? undefined : index);
	}

	/** Says of a row that was previewed that it was not sent, and what it is warned of. */
	private previewed({ index, planned, outcomes = [] }: Row): void {
		if (!planned?.item.isPreview) return;
		for (const one of outcomes) {
			if (isFailure(one)) continue;
			for (const warning of (one.warnings ?? []) as string[]) this.hint(warning, 'warning', index);
			// Times in a request are in UTC.
			const zone = 'request' in one ? '' : ` Times are in ${this.zone}.`;
			this.hint(`Previewed rows were not sent.${zone}`);
		}
	}

	/** By hand: what this press didn't send again, and what earlier ones left in doubt. */
	private rerunHints(): void {
		const { rerun, sentNow } = this.writer ?? {};
		const reused = [...(rerun?.takenOver ?? [])].filter((one) => !sentNow!.has(one) && !one.isAttached);
		if (reused.length > 0) {
			const [were, them] =
				reused.length === 1 ? ['1 post was', 'it'] : [`${reused.length} posts were`, 'them'];
			const next = rerun!.isDone ? ' The next run sends everything again.' : '';
			this.hint(
				`${were} not sent again because an earlier run had already sent ${them} (${this.labels(reused)}).${next}`,
			);
		}
		const open = rerun?.openInDoubt ?? [];
		if (open.length > 0)
			this.hint(
				`Not confirmed as sent by an earlier run: ${this.labels(open)}. This run didn't ask for the same, so check in the service.`,
				'warning',
			);
	}

	/** What came of a run, where that isn't plain: "40 sent, 3 had been sent before; waited 52 s for …". */
	private summary(rows: readonly Row[]): string | undefined {
		const { pace } = this.client;
		const { sentNow, rerun } = this.writer ?? {};
		const begun = this.writer ? this.begun(rows) : [];
		const all = begun.filter(({ state, isAttached }) => state === 'succeeded' && !isAttached);
		const before = all.filter((one) => !sentNow!.has(one) && !rerun?.takenOver.has(one)).length;
		const isSlow = pace.waitedMs >= NOTICEABLE_WAIT_MS;
		if (before === 0 && !isSlow) return undefined;
		const now = all.filter((one) => sentNow!.has(one)).length;
		const counts = [
			...(now > 0 ? [`${now} sent`] : []),
			...(before > 0 ? [`${before} had been sent before`] : []),
		].join(', ');
		const wait = isSlow ? [`waited ${Math.round(pace.waitedMs / 1000)} s for the rate limit`] : [];
		const said = [...(counts ? [counts] : []), ...wait].join('; ');
		return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
	}

	/** "X, 2 Jun 10:00 and LinkedIn" */
	private labels(entries: readonly Entry[]): string {
		return firstFew(uniq(entries.map((entry) => labelOf(entry, this.zone))), 5, '; ');
	}
}

/** An error of the node, whose message names the item unless that is left out. */
export function errorOf(n8n: IExecuteFunctions, failure: Failure, itemIndex?: number): Error {
	const { message, hint } = failure.details;
	// n8n 2 adds the description for a model, older versions leave it out.
	const reported = isToolRun(n8n) ? failure.with({ message: joined(message, hint), hint: '' }) : failure;
	return toNodeError(n8n.getNode(), reported, itemIndex);
}

/** A run that can't begin, such as one whose credential is wrong: one error item a row. */
export const errorItems = (n8n: IExecuteFunctions, failure: Failure): INodeExecutionData[] =>
	n8n.getInputData().map(({ binary }, item) => ({
		json: { error: toErrorItem(failure.details) },
		pairedItem: { item },
		...(binary ? { binary } : {}),
	}));

/** Sentences behind each other. */
export const joined = (...sentences: string[]): string =>
	sentences
		.filter(Boolean)
		.map((one, _index, { length }) => (length > 1 && !'.?!…'.includes(one.slice(-1)) ? `${one}.` : one))
		.join(' ');

/** Details that a failure of one platform has in `failures`, in place of the row's error. */
const ofPlatform = ['platform', 'account', 'file', 'idempotency_key', 'post', 'service_message'] as const;

const perPlatform = (details: ErrorDetails, isListed: boolean): Partial<ErrorDetails> =>
	isListed ? Object.fromEntries(Object.keys(pick(details, ofPlatform)).map((name) => [name, undefined])) : {};

const failureIn = (details: ErrorDetails): IDataObject =>
	omit(toErrorItem(details), 'hint', 'retryable', 'rate_limit', 'request');

const nameOf = ({ details: { platform, account, file = 'One' } }: Failure): string =>
	platform ? `${account ? `${account} · ` : ''}${titleOf(platform)}` : file;

/** A post that went out, as an error tells it. */
function sentOf({ path, target, body, response = {} }: Entry): IDataObject {
	const at = timeIn(response) ?? timeIn(body);
	const about = path === '/posts' ? { platform: target.split(':')[0] } : pick(response, 'filename');
	return { ...about, ...pick(response, 'id'), ...(at ? { scheduled_at: at } : {}) };
}

/** "LinkedIn, 2 Jun 10:00", "photo.jpg", or the ID of what was changed. */
function labelOf({ path, target, body, response = {} }: Entry, zone: string): string {
	if (path !== '/posts') return String(response.filename ?? body?.filename ?? response.id ?? 'the request');
	const at = timeIn(body) ?? timeIn(response);
	const time = at ? `, ${DateTime.fromISO(at, { zone }).toFormat('d LLL yyyy HH:mm', { locale: 'en' })}` : '';
	return titleOf(target.split(':')[0]!) + time;
}

/** "Row 2", "Rows 2 and 3", "Rows 1 to 4 and 6" */
function rowsNamed(indexes: readonly number[]): string {
	const numbers = sortBy(uniq(indexes)).map((index) => index + 1);
	const spans: number[][] = [];
	for (const number of numbers) {
		const last = spans.at(-1);
		if (last?.at(-1) === number - 1) last.push(number);
		else spans.push([number]);
	}
	const names = spans.flatMap((span) =>
		span.length > 2 ? [`${span[0]} to ${span.at(-1)}`] : span.map(String),
	);
	const shown = names.length > MAX_LISTED ? [...names.slice(0, MAX_LISTED), '…'] : names;
	return `${numbers.length > 1 ? 'Rows' : 'Row'} ${shown.join(', ').replace(/, ([^,]*)$/, ' and $1')}`;
}
