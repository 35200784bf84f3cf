import fc from 'fast-check';

import { ApiError } from '../../service/envelope';
import { Idempotency } from '../../service/idempotency';
import { runs } from '../../support/property';

/** Keys, and what makes two requests the same: test/integration/service/idempotency.test.ts. */

test('requests with one key at once act once, and all get its answer, however many failed before it', async () => {
	const answer = { status: 201, data: { id: 'post_1' } };
	const failure = new ApiError('PUBLIC_API_POST_CREATE_FAILED', 'no');
	await fc.assert(
		fc.asyncProperty(fc.nat(4), fc.integer({ min: 1, max: 4 }), async (failures, more) => {
			const idempotency = new Idempotency();
			let acted = 0;
			const act = async () => {
				const isFailing = acted++ < failures;
				await Promise.resolve();
				if (isFailing) throw failure;
				return answer;
			};
			const run = async () => await idempotency.run('scope', 'same', act).catch((error: Error) => error);
			const outcomes = await Promise.all(Array.from({ length: failures + more }, run));
			const replays = Array.from({ length: more }, (_, i) => ({ answer, replayed: i > 0 }));
			expect(outcomes).toEqual([...Array(failures).fill(failure), ...replays]);
			expect(acted).toBe(failures + 1);
		}),
		runs(40),
	);
});
