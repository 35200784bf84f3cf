import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/failure';
import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { fakeItem, paramsOf } from '../operations';

/** *Wait for Publication* of a new post; `waitForStatus.test.ts` has the operation that waits. */
const after = async (outcomes: unknown[], options: IDataObject, item: object, when = 'now') =>
	await create.after!(
		fakeItem({ item }).context,
		outcomes as never,
		paramsOf(create, { when, scheduledAt: '2126-01-01', platforms: ['x'], text: 'Hi', options }),
	);
const post = { id: 'p', platform: 'x', idempotency_key: 'k' };

const failure = new Failure({ code: 'A', message: 'no', hint: 'try' });
test.each([
	['now', [{ ...post, status: 'completed' }, post], true],
	['now', [{ ...post, status: 'failed' }, { ...post, preview: true }, failure], false],
	['at', [post], false],
])('not without the option, which a post that goes out %s tells (%#)', async (when, outcomes, tells) => {
	const inform = jest.fn();
	expect(await after(outcomes, {}, { inform }, when)).toEqual(outcomes);
	const told = expect.stringMatching(
		/^Accepted by the service.*turn on the option 'Wait for Publication'\.$/,
	);
	expect(inform.mock.calls).toEqual(tells ? [[told]] : []);
});

test('each post, as long as was asked for; one without an ID can not be waited for', async () => {
	const asked: unknown[] = [];
	const waitFor = async (...given: unknown[]) => {
		asked.push(given);
		return { status: 'completed' };
	};
	const numbered = { ...post, id: 7 };
	const [one, two, three, four] = await after(
		[post, numbered, failure, { ...post, id: ['p'] }],
		{ waitForPublication: true },
		{ waitFor },
	);
	expect([one, two, three]).toEqual([
		{ ...post, status: 'completed' },
		{ ...numbered, status: 'completed' },
		failure,
	]);
	expect((four as Failure).details).toMatchObject({
		code: 'NODE_POST_ID_MISSING',
		message: "The post was accepted, but can't be waited for: the service returned no ID",
		hint: expect.stringMatching(/^Remove 'Wait for Publication', or start a second workflow/),
		post: { ...post, id: ['p'] },
		platform: 'x',
		idempotency_key: 'k',
	});
	await after([post], { waitForPublication: true, waitTimeout: 7 }, { waitFor });
	expect(asked).toEqual([
		['p', { waitFor: 'completed', timeout: 300_000, known: post }],
		['7', { waitFor: 'completed', timeout: 300_000, known: numbered }],
		['p', { waitFor: 'completed', timeout: 7000, known: post }],
	]);
});

test('a failure names platform and key', async () => {
	const waitFor = async () => await Promise.reject(new Error('gone'));
	const [failed] = await after([post], { waitForPublication: true }, { waitFor });
	expect((failed as Failure).details).toMatchObject({
		message: 'gone',
		platform: 'x',
		idempotency_key: 'k',
	});
});
