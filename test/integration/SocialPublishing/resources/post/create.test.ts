import type { IDataObject } from 'n8n-workflow';

import { runTool, type RunResult } from '../../../../support/engine';
import {
	asked,
	continuesOnFail,
	createPost,
	credentialOf,
	posts,
	retryOf,
	usePosting,
} from '../../../../support/service';

/** *Post: Create* in the real engine against the embedded service: what its plan makes of platforms, accounts and times. */

const { service, create, refuse } = usePosting();
const sentTo = () => posts(service()).map(({ platforms }) => platforms[0].platform);
const accountOf = (platform: string): string =>
	[...service().store.accounts.values()].find(
		(one) => one.platform === platform && one.workspaceId === 'ws_main',
	)!.id;

test.each(['execution', 'content', 'custom'])(
	'one account is one target, also where a retry names it another way, in mode %s',
	async (mode) => {
		const id = accountOf('linkedin');
		const options = { idempotencyKeyMode: mode, idempotencyKey: 'own', concurrency: 1 };
		const ways = [
			{ platforms: ['linkedin', 'x'] },
			{ platforms: [`linkedin:${id}`, 'x'] },
			{ postTo: 'accounts', accounts: [id, accountOf('x')] },
		];
		refuse({ skip: 1, times: 2 });
		let result: RunResult | undefined;
		for (const way of ways) result = await create({ ...way, options }, [{}], result ? retryOf(result) : {});
		expect(result!.error).toBeUndefined();
		expect(sentTo().sort()).toEqual(['linkedin', 'x']);
	},
);

test.each<[string, string]>([
	['linkedin:acc_nobody', "'Platform Names or IDs' matches no account: acc_nobody"],
	['instagram:@nobody', "'Platform Names or IDs' matches no account: @nobody"],
	[':acc_1', "'Platform Names or IDs' matches no account: acc_1"],
	['facebok', "'facebok' isn't a platform"],
	['threads', "'threads' isn't a platform"],
])('one read of /accounts shows what is wrong with %s', async (platform, message) => {
	expect((await create({ platforms: [platform] })).error.message).toBe(`${message}. Nothing was sent.`);
});

test('a disconnected account, however it is named', async () => {
	const id = accountOf('linkedin');
	service().store.accounts.get(id)!.status = 'needs_reauth' as never;
	for (const given of [{ platforms: [`linkedin:${id}`] }, { postTo: 'accounts', accounts: [id] }])
		expect((await create(given)).error.message).toMatch(/^The account .+ is not connected/);
	expect(sentTo()).toEqual([]);
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
		const { json } = await create({ text: '={{ $json.text }}', ...queued }, rows, continuesOnFail);
		expect(json.every(({ error }) => error)).toBe(true);
		expect(asked(service(), 'GET').map(({ path }) => path.split('/').pop())).toEqual(['accounts', 'posts']);
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
});
