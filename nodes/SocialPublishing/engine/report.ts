import { groupBy, map, omit, partition, pick, some } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { titleOf } from '../../api/contract';
import {
	Failure,
	isFailure,
	redacted,
	toErrorItem,
	toFailure,
	toNodeError,
	type ErrorDetails,
	type Outcome,
} from '../../api/failure';
import { timeZoneOf } from '../../shared/timeZone';
import { memoryOf } from '../writes/executionScope';
import { Journal, type Entry, type State } from '../writes/journal';
import type { WriteItem, WriteOperation } from '../writes/write';
import type { Writer } from '../writes/writer';
import { isToolRun } from './toolRun';
import { dueAtOf, inWords, joined, labelsOf, MAX_LISTED, rowsNamed } from './words';

/** n8n stores each with the execution. */
const MAX_WARNINGS = 50;
/** A shorter wait isn't worth a hint. */
const NOTICEABLE_WAIT_MS = 10_000;

/** What became of a post, or of the worst of a row's posts, and how an error says it of one and of several. */
const fates: Record<State | 'unsent', readonly [was: string, were: string]> = {
	inDoubt: ['may have been sent', 'may have been sent'],
	succeeded: ['was sent', 'were sent'],
	keptAsFailed: ['was kept by the service as failed', 'were kept by the service as failed'],
	unsent: ['was not sent', 'were not sent'],
};

/** How to go on after a part was sent. What is to be corrected stands before it, in the failure's own hint. */
const waysOn = {
	// The next press takes for a new post what says something else by then.
	byHand:
		"To go on, click Execute step again: with the same API key, what you don't change isn't sent twice.",
	retry: "To go on, retry this execution: what was sent isn't sent twice.",
	keptAsFailed: "A retry doesn't send it again: run the workflow again, without what was sent.",
} as const;

/** A row of the run, as far as the report tells of it. */
interface Row {
	readonly index: number;
	readonly planned?: { readonly item: Pick<WriteItem, 'keyMode'> & { readonly isPreview: boolean } };
	readonly failure?: Failure;
	readonly outcomes?: readonly Outcome[];
}

/** Why a row isn't sent, or what failed of it. */
export const failuresOf = ({ failure, outcomes = [] }: Row): Failure[] =>
	failure ? [failure] : outcomes.filter(isFailure);

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

	/** The error of a run: of all rows that can't be sent, or of the first one that failed. */
	error(rows: readonly Row[]): Error {
		const [wrong, others] = partition(rows, (row) => failuresOf(row).length > 0);
		const failed = wrong.map((row) => ({ index: row.index, failure: this.failureOf(row)! }));
		const { index, failure } = failed[0]!;
		if (!this.writer) return errorOf(this.n8n, redacted(failure, this.client.redact), index);
		const isRefused = rows.every(({ outcomes }) => !outcomes);
		const isNothing = isRefused || this.isUnsent(rows, wrong.flatMap(failuresOf));
		const told = others.filter((row) => !isNothing || this.entriesOf(row).length > 0);
		const { message, ...details } = isRefused
			? refusedRows(failed, rows.length)
			: failedRows(failed, rows.length, this.wayOn(rows, wrong[0]!));
		const nothing = isNothing ? nothingSent(this.writer.journal) : '';
		const whole = failure.with({ ...details, message: joined(message, nothing, ...this.fatesOf(told)) });
		// The message names the row, from 1: n8n's own "[item 0]" would contradict it.
		return errorOf(this.n8n, redacted(whole, this.client.redact), rows.length > 1 ? undefined : index);
	}

	/** Hands all that is to be said to n8n, which shows it at the node. */
	showHints(rows: readonly Row[]): void {
		for (const message of this.client.warnings) this.hint(message, 'warning');
		// A preview sends nothing, and leaves what the next press takes over.
		if (this.writer && !rows.every(({ planned }) => planned?.item.isPreview))
			this.sentHints(rows, this.writer);
		const { waitedMs } = this.client.pace;
		if (waitedMs >= NOTICEABLE_WAIT_MS)
			this.hint(`Waited ${Math.round(waitedMs / 1000)} s for the rate limit.`);
		const [warnings, infos] = partition([...this.hints], ([, { type }]) => type === 'warning');
		const more = warnings.splice(MAX_WARNINGS).length;
		if (more > 0) infos.push([`Warnings not shown: ${more}`, { type: 'warning', rows: [] }]);
		for (const [message, { type, rows: named }] of [...warnings, ...infos]) {
			const prefix = named.length > 0 && rows.length > 1 ? `${rowsNamed(named)}: ` : '';
			this.n8n.addExecutionHints({ message: prefix + message, type, location: 'outputPane' });
		}
	}

	/** What failed of a row, as one: what happened, what was sent of it, each failure of a platform or file. */
	private failureOf(row: Row): Failure | undefined {
		const failures = failuresOf(row);
		const [first] = failures;
		if (!first || !this.writer) return first;
		const entries = this.entriesOf(row);
		const sent = entries.filter(({ state }) => state === 'succeeded');
		// Of a post that was sent, but can't be waited for, its failure tells.
		const besides = entries.filter(({ key }) => !some(failures, { details: { idempotency_key: key } }));
		// A run that ends with the error says it of all rows.
		const isUnsent = this.n8n.continueOnFail() && this.isUnsent([row], failures);
		const isKept = some(entries, { state: 'keptAsFailed' });
		const count = row.outcomes?.length ?? 1;
		return first.with({
			...(row.outcomes ? { ...notOfRow, failures: map(failures, 'details').map(failureItem) } : {}),
			message: joined(
				(failures.length > 1 ? `${failures.length} of ${count} failed: ` : '') +
					saidByPlatform(failures, 'message', count > 1)
						.map((said) => said.replace(/\.$/, ''))
						.join('; '),
				...saidOf(
					besides,
					({ state }) => state,
					(some) => labelsOf(some, this.zone),
				),
				isUnsent ? 'This row was not sent' : '',
			),
			hint: joined(
				...saidByPlatform(failures, 'hint', false),
				isKept && row.planned?.item.keyMode === 'custom' ? "A new post needs another 'My Own ID'." : '',
			),
			retryable: some(failures, 'details.retryable'),
			row_id: this.writer.rows[row.index]?.id,
			...(sent.length > 0 ? { sent: sent.slice(0, MAX_LISTED).map(sentItem) } : {}),
		});
	}

	/** The writes of a row that were carried out, or may have been. */
	private entriesOf({ index }: Row): Entry[] {
		return this.writer!.ofRow(index);
	}

	/** Whether it is certain that nothing of these rows was sent. */
	private isUnsent(rows: readonly Row[], failures: readonly Failure[]): boolean {
		return (
			rows.every((row) => this.entriesOf(row).length === 0) &&
			failures.every(({ processed }) => processed === 'no')
		);
	}

	/** "Rows 2 and 3 were sent", "Row 4 may have been sent". */
	private fatesOf(rows: readonly Row[]): string[] {
		const fateOf = (row: Row) => {
			const states = map(this.entriesOf(row), 'state');
			// What is skipped, or was sent before, is neither.
			const without = row.outcomes ? undefined : 'unsent';
			return (Object.keys(fates) as State[]).find((state) => states.includes(state)) ?? without;
		};
		return saidOf(rows, fateOf, (some) => rowsNamed(map(some, 'index')));
	}

	/** The one way to go on after a row failed and others were sent. */
	private wayOn(rows: readonly Row[], row: Row): string {
		const own = map(this.entriesOf(row), 'state');
		const isSent = rows.some((one) => some(this.entriesOf(one), { state: 'succeeded' }));
		// In doubt, its own hint says how to go on.
		if (isToolRun(this.n8n) || own.includes('inDoubt') || !isSent) return '';
		if (this.writer!.rerun) return waysOn.byHand;
		return own.includes('keptAsFailed') ? waysOn.keptAsFailed : waysOn.retry;
	}

	/** What this run didn't send again, and, by hand, what earlier ones left in doubt. */
	private sentHints(rows: readonly Row[], { rerun, sentNow }: Writer): void {
		const sent = rows.flatMap((row) => this.entriesOf(row)).filter(({ state }) => state === 'succeeded');
		const before = sent.filter((one) => !sentNow.has(one));
		const next = rerun?.isDone ? ' The next run sends everything again.' : '';
		if (before.length > 0)
			this.hint(`Sent before, so not sent again: ${before.length} (${labelsOf(before, this.zone)}).${next}`);
		const open = labelsOf(rerun?.openInDoubt ?? [], this.zone);
		if (open)
			this.hint(
				`Not confirmed as sent by an earlier run: ${open}. This run didn't ask for the same, so check in the service.`,
				'warning',
			);
	}
}

interface FailedRow {
	index: number;
	failure: Failure;
}

type Told = Pick<ErrorDetails, 'message'> & Partial<ErrorDetails>;

/** Of rows that can't be sent: each of them. */
function refusedRows(failed: readonly FailedRow[], count: number): Told {
	const [{ index, failure }, ...more] = failed as [FailedRow, ...FailedRow[]];
	const { message, hint } = failure.details;
	if (more.length === 0) return { message: count > 1 ? `Row ${index + 1} of ${count}: ${message}` : message };
	const isSame = more.every((one) => one.failure.message === message);
	const which =
		failed.length === count
			? `None of the ${count} rows can be sent`
			: `${rowsNamed(map(failed, 'index'))} of ${count} can't be sent`;
	const listed = failed.map((one) => {
		const [advice = ''] = one.failure.details.hint.split(/(?<=[.?]) /);
		return `Row ${one.index + 1}: ${joined(one.failure.message, advice)}`;
	});
	if (listed.splice(MAX_LISTED).length > 0) listed.push(`And ${failed.length - MAX_LISTED} more rows`);
	return {
		message: isSame ? `${which}: ${message}` : which,
		hint: isSame ? hint : listed.join('\n'),
		failures: failed.slice(0, MAX_LISTED).map(rowItem),
	};
}

/** Of rows that failed while they were sent: the first of them. */
function failedRows(failed: readonly FailedRow[], count: number, wayOn: string): Told {
	const [{ index, failure }, ...more] = failed as [FailedRow, ...FailedRow[]];
	const { message, hint, failures = [] } = failure.details;
	return {
		message: joined(
			count > 1 ? `Row ${index + 1} of ${count} failed: ${message}` : message,
			more.length > 0 ? `${rowsNamed(map(more, 'index'))} failed, too` : '',
		),
		hint: joined(hint, wayOn),
		failures: [...failures, ...more.slice(0, MAX_LISTED - 1).map(rowItem)],
	};
}

const rowItem = ({ index, failure }: FailedRow): IDataObject => ({
	row: index + 1,
	...pick(failure.details, 'code', 'message'),
});

/** Names of rows or posts, by what became of them. */
function saidOf<T>(
	all: readonly T[],
	fateOf: (one: T) => string | undefined,
	named: (some: readonly T[]) => string,
): string[] {
	const byFate = groupBy(all, fateOf);
	return Object.entries(fates).flatMap(([fate, [was, were]]) => {
		const some = byFate[fate];
		return some ? [`${named(some)} ${some.length > 1 ? were : was}`] : [];
	});
}

/** What failures say, each thing once: "X and LinkedIn: …". @param isNamed also where all say the same */
function saidByPlatform(failures: readonly Failure[], name: 'message' | 'hint', isNamed: boolean): string[] {
	const groups = Object.entries(groupBy(failures, ({ details }) => details[name]));
	return groups.map(([said, those]) =>
		isNamed || groups.length > 1 ? `${inWords(those.map(platformOf))}: ${said}` : said,
	);
}

const platformOf = ({ details: { platform, account, file = 'One' } }: Failure): string =>
	platform ? [account, titleOf(platform)].filter(Boolean).join(' · ') : file;

/** Of a run that sent nothing; earlier rounds of a loop, or calls of a tool, may have. */
const nothingSent = ({ all }: Journal): string =>
	// A file that was uploaded for a post is no post.
	some(all, ({ isAttached }) => !isAttached) ? 'Nothing more was sent' : 'Nothing was sent';

/** Details that stand in `failures`, for each platform, in place of the row's error. */
const notOfRow: Partial<ErrorDetails> = {
	...{ platform: undefined, account: undefined, file: undefined },
	...{ idempotency_key: undefined, post: undefined },
};

const failureItem = (details: ErrorDetails): IDataObject =>
	omit(toErrorItem(details), 'hint', 'retryable', 'rate_limit', 'request');

/** A post that went out, as an error tells it. */
function sentItem(entry: Entry): IDataObject {
	const { path, target, response } = entry;
	const at = dueAtOf(entry);
	const about = path === '/posts' ? { platform: target.split(':')[0] } : pick(response, 'filename');
	return { ...about, ...pick(response, 'id'), ...(at ? { scheduled_at: at } : {}) };
}

/** An error of the node, whose message names the item unless that is left out. */
export function errorOf(n8n: IExecuteFunctions, failure: Failure, itemIndex?: number): Error {
	const { message, hint } = failure.details;
	// n8n 2 adds the description for a model, older versions leave it out.
	const reported = isToolRun(n8n) ? failure.with({ message: joined(message, hint), hint: '' }) : failure;
	return toNodeError(n8n.getNode(), reported, itemIndex);
}

/** Why a run can't begin, such as a credential that is wrong. */
export function unopened(n8n: IExecuteFunctions, { method }: WriteOperation, error: unknown): Failure {
	const failure = toFailure(error);
	if (method === 'GET') return failure;
	const journal = new Journal(memoryOf(n8n));
	return failure.with({ message: joined(failure.message, nothingSent(journal)) });
}

/** Of a run that can't begin: one error item a row. */
export const errorItems = (n8n: IExecuteFunctions, failure: Failure): INodeExecutionData[] =>
	n8n.getInputData().map(({ binary }, item) => ({
		json: { error: toErrorItem(failure.details) },
		pairedItem: { item },
		...(binary ? { binary } : {}),
	}));
