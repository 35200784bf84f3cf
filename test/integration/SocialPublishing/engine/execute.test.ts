import type { Fault } from '../../../service';
import { asked, createPost, item, posts, retryOf, run, useService } from '../../../support/service';

const service = useService();

const texts = [...'abcdefgh'];
const items = texts.map((text) => item({ text }));
const fault = (more: Partial<Fault> & { kind: Fault['kind'] }) =>
	service().faults.add({ method: 'POST', path: '^/posts$', ...more } as Fault);
const create = async (more: object, options: object = {}, besides: object = {}) =>
	await run(
		service(),
		createPost({ text: '={{ $json.text }}', ...more, options: { maxRetryWait: 0, ...options } }),
		{
			items,
			...besides,
		},
	);
const sent = () => posts(service()).map(({ text }) => text);

describe('the order in which rows go out', () => {
	// The first is held until all others had their turn, or it would time out.
	const holdFirst = () => fault({ kind: 'delay', ms: 1500 });

	test('at once: one after another; the output keeps the order of the input', async () => {
		holdFirst();
		const { json } = await create({ when: 'now' }, { maxRetryWait: 60 });
		expect([sent(), json.map(({ text }) => text)]).toEqual([texts, texts]);
	});

	test('at once, be it only one of them: one after another', async () => {
		holdFirst();
		await create({ when: "={{ $json.text === 'b' ? 'now' : 'delay' }}" }, { maxRetryWait: 60 });
		expect(sent()).toEqual(texts);
	});

	test('else five at a time; the output keeps the order of the input', async () => {
		holdFirst();
		const { json } = await create({ when: 'delay' }, { maxRetryWait: 60 });
		expect([sent().slice(4), json.map(({ text }) => text)]).toEqual([expect.arrayContaining(['a']), texts]);
		expect([...sent()].sort()).toEqual(texts);
	});
});

describe('after a row that failed', () => {
	const rejectSecond = () => fault({ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', skip: 1 });

	test('no further row is begun; the retry sends what is missing', async () => {
		rejectSecond();
		const first = await create({ when: 'now' });
		expect(first.error.message).toMatch(
			/^Row 2 of 8 failed: The service rejected .*\. Row 1 was sent\. Rows 3 to 8 were not sent\.$/,
		);
		expect(sent()).toEqual(['a']);
		const { json } = await create({ when: 'now' }, {}, retryOf(first));
		expect([sent(), json.map(({ text }) => text)]).toEqual([texts, texts]);
	});

	test('on one of its platforms, either, and no further one in a retry where it fails again', async () => {
		const both = { when: 'now', platforms: ['x', 'linkedin'] };
		rejectSecond();
		const first = await create(both);
		fault({ kind: 'error', code: 'PUBLIC_API_BODY_INVALID' });
		await create(both, {}, retryOf(first));
		expect(sent()).toEqual(['a']);
	});

	test('nothing is waited for; with On Error: Continue, the others are', async () => {
		rejectSecond();
		await create({ when: 'now' }, { waitForPublication: 20 });
		expect(asked(service(), 'GET').filter(({ path }) => path.includes('/posts/'))).toEqual([]);
		rejectSecond();
		const { json } = await create(
			{ when: 'now' },
			{ waitForPublication: 20 },
			{
				executionId: '2',
				items: [...'xyz'].map((text) => item({ text })),
				node: { onError: 'continueRegularOutput' },
			},
		);
		expect(json.map(({ status }) => status)).toEqual(['completed', undefined, 'completed']);
	});

	test('since it can not be read, with On Error: Continue the others go out', async () => {
		const { json } = await create(
			{ when: 'delay' },
			{},
			{ items: [item({ text: {} }), ...items], node: { onError: 'continueRegularOutput' } },
		);
		expect([json[0]!.error, [...sent()].sort()]).toEqual([
			expect.objectContaining({ code: 'NODE_PARAMETER_TEXT' }),
			texts,
		]);
	});

	test('what is under way ends, and is told as sent', async () => {
		rejectSecond();
		const { error } = await create({ when: 'delay' });
		const others = sent().length;
		expect(others).toBeGreaterThan(0);
		expect(error.message).toMatch(/^Row \d of 8 failed: .*\. Rows? .* (was|were) sent\./);
	});

	test('with On Error: Continue the others go out, and nothing of them is in its error', async () => {
		rejectSecond();
		const { json } = await create({ when: 'now' }, {}, { node: { onError: 'continueRegularOutput' } });
		expect(json.map(({ text = '-' }) => text)).toEqual(['a', '-', ...texts.slice(2)]);
		expect(json[1]!.error).toMatchObject({
			message: expect.stringMatching(/^The service rejected .*\. This row was not sent\.$/),
			row_id: expect.any(String),
			failures: [{ platform: 'x', code: 'PUBLIC_API_BODY_INVALID', idempotency_key: expect.any(String) }],
		});
	});

	test('that the service keeps as failed: a retry only meets it again, says so, and sends the rows behind it', async () => {
		fault({ kind: 'errorAfter', code: 'PUBLIC_API_PUBLISH_FAILED', skip: 1, times: 1 });
		const first = await create({ when: 'now' });
		const second = await create({ when: 'now' }, {}, retryOf(first));
		expect([first, second].map(({ error }) => error.message)).toEqual([
			expect.stringMatching(
				/^Row 2 of 8 failed: The platform rejected the post.*\. Row 1 was sent\. Rows 3 to 8 were not sent\.$/,
			),
			expect.stringMatching(
				/^Row 2 of 8 failed: The platform rejected the post.*\. Rows 1 and 3 to 8 were sent\.$/,
			),
		]);
		expect(second.error.description).toMatch(/ A retry doesn't send it again: /);
		expect(sent()).toEqual(texts);
	});
});
