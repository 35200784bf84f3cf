import { Failure, type ErrorDetails } from '../../nodes/api/failure';

/** A failure that says this. */
export const failure = (message: string, more: Partial<ErrorDetails> = {}): Failure =>
	new Failure({ code: 'NODE_A', message, hint: 'Try.', ...more });

/** What an answer with this status comes to. */
export const answered = (status: number, notProcessed = false): Failure =>
	new Failure(
		{ code: `OF_${status}`, message: 'no', hint: 'try', status },
		{ processed: notProcessed ? 'no' : 'maybe', isOfService: false, isRepeat: false },
	);

export function failureOf(work: () => unknown): Failure {
	try {
		work();
	} catch (error) {
		return error as Failure;
	}
	throw new Error('Nothing failed');
}
