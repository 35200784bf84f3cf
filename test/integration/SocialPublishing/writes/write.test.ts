import { map, times } from 'lodash';
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { inMemory } from '../../../support/binaries';
import { runTool, type RunResult } from '../../../support/engine';
import { bytes, startFiles } from '../../../support/fileServer';
import {
	addPost,
	asked,
	contextOf,
	continuesOnFail,
	createPost,
	credentialOf,
	item,
	posts,
	retryOf,
	run,
	useService,
} from '../../../support/service';
import type { Fault } from '../../../service';

/** Sequences of the design's list that need more than the model's steps: other times, items, files and calls. */

const service = useService();

const row = { platforms: ['linkedin'], text: '={{ $json.text }}', options: { maxRetryWait: 0 } };
const create = async (parameters: IDataObject, items: IDataObject[], more: object = {}): Promise<RunResult> =>
	await run(service(), createPost({ ...row, ...parameters }), { items: items.map(item), ...more });
const fail = (kind: Fault['kind'], skip = 0): string =>
	service().faults.add({ kind, code: 'PUBLIC_API_BODY_INVALID', method: 'POST|PATCH|DELETE', skip });
const texts = (): string[] => map(posts(service()), 'text');
const hintsOf = ({ hints }: RunResult): string => map(hints, 'message').join('\n');
const toldBy = ({ error }: RunResult): string => `${error?.message} ${error?.description}`;
const at = (day: number): string => `2126-01-0${day}T10:00:00Z`;
const scheduled: IDataObject = { when: 'at', scheduledAt: at(1) };
/** A picture whose bytes are its name. */
const picture = (name: string): Buffer =>
	Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(name)]);
const inField = (name: string, json: IDataObject = {}): INodeExecutionData => ({
	json,
	binary: { data: inMemory(name, 'image/png', picture(name)) },
});

/** *Execute step* of one node, press after press. */
let nodes = 0;
function byHand(node: Partial<INode> = {}) {
	const id = `hand-${++nodes}`;
	let presses = 0;
	return async (parameters: IDataObject, items: IDataObject[] | INodeExecutionData[], more: object = {}) =>
		await run(service(), createPost({ ...row, ...parameters }), {
			items: items.map((one) => ('json' in one ? (one as INodeExecutionData) : item(one as IDataObject))),
			...{ mode: 'manual', executionId: `${id} ${++presses}`, node: { id, ...node } },
			...more,
		});
}

describe('a retry', () => {
	test('5: X was sent, and is replaced by another account of X: that one gets the post', async () => {
		const { accounts } = service().store;
		accounts.set('acc_main_x2', { ...accounts.get('acc_main_x')!, id: 'acc_main_x2' });
		fail('error', 1);
		const first = await create({ platforms: ['x:acc_main_x', 'linkedin'] }, [{ text: 'a' }]);
		const second = await create(
			{ platforms: ['x:acc_main_x2', 'linkedin'] },
			[{ text: 'a' }],
			retryOf(first),
		);
		expect(map(second.json, 'account_id')).toEqual(['acc_main_x2', undefined]);
		expect(posts(service())).toHaveLength(3);
	});

	test.each([
		[['bluesky'], ['bluesky:acc_main_bluesky'], 1],
		[['bluesky:acc_main_bluesky'], ['bluesky'], 1],
		[['bluesky'], ['bluesky:acc_main_bluesky', 'bluesky:second'], 2],
		[['bluesky:acc_main_bluesky'], ['bluesky:second', 'bluesky:acc_main_bluesky'], 2],
	])('%j was sent, and retries name %j: posts on Bluesky: %i', async (first, second, count) => {
		fail('error', 1);
		let last = await create({ platforms: [...first, 'x'] }, [{ text: 'a' }]);
		const { accounts } = service().store;
		if (count > 1) accounts.set('second', { ...accounts.get('acc_main_bluesky')!, id: 'second' });
		for (const platforms of [['x', ...second], [...second, 'x'].reverse()]) {
			service().faults.add({ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', method: 'POST', times: 1 });
			last = await create({ platforms }, [{ text: 'a' }], retryOf(last));
		}
		expect(map(posts(service()), 'platforms').flat()).toHaveLength(count);
	});

	test('after a crash n8n counts the run that is lost: the retry has the same keys', async () => {
		const crashed = { resumeToken: 'crashed' };
		await create({}, [{ text: 'a' }], crashed);
		await create({}, [{ text: 'a' }], { ...crashed, mode: 'retry', executionId: '2', runIndex: 1 });
		expect(texts()).toEqual(['a']);
	});

	test('19b: the post was refused for its picture: the retry sends another one', async () => {
		const files = await startFiles();
		const url = (name: string) => files.on(name, bytes(picture(name)));
		const withFile = (mediaUrls: string) => ({ mediaFrom: 'url', mediaUrls });
		fail('error', 1);
		const first = await create(withFile(url('/bad.png')), [{ text: 'a' }]);
		await create(withFile(url('/good.png')), [{ text: 'a' }], retryOf(first));
		const [{ media }] = posts(service());
		expect(media.map((one: string) => service().store.mediaByUrl.get(one)!.filename)).toEqual(['good.png']);
		await files.close();
	});

	test('28: a new item in front after a crash meets the old keys: conflicts, and one post twice', async () => {
		const more = { ...continuesOnFail, resumeToken: 'crashed' };
		await create({}, [{ text: 'a' }, { text: 'b' }], more);
		const again = { ...more, mode: 'retry', executionId: '2' };
		const { json } = await create({}, [{ text: 'new' }, { text: 'a' }, { text: 'b' }], again);
		expect(json.map(({ error }) => (error as IDataObject | undefined)?.code)).toEqual([
			...Array(2).fill('PUBLIC_API_IDEMPOTENCY_CONFLICT'),
			undefined,
		]);
		expect(texts()).toEqual(['a', 'b', 'b']);
	});

	test.each([0, 1, 2, 3, 4, 5])('after a crash at request %i: no key differs', async (at) => {
		const rows = ['a', 'b', 'c'].map((text) => ({ text }));
		const both = { platforms: ['x', 'linkedin'] };
		service().faults.add({ kind: 'dropAfter', method: 'POST', skip: at, times: 0 });
		await create(both, rows, { resumeToken: 'crashed' });
		service().faults.clear();
		await create(both, rows, { resumeToken: 'crashed', mode: 'retry', executionId: '2' });
		const keys = asked(service(), 'POST').map(({ body, headers }) => [
			`${body.content.text} ${body.platform}`,
			headers['idempotency-key'],
		]);
		expect([...new Set(map(keys, 0))]).toHaveLength(6);
		expect(new Set(map(keys, String)).size).toBe(6);
		expect(posts(service())).toHaveLength(6);
	});

	test('another workspace: what was sent stays where it is, and a hint says so', async () => {
		const to = (workspaceId: string) => ({
			platforms: ['x', 'linkedin'],
			options: { maxRetryWait: 0, workspaceId: { __rl: true, mode: 'id', value: workspaceId } },
		});
		fail('dropBefore', 1);
		const first = await create(to('ws_main'), [{ text: 'a' }]);
		const second = await create(to('ws_second'), [{ text: 'a' }], retryOf(first));
		expect(map(posts(service()), 'workspaceId')).toEqual(['ws_main', 'ws_main']);
		expect(hintsOf(second)).toMatch(/^What an earlier try sent stays in the workspace 'ws_main'$/m);
	});

	test.each<[string, object]>([
		['nodes', { node: { id: 'another' } }],
		['workflows', { workflowId: 'another' }],
	])('two %s that say the same in one execution both send it', async (_what, other) => {
		const more = { resumeToken: 'token' };
		await create({}, [{ text: 'a' }], more);
		await create({}, [{ text: 'a' }], { ...more, ...other });
		expect(texts()).toEqual(['a', 'a']);
	});

	test('before n8n 2.14 a retry without what was stored may send twice, and says so', async () => {
		await create({}, [{ text: 'a' }]);
		const again = await create({}, [{ text: 'a' }], { mode: 'retry', executionId: '2' });
		expect(hintsOf(again)).toMatch(/may have been sent twice/);
		const withToken = { mode: 'retry', executionId: '3', resumeToken: 'token' };
		expect(hintsOf(await create({}, [{ text: 'a' }], withToken))).not.toMatch(/twice/);
		const own = { options: { avoidDuplicates: { by: { mode: 'custom', id: 'mine' } } } };
		const withOwn = await create(own, [{ text: 'a' }], { mode: 'retry', executionId: '4' });
		expect(hintsOf(withOwn)).not.toMatch(/twice/);
	});

	test.each<[string, unknown, RegExp | undefined]>([
		['another execution', { row_id: 'other.0.0' }, /another node's, or of another execution/],
		['a node that gives numbers', { row_id: 5 }, undefined],
		['a node that gives a text', 'It failed', undefined],
	])('an error of %s makes no row: the item is sent', async (_whose, error, hint) => {
		const { json, hints } = await create(scheduled, [{ text: 'a', error }] as IDataObject[]);
		expect([json[0]!.text, hints.map(({ message }) => message)]).toEqual([
			'a',
			hint ? [expect.stringMatching(hint)] : [],
		]);
	});

	test('14: a loop that takes `error` out of the item sends everything again; the hint says to keep it', async () => {
		const node = { onError: 'continueErrorOutput' } as const;
		service().faults.add({ kind: 'dropAfter', method: 'POST', skip: 1 });
		const both = { platforms: ['x', 'linkedin'] };
		const first = await create(both, [{ text: 'a' }], { node });
		expect((first.outputs[1]![0]!.json.error as IDataObject).hint).toMatch(/with its error field/);
		await create(both, [{ text: 'a' }], { node, runIndex: 1, contextData: contextOf(first) });
		expect(posts(service())).toHaveLength(4);
	});
});

describe('by hand', () => {
	const secondFails = (): string => fail('error', 1);

	test('8: equal texts in different items are told apart', async () => {
		const press = byHand();
		secondFails();
		await press({}, [
			{ text: 'a', n: 1 },
			{ text: 'a', n: 2 },
		]);
		const { json } = await press({}, [{ text: 'a', n: 2 }]);
		expect([json.length, texts()]).toEqual([1, ['a', 'a']]);
	});

	test('9: equal texts at two times, the sent row is taken out: the other one goes out', async () => {
		const press = byHand();
		const scheduled = { when: 'at', scheduledAt: '={{ $json.at }}' };
		secondFails();
		await press(scheduled, [
			{ text: 'a', at: at(1) },
			{ text: 'a', at: at(2) },
		]);
		await press(scheduled, [{ text: 'a', at: at(2) }]);
		expect(map(posts(service()), 'scheduledAt')).toEqual([at(1), at(2)]);
	});

	test('9b: equal texts in equal items, one is taken out: the one that is left counts as sent', async () => {
		const press = byHand();
		secondFails();
		await press(scheduled, [{ text: 'a' }, { text: 'a' }]);
		const second = await press(scheduled, [{ text: 'a' }]);
		expect(hintsOf(second)).toMatch(/not sent again.*1 Jan 2126|not sent again.*2126-01-01/s);
		expect(texts()).toEqual(['a']);
	});

	test('9c: the time of a sent row is moved in the panel: the post is not moved, and the hint shows its time', async () => {
		const press = byHand();
		secondFails();
		await press({ when: 'at', scheduledAt: at(1) }, [{ text: 'a' }, { text: 'b' }]);
		const second = await press({ when: 'at', scheduledAt: at(2) }, [{ text: 'a' }, { text: 'b' }]);
		expect(map(posts(service()), 'scheduledAt')).toEqual([at(1), at(2)]);
		expect(hintsOf(second)).toMatch(/not sent again.*1 Jan|not sent again.*2126-01-01/s);
	});

	test('20: the first execution is retried after a corrected press: it sends again what that one sent', async () => {
		const press = byHand();
		secondFails();
		const first = await press({}, [{ text: 'a' }, { text: 'b' }]);
		await press({}, [{ text: 'a' }, { text: 'b' }]);
		await press({}, [{ text: 'a' }, { text: 'b' }], retryOf(first));
		expect(texts()).toEqual(['a', 'b', 'b']);
	});

	test.each<[string, () => object]>([
		[
			'21: with another API key',
			() => ({ credential: credentialOf(service(), { apiKey: service().addKey() }) }),
		],
		['at another address', () => ({ credential: credentialOf(service(), { apiPath: '/v1' }) })],
		['in another node', () => ({ node: { id: 'another' } })],
		['in a copy of the workflow', () => ({ workflowId: 'workflow-2' })],
	])('%s everything goes out again', async (_where, other) => {
		const press = byHand();
		secondFails();
		await press({}, [{ text: 'a' }, { text: 'b' }]);
		await press({}, [{ text: 'a' }, { text: 'b' }], other());
		expect(texts()).toEqual(['a', 'a', 'b']);
	});

	test('twenty nodes are remembered, the last ones that ran', async () => {
		const rows = [{ text: 'a' }, { text: 'b' }];
		const [first, second, ...others] = times(21, () => byHand());
		for (const press of [first!, second!, ...others]) {
			secondFails();
			await press({}, rows);
			if (press !== second) continue;
			fail('error');
			await first!({}, rows);
		}
		service().reset();
		await first!({}, rows);
		expect(texts()).toEqual(['b']);
		await second!({}, rows);
		expect(texts()).toEqual(['b', 'a', 'b']);
	});

	test('a post that is not confirmed: the hint is to click again, and that sends it once', async () => {
		const press = byHand();
		fail('dropAfter');
		const { error } = await press({ options: { maxRetryWait: 0 } }, [{ text: 'a' }]);
		expect(error.description).toMatch(
			/^Click Execute step again in a few minutes, without changing the row: /,
		);
		expect((await press({}, [{ text: 'a' }])).error).toBeUndefined();
		expect(texts()).toEqual(['a']);
	});

	test('a row failed, and those behind it were never begun: none goes out twice', async () => {
		const press = byHand();
		const rows = ['a', 'b', 'c'].map((text) => ({ text }));
		secondFails();
		await press({}, rows);
		await press({}, rows);
		expect(texts()).toEqual(['a', 'b', 'c']);
	});

	test('a hint says whether the next press sends everything again: not before one succeeds', async () => {
		const press = byHand(continuesOnFail.node);
		const rows = [{ text: 'a' }, { text: 'b' }];
		secondFails();
		await press({}, rows);
		fail('error');
		const again =
			/^Sent before, so not sent again: 1 \(LinkedIn, .*\)\. The next run sends everything again\.$/m;
		expect(hintsOf(await press({}, rows))).toMatch(/^Sent before, so not sent again: 1 \(LinkedIn, .*\)\.$/m);
		expect(hintsOf(await press({}, rows))).toMatch(again);
		expect(hintsOf(await press({}, rows))).not.toMatch(/Sent before/);
		expect(texts()).toEqual(['a', 'b', 'a', 'b']);
	});

	test('what earlier presses left in doubt and this one does not ask for is named, and no file of it', async () => {
		const press = byHand();
		const to = { platforms: '={{ [$json.to] }}', when: 'at', scheduledAt: at(1) };
		fail('dropBefore', 1);
		await press(to, [
			{ text: 'a', to: 'x' },
			{ text: 'b', to: 'linkedin' },
		]);
		service().faults.add({ kind: 'dropBefore', path: 'upload-url' });
		await press({ ...to, mediaFrom: 'binary', binaryFields: 'data' }, [
			inField('one.png', { text: 'c', to: 'x' }),
		]);
		expect(hintsOf(await press(to, [{ text: 'd', to: 'x' }]))).toMatch(
			/^Not confirmed as sent by an earlier run: LinkedIn, 1 Jan 2126 11:00\. This run/m,
		);
	});

	test('rounds of a loop that say the same are all sent, also after a row that failed', async () => {
		const press = byHand(continuesOnFail.node);
		secondFails();
		const first = await press({}, [{ text: 'a' }, { text: 'b' }], { executionId: 'loop' });
		await press({}, [{ text: 'a' }], { executionId: 'loop', runIndex: 1, contextData: contextOf(first) });
		expect(texts()).toEqual(['a', 'a']);
	});

	test('a press that only previews leaves what the next one takes over', async () => {
		const press = byHand();
		const rows = [{ text: 'a' }, { text: 'b' }];
		secondFails();
		await press({}, rows);
		await press({ options: { preview: 'rows' } }, rows);
		await press({}, rows);
		expect(texts()).toEqual(['a', 'b']);
	});

	test('what came back from the error output and was sent then is known at the next press', async () => {
		const press = byHand(continuesOnFail.node);
		fail('error');
		fail('error');
		const first = await press({}, [{ text: 'a' }, { text: 'b' }], { executionId: 'loop' });
		const back = { text: 'a', error: first.json[0]!.error };
		await press({}, [back], { executionId: 'loop', runIndex: 1, contextData: contextOf(first) });
		await press({}, [{ text: 'a' }, { text: 'b' }]);
		expect(texts()).toEqual(['a', 'b']);
	});

	test('44: the publication failed while it was waited for: the next press sends it anew, My Own ID needs another one', async () => {
		const waiting = (by?: object) => ({
			text: 'No [[fail]]',
			options: { waitForPublication: 20, ...(by ? { avoidDuplicates: { by } } : {}) },
		});
		const press = byHand();
		for (const count of [1, 2]) {
			expect(toldBy(await press(waiting(), [{}]))).toMatch(/failed on LinkedIn/);
			expect(posts(service())).toHaveLength(count);
		}
		service().reset();
		const own = byHand();
		for (const times of ['once', 'again']) {
			const { error } = await own(waiting({ mode: 'custom', id: 'mine' }), [{}]);
			expect([times, error.message]).toEqual([times, expect.stringMatching(/failed on LinkedIn/)]);
		}
		expect(posts(service())).toHaveLength(1);
	}, 60_000);

	test.each(['hour', 'restart'])(
		'52: after the memory has gone (%s), everything goes out again',
		async (how) => {
			const press = byHand();
			secondFails();
			await press({}, [{ text: 'a' }, { text: 'b' }]);
			if (how === 'hour') jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_700_000);
			else jest.resetModules();
			const anew = how === 'hour' ? press : await afterRestart();
			await anew({}, [{ text: 'a' }, { text: 'b' }]);
			jest.restoreAllMocks();
			expect(texts()).toEqual(['a', 'a', 'b']);
		},
	);

	test('files count in an item by name, type and size, also those in `_files` of its JSON', async () => {
		const inJson = (name: string) => ({
			json: {
				text: 'a',
				_files: { data: { ...inMemory(name, 'image/png', picture(name)), id: `${++ids}` } },
			},
		});
		let ids = 0;
		for (const make of [(name: string) => inField(name, { text: 'a' }), inJson]) {
			service().reset();
			const press = byHand();
			secondFails();
			await press({}, [make('one.png'), make('other.png')] as any);
			await press({}, [make('other.png'), make('one.png')] as any);
			expect(texts()).toEqual(['a', 'a']);
		}
	});
});

/** *Execute step* in a process that has just started. */
async function afterRestart() {
	const { runNode } = await import('../../../support/engine');
	return async (parameters: IDataObject, items: IDataObject[]) =>
		await runNode({
			...{ parameters: createPost({ ...row, ...parameters }), credential: credentialOf(service()) },
			...{ items: items.map(item), mode: 'manual', executionId: 'anew', node: { id: `hand-${nodes}` } },
		});
}

describe('calls', () => {
	const caller = { callersToken: 'caller' };

	test('15: a sub-workflow whose caller is retried, with a row more in front, and equal rows: each once', async () => {
		fail('error', 1);
		await create({}, [{ text: 'a' }, { text: 'a' }], caller);
		await create({}, [{ text: 'new' }, { text: 'a' }, { text: 'a' }], { ...caller, executionId: '2' });
		expect(texts().sort()).toEqual(['a', 'a', 'new']);
	});

	test('15a: a sub-workflow with a delay whose caller is retried: sent before', async () => {
		const delayed = { when: 'delay', delayAmount: 1, delayUnit: 'hours' };
		await create(delayed, [{ text: 'a' }], caller);
		const later = Date.now() + 5_000;
		jest.spyOn(Date, 'now').mockImplementation(() => later);
		const { json } = await create(delayed, [{ text: 'a' }], { ...caller, executionId: '2' });
		jest.restoreAllMocks();
		expect(json).toMatchObject([{ sent_before: true }]);
		expect(texts()).toEqual(['a']);
	});

	test('a sub-workflow that says what another call has sent gets its answer, with a hint', async () => {
		await create({}, [{ text: 'a' }], caller);
		const { json, hints } = await create({}, [{ text: 'a' }], { ...caller, executionId: '2' });
		expect([json.length, texts()]).toEqual([1, ['a']]);
		expect(map(hints, 'message').join()).toMatch(/^An identical call in this execution already sent this/);
	});

	test('sub-workflow calls with the same text, once with a delay and once in a free slot, are two posts', async () => {
		const slot = { when: 'nextSlot', slotDays: ['mon', 'tue', 'wed', 'thu', 'fri'], slotTimes: '10:00' };
		await create({ when: 'delay', delayAmount: 1, delayUnit: 'hours' }, [{ text: 'a' }], caller);
		await create(slot, [{ text: 'a' }], { ...caller, executionId: '2' });
		expect(texts()).toEqual(['a', 'a']);
	});

	test('the same file of two equal posts of a sub-workflow is uploaded under one key', async () => {
		const files = { ...row, mediaFrom: 'binary', binaryFields: 'data' };
		const items = times(2, () => inField('a.png', { text: 'a' }));
		await run(service(), createPost(files), { items, ...caller });
		const uploads = asked(service(), 'POST').filter(({ path }) => path.endsWith('/media/upload-url'));
		expect(new Set(uploads.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
		expect(texts()).toEqual(['a', 'a']);
	});

	test.each<[string, Fault['kind'], number, object, RegExp]>([
		['that the service refuses', 'error', 0, {}, /^The service rejected .*\. Nothing was sent\./],
		['that fails in part', 'error', 1, {}, /^LinkedIn: The service rejected .* X, .* was sent\./],
		[
			'that is not confirmed',
			'dropAfter',
			0,
			{},
			/^Not confirmed .* Make the same call again in this execution/,
		],
		[
			'that is not confirmed, of an agent that keeps no execution',
			...([
				'dropAfter',
				0,
				{ executionId: '' },
				/^Not confirmed .* Check whether it was carried out/,
			] as const),
		],
	])('a call of a tool %s says so, and what to do', async (_what, kind, skip, more, told) => {
		fail(kind, skip);
		const parameters = createPost({ ...row, ...scheduled, platforms: ['x', 'linkedin'], text: 'a' });
		const calls = [{ runIndex: 0, parameters: { ...parameters, ...(skip ? {} : { platforms: ['x'] }) } }];
		const [error] = await runTool({ credential: credentialOf(service()), calls, ...more });
		expect(error.message).toMatch(told);
	});

	test('16b: an agent that schedules a post, makes it a draft and schedules it again: three requests', async () => {
		const postId = addPost(service());
		const calls = ['scheduled', 'draft', 'scheduled'].map((status, runIndex) => ({
			runIndex,
			parameters: { resource: 'post', operation: 'update', postId, updateFields: { status } },
		}));
		const results = await runTool({ credential: credentialOf(service()), calls });
		expect(results.map(([{ status }]) => status)).toEqual(['scheduled', 'draft', 'scheduled']);
		expect(asked(service(), 'PATCH')).toHaveLength(3);
	});
});

describe('what certainly was not carried out', () => {
	test('a post whose file has no upload URL', async () => {
		service().faults.add({ kind: 'status', status: 503, path: 'upload-url' });
		const { error } = await run(
			service(),
			createPost({ ...row, text: 'a', mediaFrom: 'binary', binaryFields: 'data' }),
			{ items: [inField('a.png')] },
		);
		expect(error.message).toMatch(/^(?!Not confirmed).*Nothing was sent\.$/);
	});

	test('53: the deletion of a post that is not there', async () => {
		const { error } = await run(service(), {
			resource: 'post',
			operation: 'delete',
			postId: 'post_mistyped',
		});
		expect(error.message).toMatch(/Nothing was sent/);
		expect(error.httpCode).toBe('404');
	});

	test('a deletion that is answered 404 after an attempt without an answer has succeeded', async () => {
		const postId = addPost(service());
		const parameters = { resource: 'post', operation: 'delete', postId, options: { maxRetryWait: 0 } };
		fail('dropAfter');
		const first = await run(service(), parameters);
		expect(first.error.message).toMatch(/^Not confirmed/);
		// The service has forgotten the key.
		service().faults.add({ kind: 'error', code: 'PUBLIC_API_POST_NOT_FOUND', method: 'DELETE' });
		expect((await run(service(), parameters, retryOf(first))).json).toMatchObject([
			{ deleted: true, id: postId },
		]);
	});

	test('54: the cancellation of a published post', async () => {
		const postId = addPost(service(), { status: 'completed' });
		const parameters = { resource: 'post', operation: 'cancel', postId };
		const { error } = await run(service(), parameters);
		expect(toldBy({ error } as RunResult)).toMatch(/already (published|completed)/);
		expect(error.message).not.toMatch(/Not confirmed/);
	});
});

describe('a key', () => {
	const keyed = (by: object, more: IDataObject = {}) => ({
		...more,
		options: { maxRetryWait: 0, avoidDuplicates: { by }, ...(more.options as object) },
	});

	test("doesn't depend on the order of an object's fields", async () => {
		const withField = (value: string) =>
			keyed(
				{ mode: 'content' },
				{ options: { apiFields: { field: [{ platform: 'all', name: 'content.extra', value }] } } },
			);
		await create(withField('{"b":1,"a":{"d":1,"c":2}}'), [{ text: 'a' }]);
		await create(withField('{"a":{"c":2,"d":1},"b":1}'), [{ text: 'a' }], { executionId: '2' });
		expect(texts()).toEqual(['a']);
	});

	test.each([
		['custom', 'false', undefined, undefined],
		['custom', 'true', true, 'Sent before, so not sent again: 1 (LinkedIn, 1 Jan 2126 11:00).'],
		['execution', 'true', undefined, 'Sent before, so not sent again: 1 (LinkedIn, 1 Jan 2126 11:00).'],
	])('in mode %s, the header idempotency-replayed: %s', async (mode, replayed, sentBefore, hint) => {
		service().faults.add({ kind: 'headers', method: 'POST', headers: { 'idempotency-replayed': replayed } });
		const { json, hints } = await create(keyed({ mode, id: 'mine' }, scheduled), [{ text: 'a' }]);
		expect([json[0]!.sent_before, hints[0]?.message]).toEqual([sentBefore, hint]);
	});

	test.each([
		['in the same call', 60],
		['in a retry', 0],
	])(
		"what this execution's own lost request has sent is not sent before: %s",
		async (_when, maxRetryWait) => {
			const own = keyed({ mode: 'custom', id: 'mine' }, { ...scheduled, options: { maxRetryWait } });
			fail('dropAfter');
			const first = await create(own, [{ text: 'a' }]);
			const { json, hints } = first.error ? await create(own, [{ text: 'a' }], retryOf(first)) : first;
			expect([json[0]!.sent_before, hints, texts()]).toEqual([undefined, [], ['a']]);
		},
	);

	test.each([
		['content', false, /Nothing was sent\. .*sent before in another form/],
		['custom', false, /Nothing was sent\. .*give it another ID/],
		['custom', true, /^Not confirmed(?!.*Nothing was sent).*retry this execution/i],
	])(
		'in mode %s, a conflict says what to do; after an attempt without an answer: %s',
		async (mode, isLost, said) => {
			if (isLost) fail('dropBefore');
			service().faults.add({ kind: 'error', code: 'PUBLIC_API_IDEMPOTENCY_CONFLICT', method: 'POST' });
			const own = keyed({ mode, id: 'mine' }, { ...scheduled, options: { maxRetryWait: 60 } });
			expect(toldBy(await create(own, [{ text: 'a' }]))).toMatch(said);
		},
	);

	test.each([
		['execution', ['Thanks'], 1],
		['execution', ['Thanks', 'Thank you'], 2],
		['custom', ['Thanks'], 2],
	])('of a reply in mode %s: texts %j, from two executions: replies: %i', async (mode, said, count) => {
		const [inboxItemId] = service().store.inbox.keys();
		const reply = { resource: 'inbox', operation: 'reply', inboxItemId };
		for (const text of said)
			for (const executionId of ['1', '2'])
				await run(service(), keyed({ mode, id: executionId }, { ...reply, text }), { executionId });
		expect(new Set(asked(service(), 'POST').map(({ headers }) => headers['idempotency-key'])).size).toBe(
			count,
		);
	});

	test('of an upload URL that was given before: nothing says sent before', async () => {
		const file = { fileName: 'a.png', contentType: 'image/png', size: 9 };
		const upload = keyed(
			{ mode: 'custom', id: 'mine' },
			{ resource: 'media', operation: 'createUploadUrl', ...file },
		);
		await run(service(), upload);
		const [second] = (await run(service(), upload, { executionId: '2' })).json;
		expect(second).not.toHaveProperty('sent_before');
	});

	test.each([
		['text', [item({ text: 'a' }), item({ text: 'b' })]],
		['file', ['a.png', 'b.png'].map((name) => inField(name, { text: 'a' }))],
	])('two rows with one ID and another %s are refused before the first is sent', async (_what, items) => {
		const mediaFrom = "={{ $binary.data ? 'binary' : 'none' }}";
		const own = keyed({ mode: 'custom', id: 'mine' }, { ...row, mediaFrom, binaryFields: 'data' });
		const { error } = await run(service(), createPost(own), { items });
		expect(error.message).toMatch(/Nothing was sent/);
		expect(texts()).toEqual([]);
	});

	test("55: My Own ID with a file, the upload's URL has expired in the second execution: the file that is there counts", async () => {
		const parameters = keyed({ mode: 'custom', id: 'mine' }, { mediaFrom: 'binary', binaryFields: 'data' });
		const next = async (more: object = {}) =>
			await run(service(), createPost({ ...row, ...parameters }), {
				items: [inField('a.png', { text: 'a' })],
				...more,
			});
		const [first] = (await next()).json;
		service().faults.add({ kind: 'status', status: 403, method: 'PUT' });
		const [second] = (await next({ executionId: '2' })).json;
		expect(second!.id).toBe(first!.id);
		expect([texts(), asked(service(), 'PUT').length]).toEqual([['a'], 2]);
	});
});

describe('order', () => {
	const times = async (parameters: IDataObject): Promise<number[]> => {
		service().faults.add({ kind: 'delay', ms: 400, method: 'POST' });
		await create(
			parameters,
			['a', 'b', 'c'].map((text) => ({ text })),
		);
		return map(asked(service(), 'POST'), 'receivedAt');
	};

	test('published now: one after the other, in the order of the rows', async () => {
		const [first, second] = await times({ when: 'now' });
		expect(second! - first!).toBeGreaterThanOrEqual(390);
		expect(map(map(asked(service(), 'POST'), 'body.content'), 'text')).toEqual(['a', 'b', 'c']);
	});

	test('otherwise at the same time', async () => {
		const [first, , third] = await times({ when: 'at', scheduledAt: at(1) });
		expect(third! - first!).toBeLessThan(390);
	});
});

test('what had succeeded and is sent again, since its answer is not kept: a failure is not called unconfirmed', async () => {
	const parameters = {
		...{ resource: 'webhook', operation: 'create', url: 'https://example.com/in', events: ['post.failed'] },
		options: { maxRetryWait: 0 },
	};
	const first = await run(service(), parameters);
	service().faults.add({ kind: 'status', status: 503, method: 'POST' });
	const { error } = await run(service(), parameters, retryOf(first));
	expect(error.message).toMatch(/HTTP 503/);
	expect(error.message).not.toMatch(/Not confirmed/);
});

test('a preview in a retry warns of what an earlier try sent, may have sent, or has left as failed', async () => {
	const { faults } = service();
	const kept = { kind: 'errorAfter', code: 'PUBLIC_API_PUBLISH_FAILED', method: 'POST' } as const;
	for (const fault of [kept, { kind: 'dropAfter', method: 'POST' }] as const)
		faults.add({ ...fault, path: '^/posts$', skip: 1 });
	const rows = ['a', 'b', 'c'].map((text) => ({ text }));
	const first = await create({}, rows, continuesOnFail);
	const preview = { options: { preview: 'rows' } };
	const { json } = await create(preview, rows, { ...continuesOnFail, ...retryOf(first) });
	expect(map(json, 'warnings').join()).toMatch(
		/^Already sent: .*,The service keeps .*,May already have been/,
	);
});

test('a preview names no workspace where none was chosen, and no warnings where there are none', async () => {
	const preview = {
		resource: 'post',
		operation: 'cancel',
		postId: addPost(service()),
		options: { preview: 'rows' },
	};
	const credential = credentialOf(service(), { workspaceId: '' });
	const { json } = await run(service(), preview, { credential });
	expect(Object.keys(json[0]!)).toEqual(['preview', 'idempotency_key', 'request']);
	expect(json[0]!.request).toEqual({ method: 'POST', path: expect.stringMatching(/cancel$/) });
});

test('what n8n stores of a write holds no API key, and no secret or signed address', async () => {
	const post = await run(service(), createPost());
	const webhook = await run(service(), {
		resource: 'webhook',
		operation: 'create',
		url: 'https://example.com/in?token=abc',
		events: ['post.failed'],
	});
	const upload = await run(service(), {
		resource: 'media',
		operation: 'createUploadUrl',
		fileName: 'a.png',
		contentType: 'image/png',
		size: 9,
	});
	const stored = [post, webhook, upload].map((result) => JSON.stringify(contextOf(result)));
	for (const one of stored) expect(one).toContain('"key":');
	const { secret } = (webhook.json[0] as any).webhook;
	for (const hidden of [service().keys.full, secret, 'token=abc', 'signature='])
		expect(stored.join()).not.toContain(hidden);
});
