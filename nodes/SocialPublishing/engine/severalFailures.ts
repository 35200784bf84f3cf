import partition from 'lodash/partition';
import pick from 'lodash/pick';
import uniq from 'lodash/uniq';

import { Failure, type Outcome } from '../../api/failure';
import { titleOf } from '../../api/platforms';

/** One failure that names what failed, of an item with several outcomes. */
export function severalFailures(outcomes: Outcome[]): Failure {
	const failures = outcomes.filter((outcome): outcome is Failure => outcome instanceof Failure);
	const first = failures[0]!.details;
	const nouns = failures.some(({ details }) => details.file !== undefined) ? 'files' : 'platforms';
	const failed = failures.map((failure) => `${nameOf(failure)} (${failure.details.message})`).join(', ');
	return new Failure({
		...pick(first, 'code', 'status', 'request_id'),
		retryable: failures.some(({ details }) => details.retryable),
		message: `${failures.length} of ${outcomes.length} ${nouns} failed: ${failed}`,
		hint: advice(failures, outcomes.length),
		failures: failures.map(({ details }) => details),
	}).withNotProcessed(failures.every(({ notProcessed }) => notProcessed));
}

/** The platform, account or file that failed. */
const nameOf = ({ details: { platform, account, file = 'One' } }: Failure): string =>
	platform ? `${account ? `${account} · ` : ''}${titleOf(platform)}` : file;

/** The service had accepted the post, and publishing it failed or was canceled: another run may send it anew. */
export const isEndedPost = ({ details: { code } }: Failure): boolean =>
	code === 'NODE_POST_FAILED' || code === 'NODE_POST_CANCELED';

/** The service has the post and is done with it: a retry gives the same. */
const isFinal = (failure: Failure): boolean => failure.details.status === 422 || isEndedPost(failure);

/** Each failure's hint, once where they say the same, and what a retry of the execution does. */
function advice(failures: Failure[], count: number): string {
	const hints = uniq(failures.map(({ details }) => details.hint));
	const [final, missing] = partition(failures, isFinal);
	const names = (some: Failure[]): string => some.map(nameOf).join(' and ');
	return joined(
		...(hints.length === 1 ? hints : failures.map((one) => `${nameOf(one)}: ${one.details.hint}`)),
		...(final.length > 0 && final.length < count ? [`Create the new post for ${names(final)} only`] : []),
		...(missing.length === 0
			? []
			: final.length > 0
				? [`A retry of this execution sends again to ${names(missing)} only`]
				: missing.length === count
					? ['A retry of this execution tries all of them again']
					: ['A retry of this execution sends only what is missing']),
	);
}

/** Sentences behind each other. */
export const joined = (...sentences: string[]): string =>
	sentences.length <= 1
		? (sentences[0] ?? '')
		: sentences.map((one) => ('.?!…'.includes(one.slice(-1)) ? one : `${one}.`)).join(' ');
