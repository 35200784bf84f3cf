import type { Failure } from '../../nodes/api/failure';

/** The failure of what has to fail. */
export function failureOf(work: () => unknown): Failure {
	try {
		work();
	} catch (error) {
		return error as Failure;
	}
	throw new Error('Nothing failed');
}

/** The same of what fails later. */
export const rejectionOf = async (work: Promise<unknown>): Promise<Failure> =>
	await work.then(
		() => {
			throw new Error('Nothing failed');
		},
		(error: Failure) => error,
	);
