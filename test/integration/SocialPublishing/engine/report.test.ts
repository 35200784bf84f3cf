import { newKey } from '../../../service/seed';
import {
	asked,
	contextOf,
	continuesOnFail,
	credentialOf,
	posts,
	retryOf,
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
			/^2 of 5 failed: X: .*; LinkedIn: .*\. YouTube, .*; Facebook, .*; Bluesky, .* were sent\.$/,
		);
		expect(first.error.description).toMatch(
			/etry this execution: what was sent isn't sent twice\.$/,
		);
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
		expect(first.error.description).toMatch(/ With another API key, Execute step would send it again\.$/);
		const credential = credentialOf(service(), change);
		const textsSent = () => posts(service()).map(({ text }) => text);
		await create(parameters, rows, { ...byHand, ...retryOf(first), credential });
		expect(textsSent()).toEqual(['a', 'b']);
		await create(parameters, rows, { ...byHand, executionId: '72', credential });
		expect(textsSent()).toEqual(['a', 'b', 'a', 'b']);
	});
});

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
