import type { IDataObject } from 'n8n-workflow';

import { inMemory, itemWith } from '../../../support/binaries';
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

test('a post with a file that says something else by now is checked like any other, and not sent unapproved', async () => {
	const withFile = async (text: string, options: IDataObject = {}) =>
		await run(
			service(),
			createPost({
				...{ text, platforms: ['x', 'linkedin'], mediaFrom: 'binary', binaryFields: 'data' },
				options: { platformText: { texts: [{ platform: 'linkedin', text: 'Dear all' }] }, ...options },
			}),
			{
				items: [itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('a file')) })],
				mode: 'manual',
				executionId: `press-${++presses}`,
			},
		);
	const { json } = await withFile('Approved', { previewOnly: true });
	const approvedCode = json.map(({ approval_code }) => approval_code).join();
	// Its upload and the post to X go through.
	refuse();
	await withFile('Approved', { approvedCode });
	expect(texts()).toEqual(['Approved']);
	const { error } = await withFile('Another', { approvedCode });
	expect(error.message).toMatch(/^This isn't what was approved: the text changed/);
	expect(texts()).toEqual(['Approved']);
	const { error: none, hints } = await withFile('Approved', { approvedCode });
	expect(none).toBeUndefined();
	expect(texts()).toEqual(['Approved', 'Dear all']);
	// The file belongs to the post.
	expect(hints.map(({ message }) => message).join()).toMatch(
		/1 post was not sent again because .+ sent it \(X,/,
	);
});
