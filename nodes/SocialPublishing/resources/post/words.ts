import { groupBy, map, partition, pick, sortBy, uniq } from 'lodash';

import { Failure, isFailure, keepsPost } from '../../../api/failure';
import { titleOf } from '../../../api/contract';
import { readPost } from '../../../api/records';
import { filled } from '../../../api/texts';
import { joined, type Words } from '../../engine/report';
import { shortTime } from '../../lookups/posts';

/** What hints and errors call posts and files. */
export const words: Words = {
	counted(sent) {
		const [{ path } = { path: '' }] = sent;
		const noun = path === '/posts' ? 'post' : path.startsWith('/media') ? 'file' : 'request';
		return `${sent.length} ${noun}${sent.length === 1 ? '' : 's'}`;
	},
	/** Each platform with the times of its posts; what else there is of others. */
	labels(sent, zone) {
		const named = groupBy(sent, ({ record }) => {
			const { platforms, id } = readPost(record);
			return platforms.map(titleOf).join(', ') || String(record.filename ?? id ?? 'done');
		});
		return map(named, (some, name) => {
			const due = sortBy(some.flatMap(({ record }) => readPost(record).dueAt ?? []));
			const ends = [due[0], due.at(-1)].map((at = NaN) => shortTime(at, zone));
			return filled([name, uniq(ends).join(' to ')]).join(', ');
		});
	},
	several(outcomes) {
		const failures = outcomes.filter(isFailure);
		const details = map(failures, 'details');
		const nouns = details.some(({ file }) => file !== undefined) ? 'files' : 'platforms';
		const failed = failures.map((one) => `${nameOf(one)}: ${one.message.replace(/\.$/, '')}`).join('; ');
		return new Failure(
			{
				...pick(details[0]!, 'code', 'status', 'request', 'request_id'),
				retryable: details.some(({ retryable }) => retryable),
				message: `${failures.length} of ${outcomes.length} ${nouns} failed: ${failed}`,
				hint: advice(failures, outcomes.length),
				failures: details,
			},
			{
				processed: failures.some(({ processed }) => processed === 'maybe') ? 'maybe' : 'no',
				isOfService: false,
			},
		);
	},
	unpublished(failure) {
		const { isOut, failures } = readPost(failure.details.post ?? {});
		if (!isEnded(failure) && !(isOut && failure.details.status === 422)) return [];
		return isOut ? map(failures, 'platform') : 'all';
	},
};

const nameOf = ({ details: { platform, account, file = 'One' } }: Failure): string =>
	platform ? `${account ? `${account} · ` : ''}${titleOf(platform)}` : file;

/** The service had accepted the post, and publishing it failed or was canceled. */
function isEnded({ details: { code } }: Failure): boolean {
	return code === 'NODE_POST_FAILED' || code === 'NODE_POST_CANCELED';
}

/** Each failure's hint, once where they say the same, and what a retry of the execution does. */
function advice(failures: Failure[], count: number): string {
	const hints = uniq(failures.map(({ details }) => details.hint));
	const sentences = hints.length === 1 ? hints : failures.map((one) => `${nameOf(one)}: ${one.details.hint}`);
	// The service has the post and is done with it: a retry gives the same.
	const [final, missing] = partition(failures, (one) => keepsPost(one.details) || isEnded(one));
	const named = (some: Failure[]): string => some.map(nameOf).join(' and ');
	if (final.length > 0 && final.length < count)
		sentences.push(`Create the new post for ${named(final)} only`);
	// What the service accepted isn't missing.
	const unsent = missing.filter(({ details }) => !details.post);
	if (unsent.length > 0)
		sentences.push(`A retry of this execution sends only what is missing: ${named(unsent)}`);
	return joined(...sentences);
}
