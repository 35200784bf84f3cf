import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { Failure, type Outcome } from '../../api/failure';
import { titleOf } from '../../api/platforms';
import type { Row } from './checkRows';
import { labels } from './postLabels';

/** One failure that names what failed and what went out, of an item with several outcomes. */
export function severalFailures(outcomes: Outcome[]): Failure {
	const failures = outcomes.filter((outcome): outcome is Failure => outcome instanceof Failure);
	const posts = outcomes.filter((outcome): outcome is IDataObject => !(outcome instanceof Failure));
	const first = failures[0]!.details;
	const files = failures.some(({ details }) => details.file !== undefined);
	const failed = failures
		.map((failure) => `${nameOf(failure)} (${sentence(failure.details.message)})`)
		.join(', ');
	const sent = posts
		.map((one) =>
			one.platform ? titleOf(String(one.platform)) : String(one.source ?? one.filename ?? one.id),
		)
		.join(', ');
	return new Failure({
		code: first.code,
		status: first.status,
		retryable: failures.some(({ details }) => details.retryable),
		message: `${failures.length} of ${outcomes.length} ${files ? 'files' : 'platforms'} failed: ${failed}. ${sent ? `Sent: ${sent}` : 'None was sent'}`,
		hint: whatToDo(failures, outcomes.length),
		...(first.request_id ? { request_id: first.request_id } : {}),
		failures: failures.map(({ details }) => details),
	});
}

/** The platform or file that failed. */
const nameOf = ({ details }: Failure): string =>
	details.platform ? titleOf(details.platform) : (details.file ?? 'One');

const sentence = (text: string): string => text.replace(/\.$/, '');

/** Two sentences behind each other. */
const followed = (text: string, next: string): string =>
	`${/[?!…]$/.test(text) ? text : `${sentence(text)}.`} ${next}`;

/** The service has the post and is done with it: sending the same once more gives the same. */
const isFinal = ({ details: { status, code } }: Failure): boolean =>
	status === 422 || code === 'NODE_POST_FAILED' || code === 'NODE_POST_CANCELED';

/** Each failure's hint, once where they say the same, and what a retry of the execution does. */
function whatToDo(failures: Failure[], count: number): string {
	const hints = new Set(failures.map(({ details }) => details.hint));
	const lines =
		hints.size === 1 ? [...hints] : failures.map((failure) => `${nameOf(failure)}: ${failure.details.hint}`);
	const [final, missing] = [failures.filter(isFinal), failures.filter((failure) => !isFinal(failure))];
	if (final.length > 0 && final.length < count)
		lines.push(`Create the new post for ${final.map(nameOf).join(' and ')} only.`);
	if (missing.length > 0)
		lines.push(
			final.length > 0
				? `A retry of this execution sends again to ${missing.map(nameOf).join(' and ')} only.`
				: missing.length === count
					? 'A retry of this execution tries all of them again.'
					: 'A retry of this execution sends only what is missing.',
		);
	return lines.join(' ');
}

/** How many rows, or posts, an error lists. */
const LISTED = 10;

/** What was sent, in an error: how many, and the first of them in few words. */
export function sentList(sent: IDataObject[]): IDataObject | undefined {
	if (sent.length === 0) return undefined;
	const first = sent
		.slice(0, LISTED)
		.map(({ platform, platforms, id, status, scheduled_at, filename }) =>
			JSON.parse(JSON.stringify({ platform: platform ?? platforms, id, status, scheduled_at, filename })),
		);
	return { count: sent.length, first };
}

/** What went out so far. */
export const sentIn = (perItem: Outcome[][]): IDataObject[] =>
	perItem.flat().filter((outcome): outcome is IDataObject => !(outcome instanceof Failure));

/**
 * The error of a run of which nothing was started, since some rows can't be sent.
 * @param sent by an earlier try of the execution, or by a run by hand before it
 */
export function rowsRefused(rows: readonly Row[], sent: IDataObject[], zone: string): Failure {
	const wrong = rows.filter(({ failure }) => failure);
	const first = wrong[0]!.failure!;
	const already =
		sent.length === 0
			? 'Nothing was sent.'
			: `Nothing more was sent; an earlier try sent ${sent.length} (${labels(sent, zone)}).`;
	const more = postsOf(sent);
	const messages = uniq(wrong.map(({ failure }) => failure!.details.message));
	const [message] = messages;
	if (wrong.length === 1) {
		const row = rows.length === 1 ? '' : `Row ${wrong[0]!.index + 1} of ${rows.length}: `;
		return first.with({ message: followed(`${row}${message}`, already), ...more });
	}
	const of = `${wrong.length} of ${rows.length} rows can't be sent`;
	const failures = wrong.slice(0, LISTED).map(({ failure }) => failure!.details);
	if (messages.length === 1)
		return first.with({ message: followed(`${of}: ${message}`, already), failures, ...more });
	const lines = wrong
		.slice(0, LISTED)
		.map(({ index, failure }) => followed(`Row ${index + 1}: ${failure!.details.message}`, ''));
	const rest = wrong.length > LISTED ? [`And ${wrong.length - LISTED} more rows.`] : [];
	const hints = new Set(wrong.map(({ failure }) => failure!.details.hint));
	const advice = hints.size === 1 ? [first.details.hint] : [];
	const hint = [...lines.map((line) => line.trim()), ...rest, ...advice].join(' ');
	return first.with({ message: `${of}. ${already}`, hint, failures, ...more });
}

const postsOf = (sent: IDataObject[]): { posts?: IDataObject } => {
	const posts = sentList(sent);
	return posts ? { posts } : {};
};

/** A failure of an item in a run: which row it was, what had been sent, how to go on. */
export function ofRun(failure: Failure, { row, count, sent, again, zone }: Ended): Failure {
	const { message, hint } = failure.details;
	const more = postsOf(sent);
	if (count === 1) return failure.with(more);
	if (sent.length === 0) return failure.with({ message: `Row ${row + 1} of ${count}: ${sentence(message)}` });
	const isPosts = sent.every(({ platform, platforms }) => platform ?? platforms);
	const noun = `${isPosts ? 'post' : 'row'}${sent.length === 1 ? ' was' : 's were'}`;
	return failure.with({
		message: followed(
			`Row ${row + 1} of ${count} failed: ${message}`,
			`${sent.length} ${noun} already sent (${labels(sent, zone)})`,
		),
		hint: `${hint} ${ways[again]}`,
		...more,
	});
}

/** How a run ended. */
interface Ended {
	/** The row that failed, from 0. */
	row: number;
	count: number;
	sent: IDataObject[];
	/** What pressing *Execute step* would send again of what was sent; `missing`: only what was not. */
	again: 'all' | 'missing' | 'none';
	/** The workflow's time zone. */
	zone: string;
}

const inList =
	'To continue, retry this execution from the Executions list. What was already sent is not sent again.';
/** How to go on. */
const ways = {
	none: inList,
	all: `${inList} 'Execute step' would send it again.`,
	missing:
		"To continue, click 'Execute step' again or retry this execution from the Executions list. What was already sent is not sent again unless you change it.",
};
