import { constant, times } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { Client, type ApiRequest } from '../../../../../nodes/api/client';
import { Failure } from '../../../../../nodes/api/failure';
import { answerFailure } from '../../../../../nodes/api/failureTexts';
import { Pace } from '../../../../../nodes/api/pace';
import { PostPoller, type PollOptions } from '../../../../../nodes/SocialPublishing/resources/post/poll';
import { ended } from '../../../../support/virtualTime';

const NOW = Date.parse('2027-06-01T10:00:00Z');
const iso = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();
const published = { id: 'post_1', status: 'completed', provider_post_id: 'x_1' };
const open = { id: 'post_1', status: 'publishing' };

beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

/** A client for which the service says this of a post. */
function clientOf(look: (withinMs: number, request: ApiRequest) => Promise<IDataObject>) {
	const nowhere = { apiUrl: '', workspaceId: '', postFormat: 'integrationGuide' } as const;
	const unused = async () => await Promise.reject(new Error('nowhere'));
	const client = new Client(unused, nowhere, new Pace(), (text) => text);
	jest.spyOn(client, 'send').mockImplementation(async (request, budget) => {
		const { withinMs } = budget as { withinMs: number };
		return { status: 200, headers: {}, data: await look(withinMs, request) };
	});
	return client;
}

const options: PollOptions = { waitFor: 'completed', timeoutMs: 300_000 };
const pollerOf = (client: Client) => new PostPoller(client, 'Europe/Berlin');

/** A service whose post looks like these one after the other, the last one for ever; a failure is thrown. */
function serviceWith(looks: Array<IDataObject | Error>) {
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
	/** In seconds from the start: when the post was looked at, and until when an answer was waited for. */
	const at: number[] = [];
	const ends: number[] = [];
	const requests: ApiRequest[] = [];
	const client = clientOf(async (withinMs, request) => {
		const seconds = (Date.now() - NOW) / 1000;
		at.push(seconds);
		ends.push(seconds + withinMs / 1000);
		requests.push(request);
		const look = looks[Math.min(at.length, looks.length) - 1]!;
		if (look instanceof Error) throw look;
		return look;
	});
	return { client, at, ends, requests };
}

/** Waits for such a post. */
async function wait(looks: Array<IDataObject | Error>, more: Partial<PollOptions> = {}) {
	jest.setSystemTime(NOW);
	const { client, ...seen } = serviceWith(looks);
	const { value, error } = await ended(pollerOf(client).until('post_1', 'ws_1', { ...options, ...more }));
	return { outcome: value ?? error, ...seen };
}

const outage = (more: object) => new Failure({ code: 'AWAY', message: 'Away', hint: 'wait', ...more });
const outages = [
	...[{ retryable: true }, { status: 500 }, { status: 408 }, { status: 429 }].map(outage),
	outage({ code: 'NODE_UNEXPECTED_RESPONSE' }),
];

describe('when a post is looked at', () => {
	test('at once, in its workspace, and then less and less often', async () => {
		const { outcome, at, ends, requests } = await wait([open, open, open, open, published]);
		expect(outcome).toEqual(published);
		expect(at).toEqual([0, 1, 2.5, 4.75, 8.125].map((second) => expect.closeTo(second, 1)));
		const request = { method: 'GET', path: '/posts/post_1', workspaceId: 'ws_1', expects: 'record' };
		expect([requests, ends]).toEqual([Array(5).fill(request), Array(5).fill(300)]);
	});

	test('a post that was just accepted may not be there yet; one that is only named has to be', async () => {
		const missing = answerFailure(404, { code: 'PUBLIC_API_POST_NOT_FOUND' });
		expect((await wait([missing, missing, published], { known: open })).outcome).toEqual(published);
		const { outcome } = await wait([missing], { known: open, timeoutMs: 5_000 });
		expect(outcome.details).toMatchObject({ code: 'NODE_WAIT_TIMEOUT', post: open });
		expect((await wait([missing, published])).outcome.details.status).toBe(404);
		// One that was there is gone.
		for (const known of [open, undefined])
			expect((await wait([{ ...open }, missing, published], { known })).outcome.details.status).toBe(404);
	});

	test('every 30 seconds at the most, and once when the time is up', async () => {
		const { at, ends } = await wait([open]);
		const pauses = at.slice(1).map((second, i) => second - at[i]!);
		expect(Math.max(...pauses)).toBeCloseTo(30, 1);
		expect(at.at(-1)).toBeCloseTo(300, 1);
		expect(ends.at(-1)).toBeCloseTo(301, 1);
	});

	test('not before it is known, where it is known already', async () => {
		const { at } = await wait([published], { known: open });
		expect(at).toEqual([expect.closeTo(1, 1)]);
		expect((await wait([], { known: published })).at).toEqual([]);
	});

	test('less often where many wait: two seconds apart', async () => {
		const { client, at } = serviceWith([...Array(10).fill(open), ...Array(10).fill(published)]);
		const poller = pollerOf(client);
		await ended(Promise.all(times(10, async () => await poller.until('post_1', '', options))));
		expect(Math.max(...at)).toBeCloseTo(18, 0);
	});

	test('of many posts that nothing is known of yet, five at a time', async () => {
		let [underWay, most] = [0, 0];
		const client = clientOf(async () => {
			most = Math.max(most, ++underWay);
			await new Promise((resolve) => setTimeout(resolve, 100));
			underWay--;
			return published;
		});
		const poller = pollerOf(client);
		const all = Promise.all(times(50, async () => await poller.until('post_1', 'ws_1', options)));
		expect([(await ended(all)).value, most]).toEqual([times(50, constant(published)), 5]);
	});

	test('those that had no turn before the deadline all together then, so that the wait ends', async () => {
		const silent = answerFailure(504, {}).with({ message: 'No answer' });
		const poller = pollerOf(
			clientOf(async (withinMs) => {
				await new Promise((resolve) => setTimeout(resolve, withinMs));
				throw silent;
			}),
		);
		const all = times(50, async () => await poller.until('post_1', 'ws_1', options));
		const { value, after } = await ended(Promise.allSettled(all));
		expect(after).toBeLessThanOrEqual(302_000);
		expect(value!.at(-1)).toMatchObject({ reason: { details: { message: 'No answer' } } });
	});

	test('three times more where it is published and its ID at the platform is not there yet', async () => {
		const late = { id: 'post_1', status: 'completed' };
		expect((await wait([late])).at).toHaveLength(4);
		const { outcome, at } = await wait([late, { ...late, platforms: [{ provider_post_id: 'x_1' }] }]);
		expect([at.length, outcome.platforms.length]).toEqual([2, 1]);
		expect((await wait([late], { timeoutMs: 0 })).outcome).toEqual(late);
		expect((await wait([{ id: 'post_1', status: 'failed' }])).at).toHaveLength(1);
	});
});

describe('how a wait ends', () => {
	const failing = async (looks: Array<IDataObject | Error>, more: Partial<PollOptions> = {}) => {
		const { outcome } = await wait(looks, more);
		expect(outcome).toBeInstanceOf(Failure);
		return (outcome as Failure).details;
	};

	const failed = 'The post was accepted, but publishing it failed';
	const calledOff = 'The post was called off before it was published';
	test.each<[IDataObject, string, RegExp]>([
		[{ status: 'failed' }, `POST_FAILED: ${failed}`, /, then create a new post for what failed\.$/],
		[{ status: 'failed', error: 'Too long.' }, `POST_FAILED: ${failed}: Too long`, /^Correct the content/],
		[{ status: 'canceled' }, `POST_CANCELED: ${calledOff}`, /set 'Wait For' to 'Any Final Status'/],
		[
			{ status: 'canceled', platforms: { x: { status: 'failed' } } },
			`POST_CANCELED: ${calledOff}`,
			/somebody, or another workflow, canceled it/,
		],
	])('%j is a failure, unless any end is waited for', async (state, said, hint) => {
		const post = { id: 'post_1', ...state };
		const { code, message, ...more } = await failing([post]);
		expect(`${code}: ${message}`).toBe(`NODE_${said} (post ID: post_1)`);
		expect(more).toMatchObject({ post, hint: expect.stringMatching(hint) });
		expect((await wait([post], { waitFor: 'terminal' })).outcome).toEqual(post);
	});

	test('in *Create*, which says itself how to go on, the hint of a failed post names only its cause', async () => {
		const { hint } = await failing([], { known: { id: 'post_1', status: 'failed' } });
		expect(hint).toBe('Correct the content or reconnect the account in the service.');
	});

	test('in *Create*, which has no field for it, the hint of a canceled post names none', async () => {
		const { hint } = await failing([], { known: { id: 'post_1', status: 'canceled' } });
		expect(hint).not.toContain('Wait For');
		expect(hint).toMatch(/If that is fine, set 'On Error' in the node's settings to continue\.$/);
	});

	const on = (platforms: unknown) => ({ status: 'completed', platforms }) as IDataObject;
	const away = { platform: 'linkedin', provider_post_id: 'l_1' };
	test.each<[IDataObject, string]>([
		[on([away, { platform: 'x', status: 'failed', error: 'Too long.' }]), ' on X: Too long'],
		[on([away, { status: 'failed' }]), ' on a platform'],
	])('published, but not everywhere: %j names what failed and why', async (state, named) => {
		const post = { id: 'post_1', ...state };
		expect(await failing([post])).toMatchObject({
			...{ code: 'NODE_POST_FAILED', message: `${failed}${named} (post ID: post_1)`, post },
			hint: expect.stringMatching(/create a new post for what failed\.$/),
		});
		expect((await wait([post], { waitFor: 'terminal' })).outcome).toEqual(post);
	});

	test.each([
		// Only the word that the spec shows says so.
		on([away, { platform: 'x', status: 'rejected', error: 'Too long' }]),
		on(['linkedin', 'x']),
	])('%j is published everywhere', async (post) => expect((await wait([post])).outcome).toEqual(post));

	const still = "Waited 7 s, but the post's status is still";
	test.each<[IDataObject, string, RegExp]>([
		[open, `${still} 'publishing'`, /^The post may still be published\. Raise 'Wait Timeout/],
		[{}, `${still} 'unknown'`, /may still be published/],
		[{ status: 'x'.repeat(200) }, `${still} '${'x'.repeat(100)}…'`, /may still be published/],
		[{ status: 'pending_approval' }, `${still} 'pending_approval'`, /may still be published/],
		[{ status: 'draft' }, `${still} 'draft'`, /^A draft is published only once it is scheduled/],
	])('time is up: %j', async (post, message, hint) => {
		expect(await failing([post], { timeoutMs: 7400 })).toMatchObject({
			...{ code: 'NODE_WAIT_TIMEOUT', message: `${message} (post ID: post_1)`, post },
			hint: expect.stringMatching(hint),
		});
	});

	test('an outage that is shorter than the wait does not end it, wherever it begins', async () => {
		for (const one of outages) {
			expect((await wait([one, one, published])).outcome).toEqual(published);
			expect((await wait([open, one, one, published])).outcome).toEqual(published);
			expect((await wait([one, published], { known: open })).outcome).toEqual(published);
		}
		for (const looks of [[outage({})], [open, outage({ status: 401 })]])
			expect((await failing(looks)).code).toBe('AWAY');
		expect((await failing([outage({})], { known: open })).code).toBe('AWAY');
	});

	test('after an outage that lasts, it names the status that was read last, when that was, and why not since', async () => {
		for (const one of outages)
			expect(await failing([open, open, one], { timeoutMs: 7_000 })).toMatchObject({
				...{ code: 'NODE_WAIT_TIMEOUT', post: open },
				message:
					"Waited 7 s, but the post's status is still 'publishing', as last read at 2027-06-01T10:00:01Z; since then: away (post ID: post_1)",
				hint: expect.stringMatching(/^The post may still be published\. Raise 'Wait Timeout/),
			});
		const back = await failing([open, outages[0]!, open], { timeoutMs: 7_000 });
		expect([back.message, back.hint]).toEqual([
			"Waited 7 s, but the post's status is still 'publishing' (post ID: post_1)",
			expect.stringMatching(/^The post may still be published/),
		]);
	});

	test('of a post that was never read, it is the failure, with the option that counts for a wait', async () => {
		for (const timeoutMs of [0, 5_000]) {
			expect(await failing([outages[0]!], { timeoutMs })).toMatchObject({ code: 'AWAY', hint: 'wait' });
			const { hint } = await failing([answerFailure(429)], { timeoutMs });
			expect(hint).toMatch(/^Raise '.+', or start/);
		}
		expect((await wait([outages[0]!], { timeoutMs: 5_000 })).at.at(-1)).toBeCloseTo(5, 1);
	});
});

describe('a post that is scheduled', () => {
	const scheduled = (seconds: number) => ({
		...{ id: 'post_1', status: 'scheduled', scheduled_at: iso(seconds) },
	});

	test('later than the wait lasts is not waited for: an error that says when, or an item', async () => {
		const post = scheduled(3600);
		const due = `Not published yet: due 2027-06-01 13:00 (Europe/Berlin), after the wait timeout of 2 s`;
		const { outcome, at } = await wait([post], { timeoutMs: 1600 });
		expect(outcome.details).toMatchObject({
			...{ code: 'NODE_NOT_YET_PUBLISHED', message: `${due} (post ID: post_1)`, post },
			hint: expect.stringContaining("n8n's Wait node with 'scheduled_at' before this one, or start"),
		});
		expect(at).toEqual([0]);
		expect((await wait([], { timeoutMs: 1600, known: post })).outcome.details.hint).toContain(
			"'scheduled_at' and 'Wait for Status' after this one, or start",
		);
		const any = await wait([post], { timeoutMs: 1600, waitFor: 'terminal' });
		expect(any.outcome).toEqual({ ...post, not_waited_for: due });
	});

	test('within the wait, or not any more, is waited for', async () => {
		for (const post of [
			scheduled(300),
			...['publishing', 'draft'].map((status) => ({ ...scheduled(301), status })),
			{ id: 'post_1', status: 'scheduled' },
		])
			expect((await wait([post, published])).outcome).toEqual(published);
	});
});
