import type { IDataObject } from 'n8n-workflow';

import { runTool } from '../../../support/engine';
import {
	asked,
	contextOf,
	createPost,
	credentialOf,
	item,
	posts,
	run,
	type Service,
	startService,
} from '../../../support/writes';

const IN_2126 = '2126-07-01T10:00';

describe('what a person meets', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService({ speed: 0 });
	});
	afterEach(async () => await service.close());

	const runNew = async (more: IDataObject, rows: IDataObject[] = [{}], node: IDataObject = {}) =>
		await run(service, createPost({ when: 'now', ...more }), {
			items: rows.map(item),
			node,
		});

	describe('When', () => {
		test('At a Time is the default and wants a time', async () => {
			// n8n itself shows this, in the panel and before a run.
			await expect(run(service, createPost({ when: 'at' }))).rejects.toThrow(/"Scheduled At" is required/);
			const { error } = await run(service, createPost({ scheduledAt: '={{ "" }}' }));
			expect(error.message).toBe("'Scheduled At' is empty");
			expect(service.requests).toHaveLength(0);
		});

		test('Publish Now sends no time, whatever is left in Scheduled At', async () => {
			const { error } = await runNew({ scheduledAt: '2020-01-01T10:00' });
			expect(error).toBeUndefined();
			expect(asked(service, 'POST')[0].body).not.toHaveProperty('scheduled_at');
		});

		test('After a Delay', async () => {
			const before = Date.now();
			const { json } = await runNew({ when: 'delay', delayAmount: 2, delayUnit: 'days' });
			const later = Date.parse(String(json[0]!.scheduled_at)) - before;
			expect(later).toBeGreaterThanOrEqual(2 * 86_400_000 - 3_600_000 - 1000);
		});

		test('up to two minutes ago means now, longer ago is refused', async () => {
			const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
			const at = async (scheduledAt: string) => await run(service, createPost({ when: 'at', scheduledAt }));
			expect((await at(ago(60))).error).toBeUndefined();
			expect(asked(service, 'POST')[0].body).not.toHaveProperty('scheduled_at');
			expect((await at(ago(200))).error.message).toMatch(/^'Scheduled At' is in the past/);
			expect(posts(service)).toHaveLength(1);
		});

		test('by content: the same time means the same key, before and after it has come', async () => {
			const scheduledAt = new Date(Date.now() - 30_000).toISOString();
			const options = { idempotencyKeyMode: 'content' };
			await runNew({ when: 'at', scheduledAt, options });
			const [first] = asked(service, 'POST');
			const preview = await runNew({ when: 'at', scheduledAt, options: { ...options, previewOnly: true } });
			expect(preview.json[0]!.idempotency_key).toBe(first.headers['idempotency-key']);
		});
	});

	describe('all rows are checked before the first request', () => {
		const rows = [{ text: 'One' }, { text: '' }, { text: 'Three' }];
		const good = { text: '={{ $json.text }}' };

		test('one bad row sends none, and says which it is', async () => {
			const { error } = await runNew(good, rows);
			expect(error.message).toBe("Row 2 of 3: 'Text' is empty");
			expect(error.context.itemIndex).toBe(1);
			expect(service.requests).toHaveLength(0);
		});

		test.each<[string, IDataObject, RegExp]>([
			[
				'a time',
				{ when: 'at', scheduledAt: '={{ $json.text ? "2126-01-01T10:00" : "soon" }}' },
				/'Scheduled At'/,
			],
			[
				'a platform',
				{ platforms: '={{ $json.text ? "x" : "instagramm" }}' },
				/'instagramm' is no platform. Did you mean instagram\?$/,
			],
			[
				'a file',
				{ mediaFrom: 'binary', binaryFields: 'data' },
				/^Row 1 of 3: The item has no binary field 'data'/,
			],
			['a web address', { mediaFrom: 'url', mediaUrls: 'no address' }, /not a web address/],
			[
				'a key',
				{ options: { idempotencyKeyMode: 'custom', idempotencyKey: '={{ $json.text }}' } },
				/'My Own ID' is empty/,
			],
		])('%s', async (_what, parameters, message) => {
			const { error } = await runNew({ text: 'Hello', ...parameters }, rows);
			expect(error.message).toMatch(message);
			expect(service.requests).toHaveLength(0);
		});

		test('with Continue On Fail the others are sent', async () => {
			const { json } = await runNew(good, rows, { onError: 'continueRegularOutput' });
			expect(json.map(({ error }: any) => error?.message ?? 'sent')).toEqual([
				'sent',
				"'Text' is empty",
				'sent',
			]);
			expect((json[1]!.error as IDataObject).posts).toEqual([
				expect.objectContaining({ item: 0, platform: 'x' }),
				expect.objectContaining({ item: 2, platform: 'x' }),
			]);
		});

		test('in a retry, a row that was sent may lie in the past by now', async () => {
			service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 1 });
			const scheduledAt = '={{ $json.at }}';
			const first = await runNew({ when: 'at', scheduledAt, options: { concurrency: 1 } }, [
				{ at: IN_2126 },
				{ at: IN_2126 },
			]);
			expect(first.error.message).toMatch(/^Row 2 of 2 failed: .*1 post was already sent \(X 10:00\)$/);
			const retry = await run(service, createPost({ when: 'at', scheduledAt, text: 'Hello' }), {
				items: [{ at: IN_2126 }, { at: IN_2126 }].map(item),
				contextData: contextOf(first),
			});
			expect(retry.error).toBeUndefined();
			expect(posts(service)).toHaveLength(2);
		});
	});

	test('a failure after something was sent says what, and how to go on', async () => {
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 2 });
		const rows = ['a', 'b', 'c'].map((text) => ({ text }));
		const { error } = await runNew({ text: '={{ $json.text }}', options: { concurrency: 1 } }, rows);
		expect(error.message).toMatch(/^Row 3 of 3 failed: .+ 2 posts were already sent \(X.*, X.*\)$/);
		expect(error.description).toMatch(
			/retry this execution from the Executions list: what was sent is not sent again/,
		);
		expect(error.description).toMatch(/'Execute step' would send it again/);
		expect(error.context.data.posts).toHaveLength(2);
	});

	describe('where a post goes', () => {
		test('several accounts of a platform: none is chosen, both are named', async () => {
			const { error } = await runNew({ platforms: ['instagram', 'x'] });
			expect(error.message).toMatch(
				/^2 Instagram accounts are connected: Lakeside .+ \(acc_main_\w+\), Lakeside .+/,
			);
			expect(posts(service)).toHaveLength(0);
		});

		test('a platform that is not connected', async () => {
			const account = [...(service.store as any).accounts.values()].filter(
				({ platform }: any) => platform === 'x',
			);
			for (const one of account) one.status = 'disconnected';
			const { error } = await runNew({ platforms: ['x'] });
			expect(error.message).toBe('X is not connected to this workspace');
			expect(error.description).toMatch(/^Connect it in the service or remove it here\./);
		});

		test.each(['linkdin', 'linkedin'])('a text for %s where the post goes to X', async (platform) => {
			const options = { platformText: { texts: [{ platform, text: 'Own' }] } };
			const { error } = await runNew({ platforms: ['x'], options });
			expect(error.message).toMatch(
				/'linkdin' is no platform. Did you mean linkedin\?|has a text for LinkedIn/,
			);
			const byExpression = await runNew({
				platforms: '={{ ["x"] }}',
				options: { platformText: { texts: [{ platform: 'linkedin', text: 'Own' }] } },
			});
			expect(byExpression.error).toBeUndefined();
		});
	});

	test('the output starts with what people look for', async () => {
		const { json } = await runNew({ when: 'at', scheduledAt: IN_2126 });
		expect(Object.keys(json[0]!).slice(0, 5)).toEqual([
			'platform',
			'status',
			'scheduled_at_local',
			'text',
			'id',
		]);
	});

	describe('Preview Only', () => {
		test('writes nothing, and what is sent afterwards is what it showed', async () => {
			const parameters = {
				when: 'at',
				scheduledAt: IN_2126,
				platforms: ['x', 'linkedin'],
				text: 'Ünï "quoted"',
			};
			const token = { resumeToken: 'the-same-execution' };
			const both = async (options: IDataObject) =>
				await run(service, createPost({ ...parameters, options }), token);
			const preview = await both({ previewOnly: true });
			expect(preview.error).toBeUndefined();
			expect(asked(service, 'POST')).toHaveLength(0);
			expect(preview.json).toEqual(
				['x', 'linkedin'].map((platform) =>
					expect.objectContaining({
						preview: true,
						platform,
						account: expect.stringContaining('Lakeside'),
						scheduled_at: '2126-07-01T08:00:00Z',
						scheduled_at_local: '2126-07-01T10:00:00+02:00',
						warnings: [],
					}),
				),
			);
			await both({});
			const sent = asked(service, 'POST');
			const of = (platform: unknown) => sent.find(({ body }: any) => body.platform === platform);
			for (const { request, platform, idempotency_key } of preview.json as any[]) {
				const one = of(platform);
				expect(one.path).toBe(`/api/public/v1${request.path}`);
				expect(JSON.stringify(one.body)).toBe(JSON.stringify(request.body));
				expect(one.headers['idempotency-key']).toBe(idempotency_key);
			}
		});

		test('warns of what is likely to go wrong', async () => {
			const at = { when: 'at', scheduledAt: IN_2126 };
			await runNew({ ...at, platforms: ['x'], text: 'Same' });
			const warningsOf = async (more: IDataObject) => {
				const { json, error } = await runNew({ ...at, ...more, options: { previewOnly: true } });
				expect(error).toBeUndefined();
				return (json[0]!.warnings as string[]).join('\n');
			};
			expect(await warningsOf({ text: 'Same' })).toMatch(/^X has a post with the same text and time already/);
			expect(await warningsOf({ text: 'Other', scheduledAt: '2126-07-01T10:04' })).toMatch(
				/within five minutes/,
			);
			expect(await warningsOf({ text: 'a'.repeat(281), scheduledAt: '2126-08-01T10:00' })).toMatch(
				/^X will likely refuse it: 281/,
			);
			expect(await warningsOf({ platforms: ['youtube'] })).toMatch(
				/YouTube will likely refuse it: a post there needs/,
			);
			expect(await warningsOf({ scheduledAt: '2020-01-01T10:00' })).toMatch(/^'Scheduled At' is in the past/);
			expect(asked(service, 'POST')).toHaveLength(1);
		});

		test('warns of rows of the same run that go to the same account at about the same time', async () => {
			const rows = [
				{ text: 'Same', at: '2126-07-01T10:00', to: 'x' },
				{ text: 'Same', at: '2126-07-01T10:00', to: 'x, linkedin' },
				{ text: 'Other', at: '2126-07-01T10:05', to: 'x' },
				{ text: 'Later', at: '2126-07-01T10:11', to: 'x' },
			];
			const { json } = await runNew(
				{
					when: 'at',
					scheduledAt: '={{ $json.at }}',
					text: '={{ $json.text }}',
					platforms: '={{ $json.to }}',
					options: { previewOnly: true },
				},
				rows,
			);
			expect(json.map(({ warnings }) => warnings)).toEqual([
				[
					'Row 2 of this run: the same text and time for X',
					'Row 3 of this run: a post within five minutes of this one for X',
				],
				[
					'Row 1 of this run: the same text and time for X',
					'Row 3 of this run: a post within five minutes of this one for X',
				],
				[],
				['Rows 1, 2 of this run: a post within five minutes of this one for X'],
				[],
			]);
			expect(posts(service)).toHaveLength(0);
		});

		test('rows for different accounts of a platform are no warning', async () => {
			const accounts = [...(service.store as any).accounts.values()].filter(
				({ id, platform }: any) => platform === 'instagram' && id.startsWith('acc_main'),
			);
			const warnings = async (ids: string[]) =>
				(
					await runNew(
						{ postTo: 'accounts', accounts: '={{ [$json.id] }}', options: { previewOnly: true } },
						ids.map((id) => ({ id })),
					)
				).json.map(({ warnings: all }) => (all as string[]).filter((one) => /this run/.test(one)).length);
			const [one, two] = accounts.map(({ id }: any) => id);
			expect(await warnings([one, two])).toEqual([0, 0]);
			expect(await warnings([one, one])).toEqual([1, 1]);
		});

		test.each<[string, IDataObject, string]>([
			['update', { updateFields: { text: 'New' } }, 'PATCH'],
			['delete', {}, 'DELETE'],
			['cancel', {}, 'POST'],
		])('post.%s', async (operation, more, method) => {
			const { json } = await run(service, {
				resource: 'post',
				operation,
				postId: { mode: 'id', value: 'post_1' },
				...more,
				options: { previewOnly: true },
			});
			expect(json).toEqual([
				expect.objectContaining({
					preview: true,
					request: expect.objectContaining({ method }),
					warnings: [],
				}),
			]);
			expect(json[0]).not.toHaveProperty('deleted');
			expect(service.requests).toHaveLength(0);
		});
	});

	describe('Most Posts per Execution', () => {
		test('more than that in one run: nothing is sent', async () => {
			const { error } = await runNew({ options: { mostPosts: 2 } }, [{}, {}, {}]);
			expect(error.message).toMatch(
				/This execution may send 2 posts: 0 were sent already, 3 posts more are asked for/,
			);
			expect(service.requests).toHaveLength(0);
			expect((await runNew({ options: { mostPosts: 3 } }, [{}, {}, {}])).error).toBeUndefined();
		});

		test('all calls of a tool count together, a repeated one once', async () => {
			const call = (text: string, runIndex: number) => ({
				parameters: createPost({ text, options: { mostPosts: 2 } }),
				runIndex,
			});
			const results = await runTool({
				credential: credentialOf(service),
				calls: [call('One', 0), call('One', 1), call('Two', 2), call('Three', 3)],
			});
			expect(results.slice(0, 3).every(Array.isArray)).toBe(true);
			expect(results[3].message).toMatch(
				/^This execution may send 2 posts: 2 were sent already, 1 post more is asked for/,
			);
			expect(posts(service)).toHaveLength(2);
		});
	});
});
