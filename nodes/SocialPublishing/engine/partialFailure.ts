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
				: 'A retry of this execution sends only what is missing.',
		);
	return lines.join(' ');
}
