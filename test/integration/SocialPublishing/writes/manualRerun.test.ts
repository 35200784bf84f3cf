import type { IDataObject } from 'n8n-workflow';

import { createPost, item, posts, run, useService } from '../../../support/service';

/**
 * *Execute step* pressed again after a failed run, as its user sees it: each press is an execution of its own, which n8n
 * tells nothing of the last. What is found again, and what is another write: the sequences by hand of `write.model.test.ts`.
 */

const service = useService({ speed: 0 });

let presses = 0;
const press = async (options: IDataObject = {}) =>
	await run(service(), createPost({ text: '={{ $json.text }}', options: { concurrency: 1, ...options } }), {
		items: ['One', 'Two', 'Three'].map((text) => item({ text })),
		mode: 'manual',
		executionId: `press-${++presses}`,
	});
/** The third write is refused. */
const refuse = (times = 1) =>
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 2, times });
const texts = () => posts(service()).map(({ text }) => text);

test('only what is missing is sent, and the node says so, however often it fails; the run after that sends anew', async () => {
	refuse(2);
	const first = await press();
	expect(first.error.message).toMatch(/^Row 3 of 3 failed: .+ 2 posts were already sent/);
	expect(first.error.description).toMatch(/click 'Execute step' again or retry/);
	await press();
	expect(texts()).toEqual(['One', 'Two']);
	const third = await press();
	expect(third.error).toBeUndefined();
	expect(texts()).toEqual(['One', 'Two', 'Three']);
	expect(third.json.map(({ id }) => id)).toEqual(posts(service()).map(({ id }) => id));
	const told = 'because the previous, unfinished run had already sent them (X, scheduled for ';
	expect(third.hints.map(({ message }) => message).join()).toContain(`2 posts were not sent again ${told}`);
	await press();
	expect(posts(service())).toHaveLength(6);
});
