import { checkRows, recountPosts, type Row } from '../../../../nodes/SocialPublishing/engine/checkRows';
import type { ItemContext, Operation } from '../../../../nodes/SocialPublishing/engine/operation';

/** What it says of rows, in n8n's engine: `test/integration/…/checkRows.test.ts`. */

test('130,000 rows are no more than the stack takes', async () => {
	const memory: { posts?: Record<string, number> } = {};
	const context = {
		continueOnFail: () => false,
		getContext: () => memory,
		getNode: () => ({ parameters: {} }),
	};
	const run = { context, manualRerun: Promise.resolve(undefined), isTool: false, round: 0 } as never;
	const operation = { method: 'POST', countPosts: () => 1 } as unknown as Operation;
	const item = { sentBefore: () => undefined } as unknown as ItemContext;
	const rows = Array.from({ length: 130_000 }, (_, index): Row => ({
		index,
		params: { options: { mostPosts: 200_000 } },
		item,
	}));
	await checkRows(run, operation, rows);
	expect(rows.filter(({ failure }) => failure)).toHaveLength(0);
	expect(memory.posts).toEqual({ 'round 0': 130_000 });
	recountPosts(
		run,
		operation,
		rows,
		rows.map(() => [{ platform: 'x, linkedin' }]),
	);
	expect(memory.posts).toEqual({ 'round 0': 260_000 });
});
