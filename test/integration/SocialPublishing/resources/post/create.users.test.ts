import { DateTime } from 'luxon';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { runTool } from '../../../../support/engine';
import { inMemory } from '../../../../support/binaries';
import { readDocument } from '../../../../support/documents';
import {
	addPost,
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

const { service, create, refuse } = usePosting();
const errorOutput = { onError: 'continueErrorOutput' } as const;
const own = (id: string) => ({ avoidDuplicates: { by: { mode: 'custom', id: id } } });
const rejected = { kind: 'error', code: 'PUBLIC_API_BODY_INVALID', method: 'POST' } as const;
const png = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);
const platformsOf = () => posts(service()).map(({ platforms: [one] }) => one!.platform);

/** The items of an error output, back in the node. */
const comeBack = async (parameters: IDataObject, before: RunResult, runIndex: number) =>
	await run(service(), parameters, {
		...{ items: before.outputs[1] as INodeExecutionData[], node: errorOutput },
		...{ runIndex, contextData: contextOf(before) },
	});

describe('rows that come back from the error output', () => {
	test('two failures of a row, each asking for its own platform: none is lost, and each platform gets the post once', async () => {
		service().faults.add({ ...rejected, times: 2 });
		const parameters = createPost({
			platforms: "={{ $json.error ? [$json.error.platform ?? 'linkedin'] : ['x', 'linkedin'] }}",
		});
		const first = await run(service(), parameters, { items: [item({ row: 1 })], node: errorOutput });
		expect(first.outputs[1]).toHaveLength(2);
		const second = await comeBack(parameters, first, 1);
		expect(second.outputs[0]).toMatchObject([{ json: { platform: 'x' } }]);
		expect(second.outputs[1]).toMatchObject([{ json: { error: { code: 'NODE_ROW_DIVIDED' } } }]);
		const third = await comeBack(parameters, second, 2);
		expect(third.outputs[0]).toMatchObject([{ json: { platform: 'linkedin' } }]);
		expect(platformsOf().sort()).toEqual(['linkedin', 'x']);
	});

	test('two files of a row, each asking for its own: none is lost', async () => {
		service().faults.add({ ...rejected, times: 2 });
		const parameters = {
			...{ resource: 'media', operation: 'upload', mediaFrom: 'binary' },
			binaryFields: "={{ $json.error ? $json.error.file : 'a,b' }}",
		};
		const binary = { a: inMemory('a.png', 'image/png', png), b: inMemory('b.png', 'image/png', png) };
		const items = [{ ...item({ row: 1 }), binary }];
		const first = await run(service(), parameters, { items, node: errorOutput });
		const second = await comeBack(parameters, first, 1);
		expect(second.outputs).toMatchObject([
			[{ json: { filename: 'a.png' } }],
			[{ json: { error: { code: 'NODE_ROW_DIVIDED' } } }],
		]);
	});

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
	const options = {
		maxRetryWait: 0,

		...(isWait ? { waitForPublication: 5 } : {}),
	};
	const parameters = createPost({
		...{ text: '={{ $json.text }}', mediaFrom: isWait ? 'none' : 'binary', binaryFields: 'data', options },
	});
	const binary = { data: inMemory('a.png', 'image/png', png) };
	const items = ['Rye', 'Spelt'].map((text) => ({ ...item({ text }), binary }));
	const { error } = await run(service(), parameters, { items });
	expect(posts(service()).length).toBeGreaterThan(0);
	expect(error!.description).toMatch(/retry this execution/i);
	expect(error!.description).not.toMatch(/run the workflow again/i);
});

describe('an account that only may be the one', () => {
	beforeEach(() => {
		(service().store.accounts.get('acc_main_cafe') as unknown as IDataObject).platform = 'x_page';
	});

	test('by hand: X, then an account that may be the same: no second post', async () => {
		refuse({ skip: 1 });
		const options = {};
		const first = await create({ platforms: ['x', 'linkedin'], options }, [{}], {
			mode: 'manual',
			executionId: '21',
		});
		expect(first.error).toBeDefined();
		service().faults.clear();
		const second = await create({ platforms: ['x:acc_main_cafe', 'linkedin'], options }, [{}], {
			...{ mode: 'manual', executionId: '22' },
		});
		expect(second.error!.message).toMatch(/^An earlier try sent this post to X as 'x'/);
		expect(platformsOf()).toEqual(['x']);
	});

	test("a model's two calls: no second post, and the account isn't stated", async () => {
		const call = (platforms: string[], runIndex: number) => ({
			parameters: createPost({ platforms }),
			runIndex,
		});
		const calls = [call(['x'], 0), call(['x:acc_main_cafe'], 1)];
		const [first, second] = await runTool({ credential: credentialOf(service()), contextData: {}, calls });
		expect(first).toMatchObject([{ platform: 'x' }]);
		expect(second).toMatchObject({ message: expect.stringMatching(/^An earlier try sent this post/) });
		expect(platformsOf()).toEqual(['x']);
	});
});

describe("an approved post, after the accounts' list changed", () => {
	const codeOf = async (): Promise<string> =>
		String((await create({ options: { preview: 'rows' } })).json[0]!.approval_code);

	test('other accounts make the list as long as a page may be: it goes out', async () => {
		const approvedCode = await codeOf();
		const { accounts } = service().store;
		const own = [...accounts.values()].filter(({ workspaceId }) => workspaceId === 'ws_main');
		for (let count = own.length; count < 10; count++)
			accounts.set(`acc_${count}`, { ...own[0]!, id: `acc_${count}`, platform: 'youtube' });
		expect((await create({ options: { approvedCode } })).error).toBeUndefined();
		expect(platformsOf()).toEqual(['x']);
	});

	test("it can't be read: the error says that, and the post isn't sent", async () => {
		const approvedCode = await codeOf();
		refuse({ method: 'GET', path: '^/accounts' });
		const { error } = await create({ options: { approvedCode } });
		expect(error!.message).toMatch(
			/^This can't be compared with 'Approved Code': the accounts could not be read \([^;]*\)\. Nothing was sent\.$/,
		);
		expect(error!.description).toMatch(/^Try again later, or run the preview again/);
		expect(posts(service())).toEqual([]);
		expect((await create({ options: { approvedCode } })).error).toBeUndefined();
	});
});

describe('My Own ID', () => {
	const rows = (...texts: string[]) => texts.map((text) => ({ text, id: 'spring' }));
	const delayed = { text: '={{ $json.text }}', when: 'delay', delayAmount: 1, delayUnit: 'hours' };
	const slots = {
		text: '={{ $json.text }}',
		when: 'nextSlot',
		slotDays: ['mon', 'wed', 'fri'],
		slotTimes: '09:00',
	};
	const options = own('={{ $json.id }}');

	const whens: Array<[what: string, parameters: IDataObject]> = [
		['at once', { ...delayed, when: 'now' }],
		['a delay', delayed],
		['slots', slots],
	];

	test.each(whens)(
		'rows that share an ID by mistake, %s: no row is sent; a node that goes on sends the first',
		async (_what, when) => {
			const { error } = await create({ ...when, options }, [
				{ text: 'Oat', id: 'oat' },
				...rows('Rye', 'Spelt'),
			]);
			expect(error!.message).toBe(
				"Row 3 of 3: Row 2 has the same 'My Own ID', but different content. Nothing was sent.",
			);
			expect(posts(service())).toEqual([]);
			const { json } = await create({ ...when, options }, rows('Rye', 'Spelt'), continuesOnFail);
			expect(json).toMatchObject([{ text: 'Rye' }, { error: { code: 'NODE_OWN_ID_SHARED' } }]);
			expect(posts(service())).toHaveLength(1);
		},
	);

	test('a row that is refused for another reason says so, and takes its ID from no other row', async () => {
		const parameters = {
			...delayed,
			when: 'at',
			scheduledAt: '={{ $json.at }}',
			options,
		};
		const row = { text: 'Rye', id: 'spring' };
		const future = DateTime.utc().plus({ days: 1 }).toISO();
		const { json } = await create(
			parameters,
			[
				{ ...row, at: '2020-01-01T10:00' },
				{ ...row, text: 'Spelt', at: future },
			],
			continuesOnFail,
		);
		expect(json).toMatchObject([{ error: { code: 'NODE_TIME_PAST' } }, { text: 'Spelt' }]);
		const unknown = await create(
			{ ...delayed, postTo: 'accounts', accounts: ['Meine Seite'], options },
			rows('Rye'),
		);
		expect(unknown.error!.message).toMatch(/Meine Seite/);
	});

	test('a preview warns of rows that share an ID', async () => {
		const { json } = await create(
			{ ...delayed, options: { ...options, preview: 'rows' } },
			rows('Rye', 'Spelt'),
		);
		expect(json.map(({ warnings }) => warnings)).toEqual([
			[],
			["Would be refused: Row 1 has the same 'My Own ID', but different content"],
		]);
	});

	test('rows that share an ID and differ in nothing but their files: no row is sent', async () => {
		const binary = (name: string) => ({ data: inMemory(name, 'image/png', png) });
		const items = ['a.png', 'b.png'].map((name) => ({
			...item({ text: 'Rye', id: 'spring' }),
			binary: binary(name),
		}));
		const parameters = createPost({ ...delayed, mediaFrom: 'binary', binaryFields: 'data', options });
		const { error } = await run(service(), parameters, { items });
		expect(error.message).toMatch(/^Row 2 of 2: Row 1 has the same 'My Own ID'/);
		expect(service().requests.filter(({ method }) => method === 'POST')).toEqual([]);
	});

	test('rows that share an ID and differ in nothing but the query of their links: no row is sent', async () => {
		const items = [1, 2].map((file) => ({
			text: 'Rye',
			id: 'spring',
			link: `https://a.example/?id=${file}`,
		}));
		const { error } = await create(
			{ ...delayed, mediaFrom: 'url', mediaUrls: '={{ $json.link }}', options },
			items,
		);
		expect(error!.message).toMatch(/^Row 2 of 2: Row 1 has the same 'My Own ID'/);
	});

	test.each(whens.slice(1))(
		'a row of a later round of a loop with the ID of an earlier one, %s: an error, not a row that was sent before',
		async (_what, when) => {
			const parameters = createPost({ ...when, options });
			const first = await run(service(), parameters, { items: rows('Rye').map(item) });
			const { error } = await run(service(), parameters, {
				...{ items: [{ text: 'Oat', id: 'oat' }, ...rows('Spelt')].map(item) },
				...{ runIndex: 1, contextData: contextOf(first) },
			});
			expect(error.message).toMatch(/^Row 2 of 2 failed: .*other content\. 1 post was already sent \(/);
		},
	);

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
	const { json } = await create({ options: { previewOnly: '={{ $json.on }}', previewAs: 'page' } }, [
		{ on: 'TRUE' },
	]);
	expect(Object.keys(json[0]!)).toContain('html');
	for (const id of ['post_1', 'post_2']) addPost(service(), { id });
	const { json: few } = await runOperation(
		service(),
		'post:getAll',
		{ returnAll: '={{ $json.all }}', limit: 1 },
		{ items: ['false', 0, null, undefined].map((all) => item({ all } as IDataObject)) },
	);
	expect(few).toHaveLength(4);
});

test('two accounts of a platform fail at publication: the items name the account', async () => {
	service().store.accounts.get('acc_main_cafe')!.platform = 'x';
	const platforms = ['x:acc_main_x', 'x:acc_main_cafe'];
	const options = { waitForPublication: 10 };
	const { json } = await create({ platforms, text: 'Hello [[fail]]', options }, [{}], continuesOnFail);
	const accounts = json.map(({ error }) => (error as IDataObject).account);
	expect(new Set(accounts).size).toBe(2);
	expect(accounts).not.toContain(undefined);
});

describe("README, 'Send failed posts again', as written there", () => {
	const [recipe = ''] = readDocument('README.md').match(/^- \*\*Send failed posts again[^]*?\n(?=- )/m) ?? [];
	const [text, platforms, idempotencyKey] = [...recipe.matchAll(/`(\{\{[^`]+)`/g)].map(
		([, one]) => `=${one}`,
	);
	const followed = async (executionId: string) => {
		const failed = { returnAll: true, simplify: false, filters: { status: 'failed' } };
		const { json } = await runOperation(service(), 'post:getAll', failed);
		const options = { avoidDuplicates: { by: { mode: 'custom', id: idempotencyKey } } };
		const parameters = createPost({ text, platforms, options });
		return await run(service(), parameters, { items: json.map(item), executionId });
	};
	const sent = () => posts(service()).filter(({ status }) => status !== 'failed');
	const fail = (accountId: string) => {
		const id = addPost(service(), { status: 'failed', text: 'Jam!', platforms: ['instagram'] });
		Object.assign(service().store.posts.get(id)!, { accountId });
	};

	test('posts once on the account that the post was for, whatever that is called, however often it runs', async () => {
		service().store.accounts.get('acc_main_cafe')!.name = 'Café, Geneva';
		fail('acc_main_cafe');
		const [first, second] = [await followed('1'), await followed('2')];
		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(sent()).toMatchObject([{ accountId: 'acc_main_cafe', text: 'Jam!' }]);
		expect(second.json).toMatchObject([{ sent_before: true }]);
	});

	test('whose account was removed: is refused, not posted on another', async () => {
		fail('acc_main_cafe');
		service().store.accounts.delete('acc_main_cafe');
		const { error } = await followed('1');
		expect([error?.message, sent()]).toEqual([expect.stringContaining('no account: acc_main_cafe'), []]);
	});
});

describe('items of *Account: Get Many* as what to post to', () => {
	const accounts = async (isMine: (one: IDataObject) => boolean) =>
		(await runOperation(service(), 'account:getAll', { returnAll: true })).json.filter(isMine);

	test.each([
		['as they are', (one: IDataObject) => one],
		['ID and platform alone', ({ id, platform }: IDataObject) => ({ id, platform })],
	])('of two accounts of a platform, the post goes to the one that was given: %s', async (_what, make) => {
		const items = (await accounts(({ platform }) => platform === 'instagram')).map((one) => item(make(one)));
		const parameters = createPost({ platforms: '={{ [$json] }}', mediaFrom: 'none' });
		const { error } = await run(service(), parameters, { items });
		const sent = posts(service()).map(({ accountId }) => accountId);
		expect([error, sent]).toEqual([undefined, ['acc_main_instagram', 'acc_main_cafe']]);
	});

	test('one that was disconnected is refused, whatever else is on its platform', async () => {
		service().store.accounts.get('acc_main_instagram')!.status = 'disconnected';
		const items = (await accounts(({ id }) => id === 'acc_main_instagram')).map((one) => item(one));
		const { error } = await run(service(), createPost({ platforms: '={{ $json }}' }), { items });
		expect(error!.message).toMatch(/acc_main_instagram.* is not connected/);
		expect(posts(service())).toEqual([]);
	});

	test("in 'Account Names or IDs', too", async () => {
		const mine = await accounts(({ platform }) => platform === 'x');
		const parameters = createPost({ postTo: 'accounts', accounts: '={{ $json.mine }}' });
		const { error } = await run(service(), parameters, { items: [item({ mine })] });
		expect([error, platformsOf()]).toEqual([undefined, ['x']]);
	});
});

test.each(['1899-12-30T09:00:00.000Z', '={{ new Date($json.none ?? null) }}'])(
	'a time without a date (%s) is not one that has passed: nothing is published at once',
	async (scheduledAt) => {
		const { error } = await run(
			service(),
			createPost({ when: 'at', scheduledAt, options: { ifPast: 'publish' } }),
		);
		expect(error!.message).toMatch(/'Scheduled At' has no valid date: 1/);
		expect(posts(service())).toEqual([]);
	},
);
