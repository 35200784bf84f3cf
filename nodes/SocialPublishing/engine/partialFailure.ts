import type { IDataObject } from 'n8n-workflow';

import { Failure, type Outcome } from '../../api/errors';
import { titleOf } from '../../api/platforms';

/** One failure that names what failed and what went out, of an item with several outcomes. */
export function severalFailures(outcomes: Outcome[]): Failure {
	const failures = outcomes.filter((outcome): outcome is Failure => outcome instanceof Failure);
	const posts = outcomes.filter((outcome): outcome is IDataObject => !(outcome instanceof Failure));
	const first = failures[0]!.details;
	const files = failures.some(({ details }) => details.file !== undefined);
	const failed = failures
		.map((failure) => `${nameOf(failure)} (${failure.details.message.replace(/\.$/, '')})`)
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
		posts,
	});
}

/** The platform or file that failed. */
const nameOf = ({ details }: Failure): string =>
	details.platform ? titleOf(details.platform) : (details.file ?? 'One');

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

/** What went out so far. */
export const sentIn = (perItem: Outcome[][]): IDataObject[] =>
	perItem.flat().filter((outcome): outcome is IDataObject => !(outcome instanceof Failure));

/** What went out so far, in few words an entry: for the item of a failure, which stands beside the others. */
export const summaryOf = (perItem: Outcome[][]): IDataObject[] =>
	perItem.flatMap((outcomes, item) =>
		sentIn([outcomes]).map(({ platform, id, status, scheduled_at, filename }) =>
			JSON.parse(JSON.stringify({ item, platform, id, status, scheduled_at, filename })),
		),
	);

/** How many are named one by one. */
const NAMED = 5;

/**
 * A failure of an item in a run of several: which row it was, what had been sent, how to go on.
 * @param again what pressing *Execute step* would send again of what was sent, `missing`: only what was not
 */
export function ofRun(
	failure: Failure,
	{
		row,
		count,
		sent,
		again,
	}: { row: number; count: number; sent: IDataObject[]; again: 'all' | 'missing' | 'none' },
): Failure {
	const { message, hint } = failure.details;
	if (count === 1) return failure;
	const words = message.replace(/\.$/, '');
	if (sent.length === 0) return failure.with({ message: `Row ${row + 1} of ${count}: ${words}` });
	const names = sent.slice(0, NAMED).map(labelOf);
	const more = sent.length > NAMED ? ', …' : '';
	const done = sent.every(({ platform }) => platform) ? 'posts were' : 'rows were';
	const told = sent.length === 1 ? done.replace('s were', ' was') : done;
	return failure.with({
		message: `Row ${row + 1} of ${count} failed: ${words}. ${sent.length} ${told} already sent (${names.join(', ')}${more})`,
		hint: `${hint} ${ways[again]}`,
		posts: sent,
	});
}

const inList = 'To go on, retry this execution from the Executions list: what was sent is not sent again.';
/** How to go on. */
const ways = {
	none: inList,
	all: `${inList} 'Execute step' would send it again.`,
	missing:
		"To go on, press 'Execute step' again, or retry this execution from the Executions list: what was sent is not sent again, unless you change it.",
};

/** Platform and local time of a post; what else there is of other records. */
function labelOf({ platform, scheduled_at_local: local, id, filename }: IDataObject): string {
	if (!platform) return String(filename ?? id ?? 'done');
	const time = typeof local === 'string' ? ` scheduled for ${local.slice(11, 16)}` : '';
	return `${titleOf(String(platform))}${time}`;
}
