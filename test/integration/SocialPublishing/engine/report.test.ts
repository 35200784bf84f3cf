import { map, some } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { newKey } from '../../../service/seed';
import { inMemory, itemWith } from '../../../support/binaries';
import {
	asked,
	contextOf,
	continuesOnFail,
	credentialOf,
	posts,
	retryOf,
	run,
	usePosting,
} from '../../../support/service';

const { service, create, refuse } = usePosting();

describe('Create to five platforms of which two fail', () => {
	const five = ['youtube', 'x', 'linkedin', 'facebook', 'bluesky'];
	const parameters = { platforms: five, text: 'Hello' };
	const refuseTwo = () => refuse({ skip: 1, times: 2 });

	test('continue on fail: three posts, and one error with what failed and what was sent, in one output or two', async () => {
		refuseTwo();
		const { json, items } = await create(parameters, [{}], continuesOnFail);
		expect(json.map(({ platform = '-' }) => platform)).toEqual(['youtube', 'facebook', 'bluesky', '-']);
		expect(json[3]!.error).toMatchObject({
			failures: [{ platform: 'x' }, { platform: 'linkedin' }],
			sent: [{ platform: 'youtube', id: expect.any(String) }, {}, {}],
		});
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(json.map(() => ({ item: 0 })));
		refuseTwo();
		const { outputs } = await create(parameters, [{}], { node: { onError: 'continueErrorOutput' } });
		expect(outputs.map((all) => all.length)).toEqual([3, 1]);
	});

	test('without it: the error names all five, and a retry sends only the two', async () => {
		refuseTwo();
		const first = await create(parameters);
		expect(first.error.message).toMatch(
			/^2 of 5 failed: X and LinkedIn: The API key is not allowed .*\. YouTube, .*; Facebook, .*; Bluesky, .* were sent\.$/,
		);
		expect(first.error.description).toMatch(/etry this execution: what was sent isn't sent twice\.$/);
		const before = asked(service(), 'POST').length;
		const retry = await create(parameters, [{}], { contextData: contextOf(first), executionId: '2' });
		expect(retry.json.map(({ platform }) => platform)).toEqual(five);
		expect(asked(service(), 'POST').length - before).toBe(2);
		expect(posts(service())).toHaveLength(5);
	});
});

describe('by hand, what is mended in the credential makes the node forget what it sent, and the error says so', () => {
	test.each([
		['PUBLIC_API_KEY_EXPIRED', { apiKey: 'spk_new' }],
		['PUBLIC_API_SCOPE_FORBIDDEN', { apiKey: 'spk_new' }],
	])('%s, then %j', async (code, change) => {
		service().store.keys.set('spk_new', newKey({ key: 'spk_new' }));
		const parameters = { text: '={{ $json.text }}', when: 'now', options: {} };
		const rows = [{ text: 'a' }, { text: 'b' }];
		refuse({ code, skip: 1, path: '^/posts$' });
		const byHand = { mode: 'manual', node: { id: `after ${code}` } } as const;
		const first = await create(parameters, rows, { ...byHand, executionId: '71' });
		expect(first.error.description).toMatch(
			/ with the same API key, what you don't change isn't sent twice\.$/,
		);
		const credential = credentialOf(service(), change);
		const textsSent = () => posts(service()).map(({ text }) => text);
		await create(parameters, rows, { ...byHand, ...retryOf(first), credential });
		expect(textsSent()).toEqual(['a', 'b']);
		await create(parameters, rows, { ...byHand, executionId: '72', credential });
		expect(textsSent()).toEqual(['a', 'b', 'a', 'b']);
	});
});

test.each([
	['the service keeps the post as failed', 'PUBLIC_API_PUBLISH_FAILED', 'errorAfter'],
	['the service refuses the post', 'PUBLIC_API_BODY_INVALID', 'error'],
] as const)(
	'by hand, %s and another platform has its own: only where it failed may the text change',
	async (why, code, kind) => {
		const shared = { platforms: ['linkedin', 'x'], text: 'Hello' };
		const press = async (more: IDataObject, executionId: string) =>
			await create({ ...shared, ...more }, [{}], { mode: 'manual', node: { id: why }, executionId });
		refuse({ code, kind, skip: 1 });
		const { error } = await press({}, '81');
		const once =
			/^Correct [^.]*\.( If the fields [^.]*\.)? To go on, click Execute step again: [^.]* what you don't change isn't sent twice\.$/;
		expect(error.description).toMatch(once);
		const platformText = { texts: [{ platform: 'x', text: 'Hi' }] };
		await press({ options: { platformText } }, '82');
		const to = (platform: string) => posts(service()).filter((one) => some(one.platforms, { platform }));
		expect([to('linkedin').length, to('x').at(-1)!.text]).toEqual([1, 'Hi']);
	},
);

test('the key expires after an attempt that may have been carried out: another key is no promise that it goes out once', async () => {
	const path = '^/posts$';
	service().faults.add({ kind: 'dropAfter', method: 'POST', path });
	refuse({ code: 'PUBLIC_API_KEY_EXPIRED', path, times: 2 });
	const options = { maxRetryWait: 60 };
	const first = await create({ options });
	const retry = { contextData: contextOf(first), executionId: '2', mode: 'retry' as const };
	for (const { error } of [first, await create({ options }, [{}], retry)]) {
		expect(error.message).toMatch(/the API key has expired/i);
		expect(error.description).toMatch(/With another API key, .* check there before you send it again\.$/);
		expect(error.description).not.toContain('sent twice');
	}
});

describe('each fact once', () => {
	const errorIn = (json: IDataObject[]) => json.at(-1)!.error as IDataObject;

	test('platforms that failed for several reasons: each reason with its platforms', async () => {
		refuse({ times: 2 });
		refuse({ code: 'PUBLIC_API_BODY_INVALID' });
		const platforms = ['x', 'linkedin', 'bluesky'];
		const { error } = await create({ platforms });
		expect(error.message).toMatch(/^3 of 3 failed: X and LinkedIn: .*; Bluesky: .*\. Nothing was sent\.$/);
		expect(error.description).toMatch(/^X and LinkedIn: .* Bluesky: /);
	});

	test('a post that was sent and is not published in time: by hand, nothing is to be corrected', async () => {
		const options = { waitForPublication: 1 };
		const { store } = service();
		const { publishDelayMs } = store;
		store.publishDelayMs = 60_000;
		const { error } = await create({ options }, [{}], { mode: 'manual', node: { id: 'not in time' } });
		store.publishDelayMs = publishDelayMs;
		expect(error.message).toMatch(/^Waited 1 s, but .* \(post ID: [^)]*\)\.?$/);
		expect(error.description).toMatch(/ instead of waiting here\. To go on, click Execute step again: /);
		expect(error.context.data.sent).toHaveLength(1);
	});

	test('an earlier row that is not confirmed and one that was never begun', async () => {
		service().faults.add({ kind: 'dropBefore', method: 'POST', path: '^/posts$', times: 0 });
		const rows = [{}, {}, {}];
		const first = await create({ options: { maxRetryWait: 0 } }, rows);
		expect(first.error.message).toMatch(
			/^Row 1 of 3 failed: Not confirmed.*\. Rows 2 and 3 were not sent\.$/,
		);
		const second = await create({ options: { maxRetryWait: 0 } }, rows, retryOf(first));
		expect(second.error.message).toMatch(
			/^Row 1 of 3 failed: .*\. Row 2 failed, too\. Row 3 was not sent\.$/,
		);
	});

	test('a hint names an upload that the service had processed before', async () => {
		const avoidDuplicates = { by: { mode: 'content', id: '' } };
		const parameters = {
			resource: 'media',
			operation: 'upload',
			binaryFields: 'data',
			options: { avoidDuplicates },
		};
		const items = [itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('0123456789')) })];
		const upload = async () => map((await run(service(), parameters, { items })).hints, 'message');
		expect([await upload(), await upload()]).toEqual([[], ['Sent before, so not sent again: 1 (a.png).']]);
	});

	test('a credential that is wrong: nothing was sent, or nothing more', async () => {
		const credential = credentialOf(service(), { baseUrl: 'ftp://example.com' });
		const first = await create({}, [{}], { credential });
		expect(first.error.message).toMatch(/'Base URL'.*\. Nothing was sent\.$/);
		const sent = await create({});
		const second = await create({}, [{}], { ...retryOf(sent), credential });
		expect(second.error.message).toMatch(/'Base URL'.*\. Nothing more was sent\.$/);
		const { json } = await create({}, [{}], { ...continuesOnFail, credential });
		expect(errorIn(json).message).toMatch(/Nothing was sent\.$/);
	});
});

test('a post that failed under an ID of its own: a new one needs another ID', async () => {
	const options = { avoidDuplicates: { by: { mode: 'custom', id: 'mine' } } };
	const kept = { kind: 'errorAfter', code: 'PUBLIC_API_PUBLISH_FAILED', method: 'POST' } as const;
	service().faults.add(kept);
	const { error } = await create({ options });
	expect(error.description).toMatch(/ A new post needs another 'My Own ID'\.$/);
	service().faults.add(kept);
	expect((await create({})).error.description).not.toContain('My Own ID');
	const waiting = {
		options: { ...options, waitForPublication: 20 },
		text: 'No [[fail]]',
		platforms: ['linkedin'],
	};
	expect((await create(waiting)).error.description).toMatch(/ A new post needs another 'My Own ID'\.$/);
});

test("the retry names another workspace: what was sent isn't shown under that one's account", async () => {
	const rows = [{}, {}];
	const platforms = ['linkedin'];
	refuse({ skip: 1, path: '^/posts$' });
	const first = await create({ platforms }, rows);
	const options = { workspaceId: { mode: 'id', value: 'ws_second' } };
	const { json } = await create({ platforms, options }, rows, retryOf(first));
	expect(map(json, 'account')).toEqual([undefined, 'Hill Street Books']);
});
