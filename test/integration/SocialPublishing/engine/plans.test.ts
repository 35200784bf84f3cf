import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { runTool } from '../../../support/engine';
import {
	addPost,
	asked,
	continuesOnFail,
	createPost,
	credentialOf,
	posts,
	runOperation,
	usePosting,
} from '../../../support/service';

const { service, create } = usePosting({ speed: 0 });
const byRow = { text: '={{ $json.text }}', options: { concurrency: 1 } };
const errorIn = (json: IDataObject | undefined) => json!.error as IDataObject;
const expectNothingSent = () => expect(asked(service(), 'POST')).toEqual([]);

describe('all rows are planned before the first write', () => {
	const rows = [{ text: 'One' }, { text: '' }, { text: 'Three' }];

	test('what is wrong with one of them, of accounts, too', async () => {
		const more = { postTo: 'accounts', accounts: ['acc_main_x', 'acc_main_linkedin'] };
		const { error } = await create({ ...byRow, ...more }, rows);
		expect(error.message).toBe("Row 2 of 3: 'Text' is empty. Nothing was sent.");
		// n8n would add "[item 1]" to the message.
		expect(error.context.itemIndex).toBeUndefined();
		expectNothingSent();
	});

	test('an expression that fails in Batch Size fails its row, with Continue On Fail, too', async () => {
		const failing = {
			text: 'Hi',
			options: { concurrency: '={{ $json.size ?? $("Nowhere").first().json.size }}' },
		};
		const given = [{ size: 2 }, {}];
		const { error } = await create(failing, given);
		expect(error.message).toMatch(/^Row 2 of 2: .+ Nothing was sent\.$/);
		expectNothingSent();
		const { json, error: none } = await create(failing, given, continuesOnFail);
		expect(none).toBeUndefined();
		expect(errorIn(json[1]).message).toMatch(/This row was not sent\.$/);
		expect(posts(service())).toHaveLength(1);
	});
});

describe('Preview Only with Continue On Fail', () => {
	const options = { previewOnly: true };

	test('previews of other rows are no posts that were sent', async () => {
		const { json } = await create({ ...byRow, options }, [{ text: 'One' }, {}], continuesOnFail);
		expect(json[0]).toMatchObject({ preview: true, text: 'One' });
		expect(errorIn(json[1]).message).toBe("'Text' is empty. This row was not sent.");
		expect(errorIn(json[1]).posts).toBeUndefined();
		expectNothingSent();
	});

	test.each([{}, continuesOnFail])(
		'of Upload, the second file is empty: none was sent (%j)',
		async (node) => {
			const file = (data: string): INodeExecutionData => ({
				json: {},
				binary: { data: { data, mimeType: 'image/png', fileName: 'a.png' } },
			});
			const more = { items: [file('iVBORw0KGgo='), file('')], ...node };
			const { json, error } = await runOperation(service(), 'media:upload', { options }, more);
			const { message, posts: sent } = error
				? { ...error.context.data, message: error.message }
				: errorIn(json[1]);
			expect(message).not.toMatch(/already sent/);
			expect([sent, error === undefined]).toEqual([undefined, 'node' in node]);
			expectNothingSent();
		},
	);
});

describe('a list that can not be read is asked for once a run', () => {
	const twenty = Array.from({ length: 20 }, (_, index) => ({ text: `Post ${index}` }));
	const slots = { ...byRow, when: 'nextSlot', slotTimes: '09:00' };
	const refused = { kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN' } as const;

	test.each([
		['fails', refused, byRow, 1],
		['hangs', { kind: 'hang', ms: 100 }, { ...byRow, options: { maxRetryWait: 0 } }, 5],
	] as const)('/accounts, which %s: 20 posts go out all the same', async (_what, fault, parameters, most) => {
		service().faults.add({ ...fault, method: 'GET', path: '^/accounts', times: 0 });
		const { error } = await create(parameters, twenty);
		expect([error, posts(service()).length]).toEqual([undefined, 20]);
		expect(asked(service(), 'GET', /\/accounts/).length).toBeLessThanOrEqual(most);
	});

	test.each([
		['/accounts', { ...byRow, postTo: 'accounts', accounts: ['acc_main_x'] }, /accounts/],
		['/posts, for slots', slots, /posts/],
	])('%s: no post goes out', async (_list, parameters, path) => {
		service().faults.add({ ...refused, method: 'GET', path: path.source, times: 0 });
		const { error } = await create(parameters, twenty);
		expect(error.message).toMatch(
			/^20 of 20 rows can't be sent \(rows 1, 2, .+, 10, …\): .+ Nothing was sent\.$/,
		);
		expect(asked(service(), 'GET', path)).toHaveLength(1);
		expectNothingSent();
	});
});

test.each(['{}', {}])('Update without a field, Additional Fields at %j: nothing is sent', async (none) => {
	const update = async (additionalFields: unknown) =>
		await runOperation(service(), 'post:update', {
			postId: addPost(service()),
			options: { additionalFields } as IDataObject,
		});
	expect((await update(none)).error.message).toBe("'Update Fields' is empty. Nothing was sent.");
	expect(asked(service(), 'PATCH')).toEqual([]);
	expect((await update('{"text":"New"}')).error).toBeUndefined();
});

describe('Max Posts per Execution', () => {
	const call = (text: string, runIndex: number, options: IDataObject = {}) => ({
		parameters: createPost({ text, options: { mostPosts: 2, ...options } }),
		runIndex,
	});
	const tooMany = /^'Max Posts per Execution' is 2: this execution has sent 2 and asks for 1 more/;

	test('holds for calls that an agent makes at the same time', async () => {
		const shared = { credential: credentialOf(service()), contextData: {} };
		const make = async (text: string, runIndex: number) =>
			await runTool({ ...shared, calls: [call(text, runIndex)] });
		const results = (await Promise.all(['One', 'Two', 'Three'].map(make))).flat();
		expect(results.map((one) => Array.isArray(one))).toEqual([true, true, false]);
		expect((await make('Four', 3))[0].message).toMatch(tooMany);
		expect(posts(service())).toHaveLength(2);
	});
});
