import fc from 'fast-check';

import { ApiError } from '../../service/envelope';
import { Idempotency, type Answer } from '../../service/idempotency';
import { runs } from '../../support/property';

/** Keys, and what makes two requests the same: test/integration/service/pipeline.test.ts. */

describe('requests with one key', () => {
	const answer: Answer = { status: 201, data: { id: 'post_1' } };
	const failure = new ApiError('PUBLIC_API_POST_CREATE_FAILED', 'no');
	/** Sends requests at once, of which so many fail to act. */
	async function send(failures: number, prints: string[]) {
		const idempotency = new Idempotency();
		let acted = 0;
		const act = async () => {
			const isFailing = acted++ < failures;
			await Promise.resolve();
			if (isFailing) throw failure;
			return answer;
		};
		const run = async (print: string) =>
			await idempotency.run('scope', print, act).catch((error: Error) => error);
		return { outcomes: await Promise.all(prints.map(run)), acted: () => acted, size: idempotency.size };
	}

	test('act once, and all get its answer, however many failed before it', async () => {
		await fc.assert(
			fc.asyncProperty(fc.nat(4), fc.integer({ min: 1, max: 4 }), async (failures, more) => {
				const { outcomes, acted, size } = await send(failures, Array(failures + more).fill('same'));
				const replays = Array.from({ length: more }, (_, i) => ({ answer, replayed: i > 0 }));
				expect(outcomes).toEqual([...Array(failures).fill(failure), ...replays]);
				expect([acted(), size]).toEqual([failures + 1, 1]);
			}),
			runs(40),
		);
	});

	test('and another body are a conflict, also while the first one is on its way', async () => {
		const conflict = expect.objectContaining({ code: 'PUBLIC_API_IDEMPOTENCY_CONFLICT', status: 409 });
		const { outcomes } = await send(0, ['one', 'other', 'one']);
		expect(outcomes).toEqual([{ answer, replayed: false }, conflict, { answer, replayed: true }]);
	});
});
