import type { Failure } from '../../nodes/api/failure';

export function failureOf(work: () => unknown): Failure {
	try {
		work();
	} catch (error) {
		return error as Failure;
	}
	throw new Error('Nothing failed');
}

export const rejectionOf = async (work: Promise<unknown>): Promise<Failure> =>
	await work.then(
		() => {
			throw new Error('Nothing failed');
		},
		(error: Failure) => error,
	);
