import lowerFirst from 'lodash/lowerFirst';
import partition from 'lodash/partition';
import uniq from 'lodash/uniq';
import uniqBy from 'lodash/uniqBy';
import upperFirst from 'lodash/upperFirst';
import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { Failure, type ErrorDetails, type Outcome } from '../../api/failure';
import { titleOf } from '../../api/platforms';
import { readPost } from '../../api/records';
import type { Sent, Writer } from '../writes/write';
import { joined, severalFailures } from './severalFailures';

/** How many rows, or posts, an error lists. */
const MAX_LISTED = 10;
/** How many posts a sentence names. */
const MAX_NAMED = 5;
/** A shorter wait isn't worth a hint. */
const NOTICEABLE_WAIT_MS = 10_000;

/** What a run of the node says of itself: hints in the editor, and the one error that it ends with. */
export class Report {
	private readonly notes = new Set<string>();
	private readonly warnings = new Set<string>();
	/** Rows by what is said of their posts. */
	private readonly postWarnings = new Map<string, number[]>();

	constructor(
		private readonly n8n: IExecuteFunctions,
		private readonly client: Client,
		/** Left out: the operation writes nothing. */
		private readonly writer: Writer | undefined,
		private readonly isTool: boolean,
	) {}

	/** Says something at the node after the run, once. */
	inform(message: string): void {
		this.notes.add(message);
	}

	/** Warns at the node after the run, once. */
	warn(message: string): void {
		this.warnings.add(message);
	}

	/** Warns of a row's post, in one hint for all rows. */
	warnOfPost(message: string, index: number): void {
		const rows = this.postWarnings.get(message);
		if (rows) rows.push(index);
		else this.postWarnings.set(message, [index]);
	}

	/** Previews of the run: nothing was sent, and which rows have warnings. */
	warnOfPreviews(perItem: Outcome[][]): void {
		if (!perItem.flat().some((one) => !(one instanceof Failure) && one.preview === true)) return;
		for (const [index, outcomes] of perItem.entries())
			for (const one of outcomes)
				for (const warning of one instanceof Failure ? [] : ((one.warnings ?? []) as string[]))
					this.warnOfPost(warning, index);
		const what = this.sent.length === 0 ? 'nothing was sent' : 'its rows were not sent';
		this.inform(`Preview: ${what}. Times are in ${this.n8n.getTimezone()}.`);
	}

	/** Hands all that is to be said to n8n, which shows it at the node. */
	showHints(failed: boolean): void {
		const show = (message: string, type: 'info' | 'warning' = 'info'): void =>
			this.n8n.addExecutionHints({ message, type, location: 'outputPane' });
		for (const message of [...this.client.warnings, ...this.warnings]) show(message, 'warning');
		for (const [message, rows] of this.postWarnings) show(`${this.rowsNamed(rows)}${message}`, 'warning');
		for (const message of this.notes) show(message);
		const summary = this.notSentAgain(failed) ?? this.summary();
		if (summary) show(summary);
	}

	/** What was sent, in an error: how many, and the first of them in few words. */
	get posts(): { posts?: IDataObject } {
		const sent = this.sent;
		if (sent.length === 0) return {};
		const first = sent.slice(0, MAX_LISTED).map(({ record }) => {
			const { platform, platforms, id, status, scheduled_at, filename } = record;
			return { platform: platform ?? platforms, id, status, scheduled_at, filename };
		});
		return { posts: { count: sent.length, first } };
	}

	/** The error of a run of which nothing was started, since some rows can't be sent. */
	rowsRefused(rows: ReadonlyArray<{ index: number; failure?: Failure | undefined }>): Failure {
		const wrong = rows.flatMap(({ index, failure }) => (failure ? [{ row: index + 1, failure }] : []));
		const [{ row, failure: first }] = wrong as [(typeof wrong)[0]];
		if (!this.writer) return first;
		const before = lowerFirst(joined(...this.sentences(this.sent)));
		const already = before ? `Nothing more was sent; ${before}` : 'Nothing was sent';
		const refused = (what: string, more: Partial<ErrorDetails> = {}): Failure =>
			first.with({ message: joined(what, already), ...more, ...this.posts });
		const { message } = first.details;
		if (wrong.length === 1)
			return refused(rows.length === 1 ? message : `Row ${row} of ${rows.length}: ${message}`);
		const listed = wrong.slice(0, MAX_LISTED);
		const failures = listed.map(({ failure }) => failure.details);
		const of = `${wrong.length} of ${rows.length} rows can't be sent`;
		if (wrong.every(({ failure }) => failure.details.message === message))
			return refused(`${of}: ${message}`, { failures });
		const lines = listed.map(({ row: number, failure }) => `Row ${number}: ${failure.details.message}`);
		const rest = wrong.length > MAX_LISTED ? [`And ${wrong.length - MAX_LISTED} more rows`] : [];
		const hints = uniq(wrong.map(({ failure }) => failure.details.hint));
		const hint = joined(...lines, ...rest, ...(hints.length === 1 ? hints : []));
		return refused(of, { failures, hint });
	}

	/** The error of a run in which a row failed: what happened, what was sent, what to do. */
	runFailed(outcomes: Outcome[], row: number, count: number): Failure {
		const failure = outcomes.length === 1 ? (outcomes[0] as Failure) : severalFailures(outcomes);
		if (!this.writer) return failure;
		const { details, notProcessed } = failure;
		const about = [details, ...(details.failures ?? [])].map(({ idempotency_key: key }) => key);
		const others = this.sent.filter(({ key }) => !about.includes(key));
		const isRow = count > 1;
		const message = joined(
			`${isRow ? `Row ${row + 1} of ${count} failed: ` : ''}${details.message}`,
			...this.sentences(others),
			...(notProcessed && this.sent.length === 0 ? ['Nothing was sent'] : []),
		);
		const again = isRow && others.length > 0 ? [ways[this.wayOn(row)]] : [];
		return failure.with({ message, hint: joined(details.hint, ...again), ...this.posts });
	}

	/** Words the failed items of a run that goes on: what was sent before, and whether the row was. */
	failedItems(): (failure: Failure, index: number) => Failure {
		const { writer, posts } = this;
		if (!writer) return (failure) => failure;
		const sentRows = new Set(writer.sent().map(({ item }) => item));
		return (failure, index) => {
			const { message } = failure.details;
			const isUnsent = failure.notProcessed && !sentRows.has(index);
			const added = isUnsent ? ['This row was not sent'] : [];
			return failure.with({ message: joined(message, ...added), ...posts });
		};
	}

	/** Equal rows may be one post, with one key. */
	private get sent(): Sent[] {
		return uniqBy(this.writer?.sent() ?? [], 'key');
	}

	/** What was sent, as sentences. */
	private sentences(all: Sent[]): string[] {
		const [unsure, sure] = partition(all, ({ state }) => state === 'inDoubt');
		const [kept, sent] = partition(sure, ({ state }) => state === 'keptAsFailed');
		const said = (some: Sent[], what: string): string[] =>
			some.length > 0 ? [`${what} (${this.labels(some)})`] : [];
		return [
			...said(sent, `${were(sent)} already sent`),
			...said(unsure, `${counted(unsure)} may have been sent`),
			...said(kept, `${were(kept)} kept by the service as failed`),
		];
	}

	/** What was sent in few words: platform and time of posts; what else there is of others. */
	private labels(sent: readonly Sent[]): string {
		const all = sent.slice(0, MAX_NAMED).map(({ record }) => {
			const { platforms, dueAt = NaN, id } = readPost(record);
			if (platforms.length === 0) return String(record.filename ?? id ?? 'done');
			const time = DateTime.fromMillis(dueAt, { zone: this.n8n.getTimezone() });
			const due = time.isValid ? `, scheduled for ${time.toFormat('yyyy-LL-dd HH:mm')}` : '';
			return `${platforms.map(titleOf).join(', ')}${due}`;
		});
		return all.join('; ') + (sent.length > MAX_NAMED ? '; …' : '');
	}

	private rowsNamed(rows: readonly number[]): string {
		if (this.n8n.getInputData().length <= 1) return '';
		const numbers = uniq(rows).map((row) => row + 1);
		const named = numbers.slice(0, MAX_NAMED).join(', ') + (numbers.length > MAX_NAMED ? ', …' : '');
		return `${numbers.length === 1 ? 'Row' : 'Rows'} ${named}: `;
	}

	/** What pressing *Execute step* would send again of what was sent. */
	private wayOn(row: number): keyof typeof ways {
		const keyMode = this.n8n.getNodeParameter('options.idempotencyKeyMode', row, 'execution');
		if (this.isTool || keyMode !== 'execution') return 'none';
		return this.writer?.isRemembered ? 'missing' : 'all';
	}

	/** What a press of *Execute step* found to be sent by the run before it. */
	private notSentAgain(failed: boolean): string | undefined {
		const { reused = [], lastEnding } = this.writer ?? {};
		if (reused.length === 0) return undefined;
		const them = reused.length === 1 ? 'it' : 'them';
		const next = failed ? '' : ' The next run sends everything again.';
		return `${were(reused)} not sent again because the previous, ${lastEnding} run had already sent ${them} (${this.labels(reused)}).${next}`;
	}

	/** What came of a run, where that isn't plain: "40 sent, 3 had been sent before, 1 not confirmed; waited 52 s for …". */
	private summary(): string | undefined {
		const { pace } = this.client;
		const now = this.sent.filter((one) => one.now);
		const [unsure, sure] = partition(now, ({ state }) => state === 'inDoubt');
		const replayed = this.writer?.replayedCount ?? 0;
		const isSlow = pace.waitedMs >= NOTICEABLE_WAIT_MS;
		if (replayed === 0 && unsure.length === 0 && !isSlow) return undefined;
		const counts = [
			[sure.length, 'sent'],
			[replayed, 'had been sent before'],
			[unsure.length, 'not confirmed'],
		] as const;
		const parts = counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ');
		const limitOf = pace.limitOf(this.writer ? 'write' : 'read');
		const limit = limitOf === undefined ? 'the rate limit' : `the limit of ${limitOf} a minute`;
		const wait = isSlow ? `waited ${Math.round(pace.waitedMs / 1000)} s for ${limit}` : '';
		return `${upperFirst([parts, wait].filter(Boolean).join('; '))}.`;
	}
}

/** "2 posts" */
function counted(sent: readonly Sent[]): string {
	const [{ path } = { path: '' }] = sent;
	const noun = path === '/posts' ? 'post' : path.startsWith('/media') ? 'file' : 'request';
	return `${sent.length} ${noun}${sent.length === 1 ? '' : 's'}`;
}

/** "2 posts were" */
const were = (sent: readonly Sent[]): string => `${counted(sent)} ${sent.length === 1 ? 'was' : 'were'}`;

const inList =
	'To continue, retry this execution from the Executions list. What was already sent is not sent again.';
/** How to go on. */
const ways = {
	none: inList,
	all: `${inList} 'Execute step' would send it again.`,
	missing:
		"To continue, click 'Execute step' again or retry this execution from the Executions list. What was already sent is not sent again unless you change it.",
};
