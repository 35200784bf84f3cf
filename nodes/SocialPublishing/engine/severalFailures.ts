import { map, partition, pick, uniq } from 'lodash';

import { Failure, type Outcome } from '../../api/failure';
import { titleOf } from '../../api/contract';

/** One failure that names what failed, of an item with several outcomes. */
export function severalFailures(outcomes: Outcome[]): Failure {
	const failures = outcomes.filter((outcome): outcome is Failure => outcome instanceof Failure);
	const details = map(failures, 'details');
	const nouns = details.some(({ file }) => file !== undefined) ? 'files' : 'platforms';
	const failed = failures.map((one) => `${nameOf(one)}: ${one.message.replace(/\.$/, '')}`).join('; ');
	return new Failure({
		...pick(details[0]!, 'code', 'status', 'request_id'),
		retryable: details.some(({ retryable }) => retryable),
		message: `${failures.length} of ${outcomes.length} ${nouns} failed: ${failed}`,
		hint: advice(failures, outcomes.length),
		failures: details,
	}).withNotProcessed(failures.every(({ notProcessed }) => notProcessed));
}

/** The platform, account or file that failed. */
const nameOf = ({ details: { platform, account, file = 'One' } }: Failure): string =>
	platform ? `${account ? `${account} · ` : ''}${titleOf(platform)}` : file;

/** The service had accepted the post, and publishing it failed or was canceled: another run may send it anew. */
export const isEndedPost = ({ details: { code } }: Failure): boolean =>
	code === 'NODE_POST_FAILED' || code === 'NODE_POST_CANCELED';

/** Each failure's hint, once where they say the same, and what a retry of the execution does. */
function advice(failures: Failure[], count: number): string {
	const hints = uniq(failures.map(({ details }) => details.hint));
	const sentences = hints.length === 1 ? hints : failures.map((one) => `${nameOf(one)}: ${one.details.hint}`);
	// The service has the post and is done with it: a retry gives the same.
	const [final, missing] = partition(failures, (one) => one.details.status === 422 || isEndedPost(one));
	const named = (some: Failure[]): string => some.map(nameOf).join(' and ');
	if (final.length > 0 && final.length < count)
		sentences.push(`Create the new post for ${named(final)} only`);
	if (missing.length > 0)
		sentences.push(`A retry of this execution sends only what is missing: ${named(missing)}`);
	return joined(...sentences);
}

/** Sentences behind each other. */
export const joined = (...sentences: string[]): string =>
	sentences.length <= 1
		? (sentences[0] ?? '')
		: sentences.map((one) => ('.?!…'.includes(one.slice(-1)) ? one : `${one}.`)).join(' ');
