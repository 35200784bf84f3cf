import { map } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { inMemory } from '../../../support/binaries';
import { runNode } from '../../../support/engine';
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

/** What `write.model.test.ts` doesn't draw: what n8n stores, and times that pass. */

const service = useService();

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
	for (const one of stored) expect(one).toContain('succeeded');
	const { secret } = (webhook.json[0] as any).webhook;
	for (const hidden of [service().keys.full, secret, 'token=abc', 'signature='])
		expect(stored.join()).not.toContain(hidden);
});

test('a time that has passed since stops neither the retry of an Update that was answered nor the items behind it', async () => {
	const made = await run(service(), createPost({ scheduledAt: '2126-01-01T10:00' }), {
		items: [item({}), item({})],
	});
	const items = made.json.map(({ id }) => item({ id }));
	const update = async (scheduledAt: string, more: object = {}) =>
		await run(
			service(),
			{
				resource: 'post',
				operation: 'update',
				postId: '={{ $json.id }}',
				updateFields: { scheduledAt },
				options: { maxRetryWait: 0 },
			},
			{ items, ...more },
		);
	service().faults.add({ kind: 'dropAfter', method: 'PATCH', skip: 1 });
	const first = await update('2126-02-01T10:00');
	const retry = { contextData: contextOf(first), executionId: '2', mode: 'retry' };
	const { error, json } = await update('2020-02-01T10:00', retry);
	expect(error).toBeUndefined();
	expect(json.map(({ scheduled_at }) => scheduled_at)).toEqual(Array(2).fill('2126-02-01T09:00:00Z'));
	const fresh = await update('2020-02-01T10:00');
	expect(fresh.error.message).toMatch(
		/^2 of 2 rows can't be sent \(rows 1, 2\): 'Scheduled At' is in the past/,
	);
});

test('Quick Start: platforms that are added in a retry share a request of their own', async () => {
	const credential = credentialOf(service(), { postFormat: 'quickStart' });
	const create = async (platforms: string[], more: object = {}) =>
		await run(service(), createPost({ platforms }), { credential, ...more });
	const first = await create(['x', 'linkedin']);
	const { json } = await create(['x', 'linkedin', 'facebook', 'bluesky'], retryOf(first));
	expect(json.map(({ platforms }) => platforms)).toEqual([
		['x', 'linkedin'],
		['facebook', 'bluesky'],
	]);
	expect(service().store.posts.size).toBe(2);
});

describe('an item that comes back from the error output, as n8n gives it', () => {
	const parameters = {
		platforms: ['x', 'linkedin'],
		text: '={{ $json.n }}',
		scheduledAt: '2126-01-01T10:00',
		options: { maxRetryWait: 0 },
	};
	const node = { onError: 'continueErrorOutput' } as const;
	const sent = () =>
		posts(service())
			.map(({ text, platforms: [{ platform }] }) => `${text} ${platform}`)
			.sort();
	const fail = (kind: 'dropAfter' | 'error', times: number, skip = 0) =>
		service().faults.add({ kind, code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', times, skip });
	const start = async (items: INodeExecutionData[], more: object = {}) =>
		await runNode({
			...{ parameters: createPost(parameters), credential: credentialOf(service()), items, node },
			...more,
		});
	type Result = Awaited<ReturnType<typeof start>>;
	const failedOf = ({ outputs }: Result) => outputs[1]!.map(({ json }) => ({ json }));
	/** The next round of the execution, with these items. */
	const round = async (before: Result, items: INodeExecutionData[], more: object = {}) =>
		await start(items, { contextData: contextOf(before), runIndex: 1, ...more });
	/** What failed comes back. */
	const back = async (before: Result, more: object = {}) => await round(before, failedOf(before), more);
	const countsOf = ({ outputs }: Result) => outputs.map((all) => all.length);

	test.each<[string, Parameters<typeof fail>, number]>([
		['one answer was lost', ['dropAfter', 1], 1],
		['both answers were lost', ['dropAfter', 2], 2],
		['one platform was refused', ['error', 1], 1],
		['both platforms were refused', ['error', 2], 2],
	])('%s: each platform gets its post once, and it comes out once', async (_what, fault, failed) => {
		fail(...fault);
		const first = await start([item({ n: 'a' })]);
		expect(first.outputs[1]).toHaveLength(failed);
		fail(...fault);
		const second = await back(first);
		expect(second.outputs[1]).toHaveLength(failed);
		expect(countsOf(await back(second, { runIndex: 2 }))).toEqual([2, 0]);
		expect(sent()).toEqual(['a linkedin', 'a x']);
	});

	describe('beside an equal item', () => {
		const twice = ['a linkedin', 'a linkedin', 'a x', 'a x'];

		test('that is new: that is another post', async () => {
			fail('dropAfter', 1);
			const first = await start([item({ n: 'a' })]);
			await round(first, [...failedOf(first), item({ n: 'a' })]);
			expect(sent()).toEqual(twice);
		});

		test('that comes back after it', async () => {
			fail('dropAfter', 1);
			fail('error', 1, 1);
			const first = await start([item({ n: 'a' }), item({ n: 'a' })]);
			const [lost, refused] = failedOf(first);
			const second = await round(first, [refused!]);
			expect(countsOf(await round(second, [lost!], { runIndex: 2 }))).toEqual([2, 0]);
			expect(sent()).toEqual(twice);
		});

		test('that is new, while its failures come back in different rounds', async () => {
			fail('error', 2);
			const first = await start([item({ n: 'a' })]);
			const [one, other] = failedOf(first);
			const second = await round(first, [one!, item({ n: 'a' })]);
			expect(countsOf(await round(second, [other!], { runIndex: 2 }))).toEqual([2, 0]);
			expect(sent()).toEqual(twice);
		});

		test('that is new: a retry of the round finds it, whichever failures come back beside it', async () => {
			fail('error', 2);
			const first = await start([item({ n: 'a' })]);
			const [one, other] = failedOf(first);
			const second = await round(first, [one!, other!, item({ n: 'a' })]);
			await round(second, [one!, item({ n: 'a' })]);
			expect(sent()).toEqual(twice);
		});
	});

	test.each<[string, object]>([
		['its text is missing', { parameters: createPost({ ...parameters, text: '' }) }],
		["the credential can't be used", { credential: { baseUrl: 'ftp://example.com' } }],
	])('it is refused before any request is sent (%s), and comes back again', async (_what, wrong) => {
		for (const times of [1, 2]) {
			service().reset();
			fail('error', times);
			const first = await start([item({ n: 'a' })]);
			const second = await back(first, wrong);
			expect(countsOf(second)).toEqual([0, 'credential' in wrong ? times : 1]);
			expect(countsOf(await back(second, { runIndex: 2 }))).toEqual([2, 0]);
			expect(sent()).toEqual(['a linkedin', 'a x']);
		}
	});

	test('equal rows that share a key come back: each comes out', async () => {
		const once = createPost({
			...parameters,
			options: { ...parameters.options, avoidDuplicates: { by: { mode: 'content' } } },
		});
		fail('error', 4);
		const first = await start([item({ n: 'a' }), item({ n: 'a' })], { parameters: once });
		expect(countsOf(await back(first, { parameters: once }))).toEqual([4, 0]);
		expect(sent()).toEqual(['a linkedin', 'a x']);
	});

	test("a row whose ID another row has used isn't reported as that one when it comes back", async () => {
		const own = { ...parameters.options, avoidDuplicates: { by: { mode: 'custom', id: 'mine' } } };
		const more = { parameters: createPost({ ...parameters, options: own }) };
		const first = await start([item({ n: 'a' }), item({ n: 'b' })], more);
		// Beside that row it is refused once; alone, the service refuses it on each platform, under the other row's keys.
		expect(countsOf(first)).toEqual([2, 1]);
		const second = await back(first, more);
		expect(countsOf(second)).toEqual([0, 2]);
		expect(countsOf(await back(second, { ...more, runIndex: 2 }))).toEqual([0, 2]);
	});

	test('by hand: the next press finds what came back, too', async () => {
		const manual = (executionId: string) => ({ executionId, mode: 'manual' });
		fail('dropAfter', 1);
		const first = await start([item({ n: 'a' })], manual('11'));
		fail('error', 1);
		const second = await back(first, manual('11'));
		expect(countsOf(second)).toEqual([1, 1]);
		expect(countsOf(await start([item({ n: 'a' })], manual('12')))).toEqual([2, 0]);
		expect(sent()).toEqual(['a linkedin', 'a x']);
	});
});

test.each(['trigger', 'manual'] as const)(
	'a binary field that holds no file stops no post without one (%s), and is a missing file for one that takes it',
	async (mode) => {
		for (const data of [null, undefined, {}, { data: { type: 'Buffer', data: [1] } }]) {
			service().reset();
			const items = [{ ...item({}), binary: { data } } as unknown as INodeExecutionData];
			expect((await run(service(), createPost(), { items, mode })).json).toHaveLength(1);
			if (data) continue;
			const withFile = createPost({ mediaFrom: 'binary', binaryFields: 'data' });
			const { error } = await run(service(), withFile, { items, mode });
			expect(error.message).toBe("The item has no binary field 'data'. Nothing was sent.");
		}
	},
);

test('an item that failed in another execution is sent as a new post, with a warning; under an ID of its own as the same', async () => {
	const node = { onError: 'continueErrorOutput' } as const;
	const failedWith = async (more: object) => {
		service().reset();
		const parameters = createPost({ options: { maxRetryWait: 0, ...more } });
		service().faults.add({ kind: 'dropAfter', method: 'POST', path: '^/posts$' });
		const first = await run(service(), parameters, { items: [item({})], node });
		const [failed] = first.outputs[1]!;
		expect((failed!.json.error as any).hint).toMatch(/route it back to this node in the same execution/);
		const other = { executionId: '2', resumeToken: 'other' };
		const second = await run(service(), parameters, { items: [failed!], node, ...other });
		const warnings = second.hints.filter(({ type }) => type === 'warning').map(({ message }) => message);
		return [posts(service()).length, warnings];
	};
	expect(await failedWith({})).toEqual([
		2,
		[
			expect.stringMatching(
				/^The error in this item isn't about anything that this node sent in this exec.* as new\./,
			),
		],
	]);
	expect(await failedWith({ avoidDuplicates: { by: { mode: 'custom', id: 'mine' } } })).toEqual([1, []]);
});

test('an item with the error of another node says that it was sent as new only once it may have been', async () => {
	const error = { message: 'x', hint: '', code: 'PUBLIC_API_KEY_EXPIRED', status: 401, retryable: false };
	const items = [item({ error: { ...error, idempotency_key: 'n8n-other' } })];
	const create = async (kind?: 'error' | 'dropAfter') => {
		const code = 'PUBLIC_API_BODY_INVALID';
		if (kind) service().faults.add({ kind, code, method: 'POST', path: '^/posts$' });
		const node = { onError: 'continueRegularOutput' } as const;
		const { json, hints } = await run(service(), createPost({ options: { maxRetryWait: 0 } }), {
			items,
			node,
		});
		return [(json[0]!.error as any)?.message, hints.some(({ message }) => message.includes('sent as new'))];
	};
	expect(await create('error')).toEqual([expect.stringMatching(/ This row was not sent\.$/), false]);
	expect(await create('dropAfter')).toEqual([expect.stringMatching(/^Not confirmed/), true]);
	service().reset();
	expect(await create()).toEqual([undefined, true]);
});

describe('what is in doubt, and then refused by the service,', () => {
	const rejected =
		/^Not confirmed as sent: the service rejected .*Correct the fields .*Retry this execution/s;
	const told = ({ error: { message, description } }: any) => `${message} ${description}`;
	const lose = (kind: 'dropBefore' | 'dropAfter', skip = 0) =>
		service().faults.add({ kind, method: 'POST|PATCH', skip });
	const reject = () =>
		service().faults.add({ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', method: 'POST|PATCH' });
	const textsSent = () => map(posts(service()), 'text');

	/** As if the clock had moved on: the service refuses the time of row b, and by now that lies in the past. */
	describe('since its time has passed,', () => {
		const start = async (kind: 'dropBefore' | 'dropAfter') => {
			const next = async (at: string, options: object, more: object = {}) =>
				await run(
					service(),
					createPost({
						text: '={{ $json.t }}',
						scheduledAt: `={{ $json.t === 'b' ? '${at}' : '2126-01-01T10:00' }}`,
						options: { maxRetryWait: 0, ...options },
					}),
					{ items: [...'abc'].map((t) => item({ t })), ...more },
				);
			lose(kind, 1);
			const first = await next('2126-01-01T10:00', {});
			reject();
			const refused = await next('2020-01-01T10:00', {}, retryOf(first));
			expect(told(refused)).toMatch(/^Row 2 of 3 failed: Not confirmed as sent: .*Retry this execution/s);
			return {
				refused,
				retry: async (ifPast: string, more: object = {}) =>
					await next('2020-01-01T10:00', { ifPast }, { ...retryOf(refused), ...more }),
			};
		};

		test('goes out at once where the user wants that, and the rows behind it, too', async () => {
			const { retry } = await start('dropBefore');
			expect(map((await retry('publish')).json, 'text')).toEqual(['a', 'b', 'c']);
			expect(textsSent()).toEqual(['a', 'b', 'c']);
		});

		test('is a conflict where it was sent after all, and the rows behind it go out', async () => {
			const { retry } = await start('dropAfter');
			const { error } = await retry('publish');
			expect(error.message).toMatch(/^Row 2 of 3 failed: This idempotency key was used before/);
			expect(textsSent()).toEqual(['a', 'b', 'c']);
		});

		test.each(['skip', 'fail'])(
			'is not called skipped, since it may have been sent: it stays unconfirmed (%s)',
			async (ifPast) => {
				const { retry } = await start('dropBefore');
				reject();
				expect((await retry(ifPast)).error.message).toMatch(/^Row 2 of 3 failed: Not confirmed as sent/);
				reject();
				const { json } = await retry(ifPast, continuesOnFail);
				expect(map(json, 'text')).toEqual(['a', undefined, 'c']);
				expect(json[1]).toMatchObject({ error: { message: expect.stringMatching(/^Not confirmed/) } });
				expect(textsSent()).toEqual(['a', 'c']);
			},
		);

		test.each(['execution', 'custom'])(
			'and has a file: the first request goes out again; with another text it is too late (%s)',
			async (idempotencyKeyMode) => {
				const next = async (text: string, at: string, more: object = {}) =>
					await run(
						service(),
						createPost({
							...{ text, scheduledAt: at, mediaFrom: 'binary', binaryFields: 'data' },
							options: { maxRetryWait: 0, idempotencyKeyMode, idempotencyKey: 'mine' },
						}),
						{
							items: [{ ...item({}), binary: { data: inMemory('a.png', 'image/png', Buffer.from('a')) } }],
							...more,
						},
					);
				service().faults.add({ kind: 'dropAfter', method: 'POST', path: '^/posts$' });
				const first = await next('a', '2126-01-01T10:00');
				service().faults.add({ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', path: '^/posts$' });
				const refused = await next('a', '2020-01-01T10:00', retryOf(first));
				const corrected = await next('b', '2020-01-01T10:00', retryOf(refused));
				expect(corrected.error.message).toMatch(/is in the past/);
				expect((await next('a', '2020-01-01T10:00', retryOf(refused))).json).toMatchObject([{ text: 'a' }]);
				expect(textsSent()).toEqual(['a']);
			},
		);

		test('is confirmed where the service knows its key, although it is skipped by now', async () => {
			const { retry } = await start('dropAfter');
			expect(map((await retry('skip')).json, 'text')).toEqual(['a', 'b', 'c']);
			expect(textsSent()).toEqual(['a', 'b', 'c']);
		});
	});

	test.each([
		['in the next try', 0],
		['by the next attempt of the same try', 60],
	])('%s, goes out as its row says by then, once', async (_what, maxRetryWait) => {
		const next = async (text: string, more: object = {}) =>
			await run(service(), createPost({ text, options: { maxRetryWait } }), more);
		service().faults.add({ kind: 'status', status: 503, method: 'POST' });
		reject();
		const first = await next('bad');
		const refused = maxRetryWait > 0 ? first : await next('bad', retryOf(first));
		expect(told(refused)).toMatch(rejected);
		const { json } = await next('good', retryOf(refused));
		expect([json[0]!.text, textsSent()]).toEqual(['good', ['good']]);
		expect((await next('other', retryOf(await next('good', retryOf(refused))))).json).toMatchObject([
			{ text: 'good' },
		]);
		expect(textsSent()).toEqual(['good']);
	});

	test('is an update: it is corrected', async () => {
		const id = addPost(service(), { id: 'post_a' });
		const next = async (text: string, more: object = {}) =>
			await run(
				service(),
				{
					...{ resource: 'post', operation: 'update', postId: id, updateFields: { text } },
					options: { maxRetryWait: 0 },
				},
				more,
			);
		lose('dropBefore');
		const first = await next('bad');
		reject();
		const refused = await next('bad', retryOf(first));
		expect(told(refused)).toMatch(rejected);
		expect((await next('good', retryOf(refused))).error).toBeUndefined();
		expect(textsSent()).toEqual(['good']);
	});

	const slot = { when: 'nextSlot', slotDays: ['mon', 'wed', 'fri'], slotTimes: '09:00' };
	const tryOf =
		(parameters: object, more: object = {}) =>
		async (text: string, before?: Awaited<ReturnType<typeof run>>, options: object = {}) =>
			await run(service(), createPost({ text, ...parameters, options: { maxRetryWait: 0, ...options } }), {
				...more,
				...(before ? retryOf(before) : {}),
			});

	describe('then corrected, which is not confirmed either,', () => {
		const start = async (next: ReturnType<typeof tryOf>, kind: 'dropBefore' | 'dropAfter') => {
			lose('dropBefore');
			const first = await next('bad');
			reject();
			const refused = await next('bad', first);
			lose(kind);
			const corrected = await next('good', refused);
			expect(told(corrected)).toMatch(/^Not confirmed as sent: the connection/);
			return corrected;
		};

		test.each<[string, object]>([
			['after a delay', { when: 'delay', delayAmount: 1, delayUnit: 'hours' }],
			['in the next free slot', slot],
		])('goes out again as it was corrected, %s', async (_what, parameters) => {
			const next = tryOf(parameters);
			for (const kind of ['dropBefore', 'dropAfter'] as const) {
				service().reset();
				const corrected = await start(next, kind);
				jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 2000);
				const { json } = await next('good', corrected);
				jest.restoreAllMocks();
				expect([map(json, 'text'), textsSent()]).toEqual([['good'], ['good']]);
			}
		});

		test('is confirmed although its time has passed since', async () => {
			const at = (scheduledAt: string) => tryOf({ scheduledAt });
			const corrected = await start(at('2126-01-01T10:00'), 'dropAfter');
			const { json } = await at('2020-01-01T10:00')('good', corrected, { ifPast: 'publish' });
			expect([map(json, 'text'), textsSent()]).toEqual([['good'], ['good']]);
		});

		test('may be corrected again once the service has refused that, too', async () => {
			const next = tryOf({});
			const corrected = await start(next, 'dropBefore');
			reject();
			const refused = await next('good', corrected);
			expect(told(refused)).toMatch(rejected);
			expect([map((await next('better', refused)).json, 'text'), textsSent()]).toEqual([
				['better'],
				['better'],
			]);
		});
	});

	test('gets another slot when its own is none any more', async () => {
		const next = tryOf(slot);
		lose('dropBefore');
		const first = await next('bad');
		reject();
		const refused = await next('bad', first);
		const { json } = await tryOf({ ...slot, slotTimes: '11:00' })('good', refused);
		expect(map(json, 'scheduled_at_local')).toEqual([expect.stringMatching(/T11:00/)]);
	});

	test.each([true, false])(
		'keeps its key if the refusal is a 422 that kept nothing, in the same try: %s',
		async (isSame) => {
			const next = tryOf({}, {});
			const options = { avoidDuplicates: { by: { mode: 'content' } }, maxRetryWait: isSame ? 60 : 0 };
			const unprocessable = () =>
				service().faults.add({ kind: 'error', code: 'VALIDATION_ERROR', status: 422, method: 'POST' } as any);
			lose('dropAfter');
			if (isSame) unprocessable();
			const first = await next('bad', undefined, options);
			if (!isSame) unprocessable();
			const refused = isSame ? first : await next('bad', first, options);
			expect(told(refused)).toMatch(
				/^Not confirmed as sent: the service rejected .*The idempotency key comes from the content/s,
			);
			expect((await next('good', refused, options)).json).toMatchObject([{ text: 'bad' }]);
			expect(textsSent()).toEqual(['bad']);
		},
	);

	test.each(['at once', 'after a lost answer'])(
		'by hand: what was carried out is found again after a correction that met a conflict %s',
		async (when) => {
			const press = async (text: string, executionId: string, before?: Awaited<ReturnType<typeof run>>) =>
				await tryOf({}, { mode: 'manual', node: { id: `hand ${when}` }, executionId })(text, before);
			lose('dropAfter');
			const first = await press('bad', '101');
			reject();
			const refused = await press('bad', '102', first);
			if (when !== 'at once') lose('dropBefore');
			let last = await press('good', '103', refused);
			if (when !== 'at once') last = await press('good', '104', last);
			expect(last.error.message).toMatch(/^This idempotency key was used before/);
			expect((await press('bad', '105')).json).toMatchObject([{ text: 'bad' }]);
			expect(textsSent()).toEqual(['bad']);
		},
	);

	test.each<object>([{}, { mode: 'manual', node: { id: 'hand' } }])(
		'is an update whose time has passed: the service is asked again for what it may have carried out, %j',
		async (more) => {
			const id = addPost(service(), { id: 'post_a' });
			const next = async (scheduledAt: string, before?: Awaited<ReturnType<typeof run>>) =>
				await run(
					service(),
					{
						...{ resource: 'post', operation: 'update', postId: id, updateFields: { scheduledAt } },
						options: { maxRetryWait: 0 },
					},
					{ ...more, ...(before ? retryOf(before) : {}) },
				);
			lose('dropAfter');
			const first = await next('2126-01-01T10:00');
			reject();
			const refused = await next('2020-01-01T10:00', first);
			expect((await next('2020-01-01T10:00', refused)).json).toMatchObject([
				{ id, scheduled_at: '2126-01-01T09:00:00Z' },
			]);
		},
	);

	test('says something else by then, when it is too late: the old text does not go out in its place', async () => {
		const at = (scheduledAt: string) => tryOf({ scheduledAt });
		lose('dropBefore');
		const first = await at('2126-01-01T10:00')('bad');
		reject();
		const refused = await at('2126-01-01T10:00')('bad', first);
		const late = await at('2020-01-01T10:00')('good', refused);
		expect(late.error.message).toMatch(/^'Scheduled At' is in the past/);
		expect(textsSent()).toEqual([]);
		expect((await at('2126-01-01T10:00')('good', refused)).json).toMatchObject([{ text: 'good' }]);
	});

	test('comes back from the error output: it goes out as it says then', async () => {
		const node = { onError: 'continueErrorOutput' } as const;
		const round = async (text: string, runIndex: number, before?: Awaited<ReturnType<typeof run>>) =>
			await run(service(), createPost({ text, options: { maxRetryWait: 0 } }), {
				items: before ? before.outputs[1] : [item({})],
				...{ node, runIndex, contextData: before ? contextOf(before) : {} },
			});
		lose('dropBefore');
		const first = await round('bad', 0);
		reject();
		const second = await round('bad', 1, first);
		expect((second.outputs[1]![0]!.json.error as any).message).toMatch(/^Not confirmed as sent/);
		const third = await round('good', 2, second);
		expect([map(third.json, 'text'), textsSent()]).toEqual([['good'], ['good']]);
	});

	test('keeps its key where that is made of the text, and what it said: the error says so', async () => {
		const next = async (text: string, more: object = {}) =>
			await run(
				service(),
				createPost({ text, options: { maxRetryWait: 0, avoidDuplicates: { by: { mode: 'content' } } } }),
				more,
			);
		lose('dropBefore');
		const first = await next('bad');
		reject();
		const refused = await next('bad', retryOf(first));
		expect(told(refused)).toMatch(
			/^Not confirmed as sent.*The idempotency key comes from the content.*Check whether/s,
		);
		expect((await next('good', retryOf(refused))).json).toMatchObject([{ text: 'bad' }]);
		expect(textsSent()).toEqual(['bad']);
	});

	test('of a sub-workflow stays as it was: another call with the corrected text is another post', async () => {
		const next = async (text: string, more: object = {}) =>
			await run(service(), createPost({ text, options: { maxRetryWait: 0 } }), {
				callersToken: 'caller',
				...more,
			});
		lose('dropBefore');
		const first = await next('bad');
		reject();
		const refused = await next('bad', retryOf(first));
		expect((await next('good', retryOf(refused))).json).toMatchObject([{ text: 'bad' }]);
		await next('good');
		expect(textsSent()).toEqual(['bad', 'good']);
	});
});

test('Quick Start by hand: after a wait in which one platform failed, the other one gets nothing more', async () => {
	const credential = credentialOf(service(), { postFormat: 'quickStart' });
	const press = async (platforms: string[], executionId: string) => {
		const parameters = createPost({ platforms, options: { waitForPublication: 20 } });
		const { error } = await run(service(), parameters, { credential, mode: 'manual', executionId });
		expect(error.message).toMatch(/publishing it failed on TikTok/);
		return posts(service()).map((post) => post.platforms.map((one: any) => one.platform).join());
	};
	expect(await press(['x', 'tiktok'], '21')).toEqual(['x,tiktok']);
	expect(await press(['x', 'tiktok'], '22')).toEqual(['x,tiktok']);
	expect(await press(['tiktok'], '23')).toEqual(['x,tiktok', 'tiktok']);
	expect(await press(['tiktok'], '24')).toEqual(['x,tiktok', 'tiktok', 'tiktok']);
}, 30_000);

describe('Quick Start: a 422 whose post is out on X', () => {
	const credential = () => credentialOf(service(), { postFormat: 'quickStart' });
	const parameters = createPost({ platforms: ['x', 'linkedin'], text: 'Hi [[422]]' });
	const went = () => posts(service()).map((post) => map(post.platforms, 'platform').join());
	let rest: IDataObject | undefined;
	beforeEach(() => {
		rest = undefined;
		const { lifecycle } = service() as any;
		const create = lifecycle.create.bind(lifecycle);
		jest.spyOn(lifecycle, 'create').mockImplementation((input) => {
			const made = create(input);
			if (made.post.platforms[1])
				made.post.platforms[0] = { platform: 'x', status: 'completed', provider_post_id: '77' };
			if (rest) made.post.platforms[1] = rest;
			return made;
		});
	});
	afterEach(() => jest.restoreAllMocks());
	const told = {
		platform: 'linkedin',
		message: expect.stringMatching(/^The post was published on X, but publishing it failed on LinkedIn/),
		hint: expect.stringMatching(/create a new post for what failed, without X\./),
	};

	test('is not called sent where another row stops the run', async () => {
		const given = { ...parameters, text: '={{ $json.t }}', options: { maxRetryWait: 0 } };
		const items = ['one', 'two [[422]]', 'three'].map((t) => item({ t }));
		const first = await run(service(), given, { credential: credential(), items });
		service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST' });
		const { error } = await run(service(), given, { credential: credential(), items, ...retryOf(first) });
		expect(error.message).toMatch(
			/ 1 post was already sent \(X, LinkedIn, .*\)\. 1 post was kept by the service as failed \(LinkedIn, /,
		);
	});

	test.each(['rejected', 'pending'])(
		'says to leave X out, whatever it says of the other platform (%s)',
		async (status) => {
			rest = { platform: 'linkedin', status };
			const { error } = await run(service(), parameters, { credential: credential() });
			expect(error.message).toMatch(/^The platform rejected the post/);
			expect(error.description).toMatch(
				/^Don't include X in the new post: it is already published there\. For all that/,
			);
		},
	);

	test('by hand: X gets nothing more, and what failed goes out alone', async () => {
		const press = async (platforms: string[], executionId: string) =>
			await run(
				service(),
				{ ...parameters, platforms },
				{ credential: credential(), mode: 'manual', executionId, node: { id: 'partly' } },
			);
		for (const id of ['91', '92']) {
			const { error } = await press(['x', 'linkedin'], id);
			expect(error.context.data).toMatchObject(told);
			expect(went()).toEqual(['x,linkedin']);
		}
		await press(['linkedin'], '93');
		expect(went()).toEqual(['x,linkedin', 'linkedin']);
	});

	test('comes back from the error output, or is retried: it fails again, and X gets nothing more', async () => {
		const node = { onError: 'continueErrorOutput' } as const;
		const first = await run(service(), parameters, { items: [item({})], credential: credential(), node });
		const back = { items: first.outputs[1], runIndex: 1, contextData: contextOf(first) };
		const second = await run(service(), parameters, { ...back, credential: credential(), node });
		const third = await run(service(), parameters, {
			...retryOf(first),
			items: [item({})],
			credential: credential(),
			node,
		});
		for (const { outputs } of [first, second, third])
			expect(outputs[1]![0]!.json.error).toMatchObject({ ...told, idempotency_key: expect.any(String) });
		expect(went()).toEqual(['x,linkedin']);
	});
});

test('a file whose upload URL had expired is one file in what an error says was sent', async () => {
	const file = (name: string): INodeExecutionData => ({
		json: {},
		binary: { data: inMemory(name, 'image/png', Buffer.from(name)) },
	});
	const parameters = { resource: 'media', operation: 'upload', binaryFields: 'data' };
	const options = { maxRetryWait: 0 };
	service().faults.add({ kind: 'status', status: 403, method: 'PUT' });
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 2 });
	const items = [file('a.png'), file('b.png')];
	const first = await run(service(), { ...parameters, options }, { items });
	expect(first.error.message).toMatch(/1 file was already sent \(a\.png\)/);
	const { json } = await run(service(), { ...parameters, options }, { ...retryOf(first), items });
	expect(json.map(({ filename }) => filename)).toEqual(['a.png', 'b.png']);
	expect(asked(service(), 'POST', /upload-url/)).toHaveLength(4);
});

test('Max Posts: in a retry, what a row without a limit sent does not count', async () => {
	const parameters = createPost({
		text: '={{ $json.n }}',
		options: { maxPosts: '={{ $json.most }}' },
	});
	const items = [item({ n: 'a', most: 0 }), item({ n: 'b', most: 1 }), item({ n: 'c', most: 1 })];
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 1 });
	const first = await run(service(), parameters, { items: items.slice(0, 2) });
	expect(first.error.message).toMatch(/^Row 2 of 2 failed/);
	const again = await run(service(), parameters, { ...retryOf(first), items });
	expect(again.error.message).toMatch(
		/'Max Posts per Execution' is 1: this execution has sent 0 and asks for 2/,
	);
	const { json } = await run(service(), parameters, { ...retryOf(first), items: items.slice(0, 2) });
	expect(json.map(({ text }) => text)).toEqual(['a', 'b']);
});

test("a later round of a loop doesn't say that nothing was sent where an earlier one sent something", async () => {
	const first = await run(service(), createPost());
	const round = { contextData: contextOf(first), runIndex: 1 };
	const wrong = await run(service(), createPost({ text: '' }), round);
	expect(wrong.error.message).toBe("'Text' is empty. Nothing more was sent.");
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST' });
	expect((await run(service(), createPost(), round)).error.message).toMatch(/Nothing more was sent\.$/);
	expect((await run(service(), createPost({ text: '' }))).error.message).toMatch(/Nothing was sent\.$/);
});

test('a loop whose items are all equal, the text comes from elsewhere: what one round left in doubt is not sent in place of the next', async () => {
	const round = async (text: string, runIndex: number, contextData = {}) =>
		await run(service(), createPost({ text, options: { maxRetryWait: 0 } }), {
			...{ items: [item({ ok: true })], runIndex, contextData, executionId: '7' },
			...continuesOnFail,
		});
	service().faults.add({ kind: 'dropAfter', method: 'POST' });
	const first = await round('Monday', 0);
	const second = await round('Tuesday', 1, contextOf(first));
	const third = await round('Monday', 2, contextOf(second));
	const told = [first, second, third].map(({ json }) => json[0]?.text ?? (json[0]?.error as any).message);
	expect(told).toEqual([expect.stringMatching(/^Not confirmed as sent/), 'Tuesday', 'Monday']);
	expect(map(posts(service()), 'text').sort()).toEqual(['Monday', 'Tuesday']);
});

test('an equal item that comes back in a loop with a file: its post goes out once', async () => {
	const items = [{ json: {}, binary: { data: inMemory('a.png', 'image/png', Buffer.from('a')) } }];
	const parameters = createPost({ mediaFrom: 'binary', binaryFields: 'data', options: { maxRetryWait: 0 } });
	service().faults.add({ kind: 'dropAfter', method: 'POST', path: '/posts' });
	const first = await run(service(), parameters, { items, ...continuesOnFail, executionId: '7' });
	const more = { items, ...continuesOnFail, executionId: '7', runIndex: 1, contextData: contextOf(first) };
	const second = await run(service(), parameters, more);
	expect(first.json[0]!.error).toMatchObject({ message: expect.stringMatching(/^Not confirmed as sent/) });
	expect([second.json[0]!.id, posts(service()).length]).toEqual([posts(service())[0]!.id, 1]);
});

test('a preview between two tries shows what was sent although its file is gone', async () => {
	const files = await startFiles();
	files.on('/a.png', bytes(Buffer.from('abc')));
	const parameters = { mediaFrom: 'url', mediaUrls: `${files.url}/a.png` };
	const first = await run(service(), createPost(parameters));
	files.on('/a.png', (_request, response) => response.writeHead(404).end());
	const preview = createPost({ ...parameters, options: { preview: 'rows' } });
	const { json } = await run(service(), preview, retryOf(first));
	expect(json).toMatchObject([{ preview: true, warnings: ["Already sent: it won't be sent again"] }]);
	expect((await run(service(), preview)).error.message).toMatch(/answered with HTTP 404/);
	await files.close();
});

test('a row whose workspace may be another one by now is found before the first row is sent', async () => {
	const items = ['post_a', 'post_b'].map((id) => item({ id: addPost(service(), { id }) }));
	const parameters = { resource: 'post', operation: 'cancel', postId: '={{ $json.id }}' };
	const credential = credentialOf(service(), { workspaceId: '' });
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST' });
	const first = await run(service(), parameters, { items, credential, ...continuesOnFail });
	const retried = { ...parameters, options: { workspaceId: { __rl: true, mode: 'id', value: 'ws_main' } } };
	const { error } = await run(service(), retried, { items, credential, ...retryOf(first) });
	expect(error.message).toMatch(
		/^Row 2 of 2: An earlier try of this execution used the API key's own workspace/,
	);
	expect(asked(service(), 'POST')).toHaveLength(2);
});
