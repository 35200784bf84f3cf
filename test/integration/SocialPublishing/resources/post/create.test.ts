import type { IDataObject } from 'n8n-workflow';

import { insertPost } from '../../../../service/seed';
import { runTool, type RunOptions, type RunResult } from '../../../../support/engine';
import {
	asked,
	contextOf,
	createPost,
	credentialOf,
	item,
	posts,
	run,
	useService,
} from '../../../../support/service';

/** *Post: Create* in the real engine against the embedded service: what its plan makes of platforms, accounts and times. */

const service = useService();

const create = async (more: IDataObject, rows: IDataObject[] = [{}], options: Partial<RunOptions> = {}) =>
	await run(service(), createPost(more), { items: rows.map(item), ...options });
const retryOf = (result: RunResult): Partial<RunOptions> => ({
	contextData: contextOf(result),
	executionId: '2',
	mode: 'retry',
});
const goesOn = { node: { onError: 'continueRegularOutput' as const } };
const refuse = (more: object) =>
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', ...more } as never);
const sentTo = () => posts(service()).map(({ platforms }) => platforms[0].platform);
const accountOf = (platform: string): string =>
	[...service().store.accounts.values()].find(
		(one) => one.platform === platform && one.workspaceId === 'ws_main',
	)!.id;
const inBoth = [['integrationGuide'], ['quickStart']] as const;
const credential = (postFormat: string) => credentialOf(service(), { postFormat });

describe('one account is one target, however it is named', () => {
	test.each(inBoth)('twice in one post, in the form %s: one post', async (format) => {
		const id = accountOf('linkedin');
		const { json, error } = await create({ platforms: ['linkedin', `linkedin:${id}`] }, [{}], {
			credential: credential(format),
		});
		expect(error).toBeUndefined();
		expect(json).toHaveLength(1);
		expect(sentTo()).toEqual(['linkedin']);
	});

	test.each(['execution', 'content', 'custom'])(
		'a retry that names it another way, in mode %s',
		async (mode) => {
			const id = accountOf('linkedin');
			const options = { idempotencyKeyMode: mode, idempotencyKey: 'own', concurrency: 1 };
			const ways = [
				{ platforms: ['linkedin', 'x'] },
				{ platforms: [`linkedin:${id}`, 'x'] },
				{ postTo: 'accounts', accounts: [id, accountOf('x')] },
			];
			refuse({ method: 'POST', skip: 1, times: 2 });
			let result: RunResult | undefined;
			for (const way of ways) result = await create({ ...way, options }, [{}], result ? retryOf(result) : {});
			expect(result!.error).toBeUndefined();
			expect(sentTo().sort()).toEqual(['linkedin', 'x']);
		},
	);

	test('where accounts can not be read: refused, naming both', async () => {
		refuse({ method: 'GET', path: 'accounts', times: 0 });
		const id = accountOf('linkedin');
		const twice = await create({ platforms: ['linkedin', `linkedin:${id}`] });
		expect(twice.error.message).toBe(
			`'linkedin' and 'linkedin:${id}' may be the same account. Nothing was sent.`,
		);
		refuse({ method: 'POST', skip: 1 });
		const first = await create({ platforms: ['linkedin', 'x'], options: { concurrency: 1 } });
		const again = await create({ platforms: [`linkedin:${id}`, 'x'] }, [{}], retryOf(first));
		expect(again.error.message).toContain(
			`An earlier try sent this post to LinkedIn; 'linkedin:${id}' may be the same`,
		);
		expect(sentTo()).toEqual(['linkedin']);
	});
});

describe('what one read of /accounts shows is checked for every target', () => {
	test.each<[string, string]>([
		['linkedin:acc_nobody', "'Platform Names or IDs' matches no account: acc_nobody"],
		['instagram:@nobody', "'Platform Names or IDs' matches no account: @nobody"],
		[':acc_1', "'Platform Names or IDs' matches no account: acc_1"],
		['facebok', "'facebok' isn't a platform"],
		['threads', "'threads' isn't a platform"],
	])('%s', async (platform, message) => {
		const { error } = await create({ platforms: [platform] });
		expect(error.message).toBe(`${message}. Nothing was sent.`);
	});

	test('an account of another platform, and a disconnected one', async () => {
		const other = accountOf('linkedin');
		expect((await create({ platforms: [`x:${other}`] })).error.message).toContain('matches no account');
		service().store.accounts.get(other)!.status = 'needs_reauth' as never;
		for (const given of [{ platforms: [`linkedin:${other}`] }, { postTo: 'accounts', accounts: [other] }])
			expect((await create(given)).error.message).toMatch(/^The account .+ is not connected/);
		expect(sentTo()).toEqual([]);
	});

	test.each(['id', 'handle'])('an account by its %s in the list of platforms is taken', async (how) => {
		const account = service().store.accounts.get(accountOf('linkedin'))!;
		account.username = 'only_this_one';
		const { json, error } = await create({ platforms: [how === 'id' ? account.id : `@${account.username}`] });
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ platform: 'linkedin', account: account.name }]);
	});

	test('an account that the service lists twice is one', async () => {
		const account = service().store.accounts.get(accountOf('linkedin'))!;
		service().store.accounts.set('again', account);
		const { error } = await create({ platforms: ['linkedin'] });
		expect(error).toBeUndefined();
	});
});

describe('lists are read once a run', () => {
	const rows = Array.from({ length: 10 }, (_, n) => ({ text: `Row ${n}` }));
	const queued = {
		when: 'nextSlot',
		slotDays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
		slotTimes: '09:00',
	};

	test('also where they fail', async () => {
		refuse({ method: 'GET', times: 0 });
		const { json } = await create({ text: '={{ $json.text }}', ...queued }, rows, goesOn);
		expect(json.every(({ error }) => error)).toBe(true);
		expect(asked(service(), 'GET').map(({ path }) => path.split('/').pop())).toEqual(['accounts', 'posts']);
	});

	test('two rows of a run, one of which names the workspace that the credential has: two slots', async () => {
		const { json, error } = await create(
			{ text: '={{ $json.text }}', ...queued, options: { workspaceId: '={{ $json.workspace }}' } },
			[
				{ text: 'One', workspace: '' },
				{ text: 'Two', workspace: 'ws_main' },
			],
		);
		expect(error).toBeUndefined();
		expect(new Set(json.map(({ scheduled_at }) => scheduled_at)).size).toBe(2);
	});

	test('a slot and a time in Additional Fields that has passed: refused', async () => {
		const additionalFields = '{"scheduled_at": "2020-01-01T09:00:00Z"}';
		const { error } = await create({ ...queued, options: { additionalFields } });
		expect(error.message).toMatch(/^'Additional Fields \(JSON\)' is in the past: .+ Nothing was sent\.$/);
	});

	test('a post that is being published has no time and takes no slot', async () => {
		insertPost(service(), {
			id: 'now',
			text: 'now',
			status: 'publishing' as never,
			at: Date.now(),
			platforms: ['x'],
		});
		service().store.posts.get('now')!.scheduledAt = undefined as never;
		const { error } = await create(queued);
		expect(error).toBeUndefined();
	});

	const call = (more: IDataObject, runIndex: number) => ({
		parameters: createPost({ ...queued, ...more }),
		runIndex,
	});

	test('a tool that repeats itself gets its first answer, also where no slot can be found any more', async () => {
		const contextData = {};
		const [first] = await runTool({ credential: credentialOf(service()), contextData, calls: [call({}, 0)] });
		refuse({ method: 'GET', path: 'posts', times: 0 });
		const [again, now] = await runTool({
			credential: credentialOf(service()),
			contextData,
			calls: [call({}, 1), call({ when: 'now' }, 2)],
		});
		expect(again[0].id).toBe(first[0].id);
		expect(now[0].id).not.toBe(first[0].id);
	});
});

test("a time in Additional Fields wins over the node's own, which has just passed", async () => {
	const additionalFields = '{"scheduled_at": "2030-01-01T09:00:00Z"}';
	const scheduledAt = new Date(Date.now() - 30_000).toISOString();
	const { json } = await create({ scheduledAt, options: { additionalFields } });
	expect(json).toMatchObject([{ scheduled_at: '2030-01-01T09:00:00Z', status: 'scheduled' }]);
});

test('a retry does not warn of a post that went out with its picture', async () => {
	const parameters = {
		platforms: ['instagram'],
		mediaFrom: 'readUrls',
		mediaUrls: 'https://media.example/a.png',
	};
	const rows = [{ text: 'One' }, { text: 'Two' }];
	refuse({ method: 'POST', skip: 1 });
	const first = await create({ ...parameters, text: '={{ $json.text }}', options: { concurrency: 1 } }, rows);
	const again = await create({ ...parameters, text: '={{ $json.text }}' }, rows, retryOf(first));
	expect(again.hints.map(({ message }) => message).join()).not.toContain('Instagram');
});

test('several mistakes in one row are all listed', async () => {
	const { error } = await create({ platforms: ['facebok'], scheduledAt: 'tomorrow' });
	expect(error.message).toContain("'facebok' isn't a platform");
	expect(error.message).toContain("'Scheduled At' is not a date and time: tomorrow");
});

describe('approved means this', () => {
	const approve = async (more: IDataObject = {}) =>
		(await create({ text: 'Plum jam', ...more, options: { previewOnly: true } })).json.map(
			({ approval_code: code }) => code as string,
		);

	test('exactly what was approved goes out, anything else is refused before the first request', async () => {
		const platforms = ['x', 'linkedin'];
		const approvedCode = (await approve({ platforms })).join(', ');
		const changed = await create({ platforms, text: 'Plum jelly', options: { approvedCode } });
		expect(changed.error.message).toBe("This isn't what was approved: the text changed. Nothing was sent.");
		const elsewhere = await create({ platforms: ['bluesky'], text: 'Plum jam', options: { approvedCode } });
		expect(elsewhere.error.message).toContain('no code for this platform');
		expect(asked(service(), 'POST')).toEqual([]);
		const { error } = await create({ platforms, text: 'Plum jam', options: { approvedCode } });
		expect(error).toBeUndefined();
		expect(sentTo().sort()).toEqual(['linkedin', 'x']);
	});

	test.each(['', '={{ $json.nothing }}'])(
		'a code that is empty (%j) approves nothing',
		async (approvedCode) => {
			const { error } = await create({ text: 'Plum jam', options: { approvedCode } });
			expect(error.message).toBe("'Approved Code' is empty. Nothing was sent.");
			expect(asked(service(), 'POST')).toEqual([]);
		},
	);

	test.each<[string, IDataObject, string]>([
		['a scheduled time', { scheduledAt: '2126-01-02T10:00', when: 'at' }, 'time'],
		['a field', { options: { additionalFields: '{"note": 1}' } }, 'fields'],
		['media', { mediaFrom: 'readUrls', mediaUrls: 'https://media.example/a.png' }, 'files'],
	])('%s is part of it', async (_what, { options, ...more }, part) => {
		const [approvedCode] = await approve({ scheduledAt: '2126-01-01T10:00' });
		const { error } = await create({
			text: 'Plum jam',
			scheduledAt: '2126-01-01T10:00',
			...more,
			options: { ...(options as object), approvedCode },
		});
		expect(error.message).toContain(`the ${part} changed`);
	});
});

test('Fields per Platform: merged into the request of that platform alone, which is its own in Quick Start', async () => {
	const options = {
		platformFields: { fields: [{ platform: 'twitter', fields: '{"reply_settings": "following"}' }] },
	};
	const platforms = ['x', 'linkedin', 'bluesky'];
	for (const [format] of inBoth)
		await create({ platforms, options }, [{}], { credential: credential(format) });
	const bodies = asked(service(), 'POST').map(({ body }) => [
		body.platform ?? body.platforms,
		body.reply_settings,
	]);
	expect(bodies).toEqual(
		expect.arrayContaining([
			['x', 'following'],
			['linkedin', undefined],
			['bluesky', undefined],
			[['x'], 'following'],
			[['linkedin', 'bluesky'], undefined],
		]),
	);
});
