import type { Failure } from '../../nodes/api/errors';

/** The failure of what has to fail. */
export function failureOf(work: () => unknown): Failure {
	try {
		work();
	} catch (error) {
		return error as Failure;
	}
	throw new Error('Nothing failed');
}
