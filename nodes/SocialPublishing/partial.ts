import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../api/errors';
import type { Outcome } from './operation';

/** One failure that names what failed and what went out, of an item with several outcomes. */
export function severalFailures(outcomes: Outcome[]): Failure {
	const failures = outcomes.filter((outcome): outcome is Failure => outcome instanceof Failure);
	const posts = outcomes.filter((outcome): outcome is IDataObject => !(outcome instanceof Failure));
	const first = failures[0]!.facts;
	const files = failures.some(({ facts }) => facts.file !== undefined);
	const failed = failures
		.map(({ facts }) => `${facts.platform ?? facts.file ?? '?'} (${facts.message.replace(/\.$/, '')})`)
		.join(', ');
	const sent = posts.map((one) => String(one.platform ?? one.source ?? one.filename ?? one.id)).join(', ');
	return new Failure({
		code: first.code,
		status: first.status,
		retryable: failures.some(({ facts }) => facts.retryable),
		message: `${failures.length} of ${outcomes.length} ${files ? 'files' : 'platforms'} failed: ${failed}. ${sent ? `Sent: ${sent}` : 'None was sent'}`,
		hint: `${first.hint} A retry of this execution sends only what is missing.`,
		...(first.request_id ? { request_id: first.request_id } : {}),
		failures: failures.map(({ facts }) => facts),
		posts,
	});
}

/** Whatever was thrown, as a failure: n8n's own errors (an expression that can't be evaluated) keep their text. */
export function toFailure(error: unknown): Failure {
	if (error instanceof Failure) return error;
	const { message, description } = error as { message?: string; description?: string };
	return new Failure({
		code: 'NODE_UNEXPECTED',
		message: message ?? String(error),
		hint: description ?? 'Check the parameters of the node.',
	});
}
