import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { inMemory, png } from '../../../../support/binaries';
import {
	addPost,
	asked,
	contextOf,
	continuesOnFail,
	createPost,
	credentialOf,
	item,
	posts,
	run,
	runOperation,
	usePosting,
} from '../../../../support/service';
import type { RunResult } from '../../../../support/engine';

/** What people did to the node from outside, and what came of it. */

const { service, create } = usePosting();
const errorOutput = { onError: 'continueErrorOutput' } as const;
const own = (id: string) => ({ avoidDuplicates: { by: { mode: 'custom', id: id } } });
const rejected = { kind: 'error', code: 'PUBLIC_API_BODY_INVALID', method: 'POST' } as const;
/** The items of an error output, back in the node. */
const comeBack = async (parameters: IDataObject, before: RunResult, runIndex: number) =>
	await run(service(), parameters, {
		...{ items: before.outputs[1] as INodeExecutionData[], node: errorOutput },
		...{ runIndex, contextData: contextOf(before) },
	});

describe('rows that come back from the error output', () => {
	test('a failure that was split in two: the second is not lost, and goes out as a row of its own', async () => {
		service().faults.add(rejected);
		const parameters = createPost({ text: '={{ $json.text }}' });
		const first = await run(service(), parameters, {
			...{ items: [item({ text: 'One and two' })], node: errorOutput },
		});
		const [failed] = first.outputs[1] as INodeExecutionData[];
		const parts = ['One', 'Two'].map((text) => ({ ...failed!, json: { ...failed!.json, text } }));
		first.outputs[1] = parts;
		const second = await comeBack(parameters, first, 1);
		expect(second.outputs).toMatchObject([
			[{ json: { text: 'One' } }],
			[{ json: { text: 'Two', error: { code: 'NODE_ROW_DIVIDED' } } }],
		]);
		second.outputs[1] = [item({ text: 'Two' })];
		await comeBack(parameters, second, 2);
		expect(posts(service()).map(({ text }) => text)).toEqual(['One', 'Two']);
	});

	test('in the quick start form, a file without a text is a post', async () => {
		const credential = credentialOf(service(), { postFormat: 'quickStart' });
		const parameters = createPost({ text: '', mediaFrom: 'binary', binaryFields: 'data' });
		const items = [{ ...item({}), binary: { data: inMemory('a.png', 'image/png', png) } }];
		await run(service(), parameters, { items, credential });
		expect(posts(service())).toMatchObject([{ text: '', media: [expect.anything()] }]);
	});

	test('a row keeps its file', async () => {
		service().faults.add(rejected);
		const parameters = createPost({ mediaFrom: 'binary', binaryFields: 'data' });
		const items = [{ ...item({}), binary: { data: inMemory('a.png', 'image/png', png) } }];
		const first = await run(service(), parameters, { items, node: errorOutput });
		const second = await comeBack(parameters, first, 1);
		expect([second.error, second.outputs[1], posts(service()).length]).toEqual([undefined, [], 1]);
	});
});

test.each([
	['an upload', 'PUBLIC_API_UPLOAD_URL_FAILED', { method: 'POST', path: '/media', skip: 1 }],
	['a wait for publication', 'PUBLIC_API_POST_FETCH_FAILED', { method: 'GET', path: '/posts/' }],
])('%s fails after a row was sent: no advice sends it again', async (what, code, where) => {
	service().faults.add({ kind: 'error', code, ...where, times: 0 });
	const isWait = what !== 'an upload';
	const options = { maxRetryWait: 0, ...(isWait ? { waitForPublication: 5 } : {}) };
	const parameters = createPost({
		...{ text: '={{ $json.text }}', mediaFrom: isWait ? 'none' : 'binary', binaryFields: 'data', options },
	});
	const binary = { data: inMemory('a.png', 'image/png', png) };
	const items = ['Rye', 'Spelt'].map((text) => ({ ...item({ text }), binary }));
	const { error } = await run(service(), parameters, { items });
	expect(posts(service()).length).toBeGreaterThan(0);
	expect(error!.description).not.toMatch(/run the workflow again/i);
});

describe('My Own ID', () => {
	const rows = (...texts: string[]) => texts.map((text) => ({ text, id: 'spring' }));
	const delayed = { text: '={{ $json.text }}', when: 'delay', delayAmount: 1, delayUnit: 'hours' };
	const slots = { text: '={{ $json.text }}', when: 'nextSlot', slotDays: ['mon', 'fri'], slotTimes: '09:00' };
	const options = own('={{ $json.id }}');

	test('rows that share an ID by mistake take one slot: no row is sent; a node that goes on sends the first', async () => {
		const shared = { ...slots, options };
		const { error } = await create(shared, [{ text: 'Oat', id: 'oat' }, ...rows('Rye', 'Spelt')]);
		expect(error!.message).toBe(
			"Row 3 of 3: Row 2 has the same 'My Own ID', but different content. Nothing was sent.",
		);
		expect(posts(service())).toEqual([]);
		const { json } = await create(shared, rows('Rye', 'Spelt'), continuesOnFail);
		expect(json).toMatchObject([{ text: 'Rye' }, { error: { code: 'NODE_OWN_ID_SHARED' } }]);
		expect(posts(service())).toHaveLength(1);
	});

	test('a row that is refused for another reason says so, and takes its ID from no other row', async () => {
		const parameters = { text: '={{ $json.text }}', when: 'at', scheduledAt: '={{ $json.at }}', options };
		const [rye, spelt] = rows('Rye', 'Spelt');
		const dated = [
			{ ...rye, at: '2020-01-01T10:00' },
			{ ...spelt, at: '2126-01-01T10:00' },
		];
		const { json } = await create(parameters, dated, continuesOnFail);
		expect(json).toMatchObject([{ error: { code: 'NODE_TIME_PAST' } }, { text: 'Spelt' }]);
	});

	test.each<[what: string, more: IDataObject]>([
		['text, in a preview', { text: '={{ $json.text }}', options: { ...options, preview: 'rows' } }],
		['files', { mediaFrom: 'binary', binaryFields: '={{ $json.text }}' }],
		['the query of their links', { mediaFrom: 'url', mediaUrls: '=https://a.example/?id={{ $json.text }}' }],
	])('rows that share an ID and differ in nothing but their %s: no row is sent', async (_what, more) => {
		const binary = { Rye: inMemory('a.png', 'image/png', png), Spelt: inMemory('b.png', 'image/png', png) };
		const items = rows('Rye', 'Spelt').map((json) => ({ json, binary }));
		const { error } = await create({ ...delayed, text: 'Hi', options, ...more }, [], { items });
		expect(error.message).toMatch(/^Row 2 of 2: Row 1 has the same 'My Own ID'/);
		expect(asked(service(), 'POST')).toEqual([]);
	});

	test('that an expression left: a preview, and the row that finds an earlier post by it, say so', async () => {
		const said = { message: "'My Own ID' is '#N/A': check the expression", type: 'warning' };
		const preview = await create({ ...delayed, options: { ...options, preview: 'rows' } }, [
			{ text: 'Rye', id: '#N/A' },
		]);
		expect(preview.json).toMatchObject([{ warnings: [said.message] }]);
		for (const [index, text] of ['Rye', 'Spelt'].entries()) {
			const { hints } = await create({ ...delayed, options }, [{ text, id: '#N/A' }], {
				executionId: `${index}`,
			});
			expect(hints).toContainEqual(expect.objectContaining(said));
		}
		expect(posts(service())).toHaveLength(1);
	});

	test('the same row twice is one post', async () => {
		const { json, error } = await create({ ...slots, options }, rows('Rye', 'Rye'));
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ text: 'Rye' }, { sent_before: true }]);
	});
});

test.each(['https://cdn.example.com/Frühling.jpg', 'https://CDN.example.com/a.jpg'])(
	'an uploaded file is named as the service named it: %s',
	async (readUrl) => {
		const operation = { mediaFrom: 'binary', binaryFields: 'data' };
		const binary = { data: inMemory('a.png', 'image/png', png) };
		await runOperation(service(), 'media:upload', operation, { items: [{ ...item({}), binary }] });
		const [file] = service().store.media.values();
		Object.assign(file!, { readUrl });
		service().store.mediaByUrl.set(readUrl, file!);
		const { error } = await create({ mediaFrom: 'readUrls', mediaUrls: readUrl });
		expect([error, posts(service()).length]).toEqual([undefined, 1]);
	},
);

test("a sheet's TRUE, or a database's 0, turns on what depends on it, too", async () => {
	for (const id of ['post_1', 'post_2']) addPost(service(), { id });
	const { json: few } = await runOperation(
		service(),
		'post:getAll',
		{ returnAll: '={{ $json.all }}', limit: 1 },
		{ items: ['false', 0, null, undefined].map((all) => item({ all } as IDataObject)) },
	);
	expect(few).toHaveLength(4);
});

test('two accounts of a platform fail at publication: the item names both', async () => {
	service().store.accounts.get('acc_main_cafe')!.platform = 'x';
	const platforms = ['x:acc_main_x', 'x:acc_main_cafe'];
	const options = { waitForPublication: 10 };
	const { json } = await create({ platforms, text: 'Hello [[fail]]', options }, [{}], continuesOnFail);
	expect(json).toMatchObject([
		{ error: { failures: [{ account: 'Lakeside Bakery' }, { account: 'Lakeside Café' }] } },
	]);
});
