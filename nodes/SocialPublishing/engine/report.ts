import {
	compact,
	groupBy,
	isString,
	lowerFirst,
	map,
	once,
	partition,
	range,
	some,
	sortBy,
	uniq,
	uniqBy,
	upperFirst,
} from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { Failure, isFailure, refusal, type ErrorDetails, type Outcome } from '../../api/failure';
import { otherKey } from '../../api/failureTexts';
import { readPost } from '../../api/records';
import { firstFew } from '../../api/texts';
import { timeZoneOf } from '../../shared/timeZone';
import type { KeyMode } from '../writes/key';
import type { Sent } from '../writes/journal';
import { isConflict, type Unpublished, type Writer } from '../writes/write';

/** How many rows, or posts, an error lists. */
const MAX_LISTED = 10;
/** n8n stores each with the execution. */
const MAX_WARNINGS = 50;
/** A shorter wait isn't worth a hint. */
const NOTICEABLE_WAIT_MS = 10_000;

const cameFromElsewhere =
	"The error in this item isn't about anything that this node sent in this execution, so the item was sent as new. If the earlier attempt may have gone out, look for duplicates in the service. To prevent them, set 'Avoid Duplicates' to 'My Own ID'.";

/** What resources call what they send. */
export interface Words {
	/** "2 posts" */
	counted(sent: readonly Sent[]): string;
	/** "X, 2 Jun 10:00" */
	labels(sent: readonly Sent[], zone: string): string[];
	/** One failure of an item with several outcomes. */
	several(outcomes: Outcome[]): Failure;
	/** Where the service is done with it and didn't publish it: another run may send it anew there. */
	unpublished(failure: Failure): Unpublished;
}

/** What a run of the node says of itself: hints in the editor, and the one error that it ends with. */
export class Report {
	private readonly hints = new Map<string, { type: 'info' | 'warning'; rows: number[] }>();

	constructor(
		private readonly n8n: IExecuteFunctions,
		private readonly client: Client,
		/** Left out: the operation writes nothing. */
		private readonly writer: Writer | undefined,
		private readonly words: Words,
	) {}

	/** Says something at the node after the run, once; of a post it names the row. */
	hint(message: string, type: 'info' | 'warning' = 'info', row?: number): void {
		if (!this.hints.has(message)) this.hints.set(message, { type, rows: [] });
		if (row !== undefined) this.hints.get(message)!.rows.push(row);
	}

	/** Says of a row that was previewed that it was not sent, and what it is warned of. */
	previewed(outcomes: Outcome[], row: number): void {
		for (const one of outcomes) {
			if (one instanceof Failure) continue;
			for (const warning of (one.warnings ?? []) as string[]) this.hint(warning, 'warning', row);
			// Times in a request are in UTC.
			const zone = 'request' in one ? '' : ` Times are in ${timeZoneOf(this.n8n)}.`;
			this.hint(`Previewed rows were not sent.${zone}`);
		}
	}

	/** Hands all that is to be said to n8n, which shows it at the node. */
	showHints(): void {
		for (const message of this.client.warnings) this.hint(message, 'warning');
		for (const [message, type] of this.writer?.hints ?? []) this.hint(message, type);
		for (const row of this.writer?.sentAnew ?? []) this.hint(cameFromElsewhere, 'warning', row);
		const reused = this.notSentAgain();
		if (reused) this.hint(reused);
		const summary = this.summary(reused !== undefined);
		if (summary) this.hint(summary);
		const [warnings, infos] = partition([...this.hints], ([, { type }]) => type === 'warning');
		const more = warnings.splice(MAX_WARNINGS).length;
		if (more > 0)
			warnings.push([
				`${more} more warning${more === 1 ? ' is' : 's are'} not shown`,
				{ type: 'warning', rows: [] },
			]);
		for (const [message, { type, rows }] of [...warnings, ...infos])
			this.n8n.addExecutionHints({ message: this.ofRows(rows) + message, type, location: 'outputPane' });
	}

	/** What was sent, in an error: how many, and the first of them. */
	get posts(): { posts?: IDataObject } {
		const { length: count } = this.sent();
		return count > 0 ? { posts: { count, first: this.firstSent() } } : {};
	}

	private readonly firstSent = once(() =>
		map(this.sent().slice(0, MAX_LISTED), ({ record }) => {
			const { platform, platforms, id, status, scheduled_at: own, filename } = record;
			const { scheduledAt: scheduled_at = own } = readPost(record);
			return { platform: platform ?? platforms, id, status, scheduled_at, filename };
		}),
	);

	/** The error of a run of which nothing was started, since some rows can't be sent. */
	rowsRefused(wrong: ReadonlyArray<{ index: number; failure: Failure }>, count: number): Failure {
		const [first, another] = wrong;
		if (!this.writer) return first!.failure;
		const details = wrong.map(({ failure }) => failure.details);
		const [message, otherMessage] = uniq(map(details, 'message'));
		const [hint, otherHint] = uniq(map(details, 'hint'));
		const what = [];
		const rows = map(wrong, ({ index }) => index + 1);
		const named = otherMessage ? '' : ` (rows ${firstFew(rows, MAX_LISTED)})`;
		if (another) what.push(`${wrong.length} of ${count} rows can't be sent${named}`);
		else if (count > 1) what.push(`Row ${first!.index + 1} of ${count}`);
		if (!otherMessage) what.push(message);
		const before = lowerFirst(joined(...this.sentences(this.sent())));
		const listed = wrong.slice(0, MAX_LISTED);
		// The first sentence of what to do, where that differs.
		const advice = ({ hint: all }: ErrorDetails) => (otherHint ? [all.replace(/(?<=[.?]) .*/s, '')] : []);
		const lines = listed.map(
			({ index, failure: { message: why, details: known } }) =>
				`Row ${index + 1}: ${joined(why, ...advice(known))}`,
		);
		if (wrong.length > MAX_LISTED) lines.push(`And ${wrong.length - MAX_LISTED} more rows`);
		return first!.failure.with({
			message: joined(what.join(': '), before ? `Nothing more was sent; ${before}` : this.nothing),
			hint: [...(otherMessage ? lines : []), ...(otherMessage && otherHint ? [] : [hint!])].join('\n'),
			...(another ? { failures: details.slice(0, MAX_LISTED) } : {}),
			...this.posts,
		});
	}

	/** The error of a row of a run by hand that may be one of these. */
	rowUnclear(sent: Sent[]): Failure {
		return refusal(
			'RERUN_UNCLEAR',
			`This row may be one that an earlier run already sent (${this.labels(sent)})`,
			// n8n retries no execution that went on after a failure.
			this.n8n.continueOnFail()
				? 'To continue, set the row back to what it was. To post it anew, change its text.'
				: 'To continue, retry that execution from the Executions list, or set the row back to what it was. To post it anew, change its text.',
		);
	}

	/** The error of a run in which `row` failed: what happened, what was sent, what to do. */
	runFailed(perItem: Outcome[][], row: number, keyMode?: KeyMode, othersWait = false): Failure {
		const outcomes = perItem[row]!;
		const failure = outcomes.length === 1 ? (outcomes[0] as Failure) : this.words.several(outcomes);
		if (!this.writer) return failure;
		const { details, processed } = failure;
		const { failures = [details] } = details;
		const about = map([details, ...failures], 'idempotency_key');
		// Under the user's own ID, it is another row that was sent.
		const isOthers = keyMode !== 'execution' && isConflict(failure);
		const others = this.sent().filter(({ key }) => isOthers || !about.includes(key));
		const isRow = perItem.length > 1;
		const failed = perItem.map((all) => all.filter(isFailure));
		const more = range(perItem.length).filter((index) => index !== row && failed[index]!.length > 0);
		const message = joined(
			isRow ? `Row ${row + 1} of ${perItem.length} failed: ${details.message}` : details.message,
			...(more.length > 0 ? [`${rowsNamed(more)} failed, too`] : []),
			...this.sentences(others),
			...(processed === 'no' && this.sent().length === 0 ? [this.nothing] : []),
		);
		const isOfKey = failures.some(({ status }) => status === 401 || status === 403);
		// *Execute step* remembers by the API key, and by the form of a post.
		const isOfCredential =
			isOfKey || failures.some(({ status, hint }) => status === 400 && hint.includes('credential'));
		const kept = new Set(this.sent().flatMap(({ key, error }) => (error ? [key] : [])));
		const isFinal = !othersWait && failed.flat().every((one) => kept.has(one.details.idempotency_key ?? ''));
		const isKept = kept.has(details.idempotency_key ?? '');
		const pressed = isKept ? waysOn.corrected : waysOn.remembered;
		const known = isOfCredential ? waysOn.unlessChanged : pressed;
		const isNew = keyMode === 'execution';
		const leaveOut = isNew && some(this.sent(), { state: 'succeeded' });
		const final = waysOn.final(more.length > 0, leaveOut);
		const wayOn = isFinal ? final : isNew ? waysOn.forgotten : waysOn.keyed;
		const again = isNew && this.writer.rerun?.isKept ? known : wayOn;
		const isUnsure = isOfKey && some(this.sent(), { state: 'inDoubt' }) && !details.hint.includes(otherKey);
		const hint = joined(
			...[details.hint, isRow && others.length > 0 && again, isUnsure && otherKey].filter(isString),
		);
		const besides = map(
			more.flatMap((index) => failed[index]!),
			'details',
		);
		const all = more.length > 0 ? { failures: [...failures, ...besides].slice(0, MAX_LISTED) } : {};
		return failure.with({ message, hint, ...all, ...this.posts });
	}

	/** An item of a run that goes on; a failed one says what was sent besides, and whether its row was. */
	worded(one: Outcome, index: number): Outcome {
		if (!(one instanceof Failure) || !this.writer) return one;
		const { sent, key } = this.writer.ofRow(index);
		const isUnsent = one.processed === 'no' && sent.length === 0;
		const message = isUnsent ? joined(one.message, 'This row was not sent') : one.message;
		const { idempotency_key = key } = one.details;
		return one.with({ message, idempotency_key, ...this.posts });
	}

	/** All that was sent, once the run is over. Equal rows may be one post, with one key. */
	private readonly sent = once(() => uniqBy(this.writer?.sent() ?? [], 'key'));

	/** Of a run that sent nothing; earlier rounds of a loop, or calls of a tool, may have. */
	private get nothing(): string {
		return this.writer!.sent('all').length > 0 ? 'Nothing more was sent' : 'Nothing was sent';
	}

	private sentences(all: Sent[]): string[] {
		// What is out on some of its platforms has succeeded, and failed on the others.
		const became = ({ state, error }: Sent) => (error ? 'keptAsFailed' : state);
		const { succeeded, inDoubt, keptAsFailed } = groupBy(all, became);
		return compact([
			succeeded && `${this.were(succeeded)} already sent (${this.labels(succeeded)})`,
			inDoubt && `${this.words.counted(inDoubt)} may have been sent (${this.labels(inDoubt)})`,
			keptAsFailed &&
				`${this.were(keptAsFailed)} kept by the service as failed (${this.labels(keptAsFailed.map(asFailed))})`,
		]);
	}

	private labels(sent: readonly Sent[]): string {
		return firstFew(this.words.labels(sent, timeZoneOf(this.n8n)), 5, '; ');
	}

	/** "2 posts were" */
	private were(sent: readonly Sent[]): string {
		return `${this.words.counted(sent)} ${sent.length === 1 ? 'was' : 'were'}`;
	}

	private ofRows(rows: readonly number[]): string {
		return rows.length === 0 || this.n8n.getInputData().length <= 1 ? '' : `${rowsNamed(rows)}: `;
	}

	/** What a press of *Execute step* found to be sent by the run before it. */
	private notSentAgain(): string | undefined {
		// What was in doubt went out once more.
		const reused = this.sent().filter(({ isCarriedOver, isRerun, now }) => isCarriedOver && !isRerun && !now);
		if (reused.length === 0) return undefined;
		const them = reused.length === 1 ? 'it' : 'them';
		const next = this.writer?.rerun?.isDone ? ' The next run sends everything again.' : '';
		return `${this.were(reused)} not sent again because an earlier run had already sent ${them} (${this.labels(reused)}).${next}`;
	}

	/** What came of a run, where that isn't plain: "40 sent, 3 had been sent before, 1 not confirmed; waited 52 s for …". */
	private summary(isCounted: boolean): string | undefined {
		const { pace } = this.client;
		const [now, before] = partition(this.sent(), 'now');
		const sure = now.filter(({ state }) => state !== 'inDoubt').length;
		const unsure = now.length - sure;
		const replayed = before.filter(({ state, isRerun }) => state === 'succeeded' && !isRerun).length;
		const isSlow = pace.waitedMs >= NOTICEABLE_WAIT_MS;
		if ((isCounted || (replayed === 0 && unsure === 0)) && !isSlow) return undefined;
		const counts = compact([
			sure > 0 && `${sure} sent`,
			!isCounted && replayed > 0 && `${replayed} had been sent before`,
			unsure > 0 && `${unsure} not confirmed`,
		]).join(', ');
		const limitOf = pace.limitOf(this.writer ? 'write' : 'read');
		const limit = limitOf === undefined ? 'the rate limit' : `the limit of ${limitOf} a minute`;
		const wait = isSlow && `waited ${Math.round(pace.waitedMs / 1000)} s for ${limit}`;
		return `${upperFirst(compact([counts, wait]).join('; '))}.`;
	}
}

/** A post that is out on some of its platforms, as one of those on which it failed: a new one is for these alone. */
function asFailed(one: Sent): Sent {
	const { isOut, failures } = readPost(one.error?.post ?? {});
	const failed = { platform: undefined, platforms: map(failures, 'platform') };
	return isOut ? { ...one, record: { ...one.record, ...failed } } : one;
}

/** "Rows 1, 3" */
function rowsNamed(rows: readonly number[]): string {
	const numbers = uniq(sortBy(rows)).map((row) => row + 1);
	return `${numbers.length === 1 ? 'Row' : 'Rows'} ${firstFew(numbers)}`;
}

/** Sentences behind each other. */
export const joined = (...sentences: string[]): string =>
	sentences.length <= 1
		? (sentences[0] ?? '')
		: sentences.map((one) => ('.?!…'.includes(one.slice(-1)) ? one : `${one}.`)).join(' ');

const inList =
	'To continue, retry this execution from the Executions list. What was already sent is not sent again.';
/** How to go on after a row failed, by what *Execute step* would send again. */
const waysOn = {
	keyed: inList,
	forgotten: `${inList} 'Execute step' would send it again.`,
	unlessChanged: `${inList} After a change in the credential, 'Execute step' would send it again.`,
	/** The service keeps all that failed, and no row waits for a retry. */
	final: (isSeveral: boolean, leaveOut: boolean) =>
		`A retry doesn't send ${isSeveral ? 'these rows' : 'this row'} again.${leaveOut ? ' When you run the workflow again, leave out what was sent.' : ''}`,
	/** It would be sent anew, and rejected again. */
	corrected:
		"To continue, correct this row and click 'Execute step' again, or retry this execution from the Executions list, which skips this row. What was already sent is not sent again unless you change it.",
	remembered:
		"To continue, click 'Execute step' again or retry this execution from the Executions list. What was already sent is not sent again unless you change it.",
};
