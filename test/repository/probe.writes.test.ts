import fc from 'fast-check';

import { lists } from '../../nodes/api/contract';
import { factOf, readAccounts } from '../../nodes/api/records';
import { Connection } from '../../tools/probe/connection';
import { probeWrites } from '../../tools/probe/writes';
import { AS_TODAY, bare, type Dialect, today } from '../service/dialect';
import { anyDialect } from '../support/dialects';
import { runs } from '../support/property';
import { useService } from '../support/service';

const embedded = useService({ seed: 'demo', inlineDelaysMs: [0], speed: 0 });

/** All steps, in a dialect: what is new in the service and still there, and what the probe says that it left. */
async function written(dialect: Dialect, answers = ['yes', 'yes']) {
	const service = embedded();
	service.reset();
	service.speak({ ...dialect, late: AS_TODAY });
	const connection = new Connection({ url: service.url, key: service.keys.full, workspace: 'ws_main' });
	const known = new Set([...service.store.posts.keys(), ...service.store.webhooks.keys()]);
	const listed = await connection.list(lists.accounts).catch(() => undefined);
	const { all } = listed ? readAccounts(listed) : { all: [] };
	const fits = all.filter(({ id, platform }) => id && factOf(platform) === 'x');
	const postTo = fits.find(({ id }) => all.filter((one) => one.id === id).length === 1)?.id ?? 'acc_none';
	const lines: string[] = [];
	const typed = [...answers];
	const person = {
		say: (line: string) => void lines.push(line),
		ask: async () => await Promise.resolve(typed.shift() ?? ''),
		signal: new AbortController().signal,
	};
	const left = await probeWrites(connection, new Map(), person, postTo);
	const { posts, webhooks } = service.store;
	const newPosts = [...posts.values()].filter(({ id }) => !known.has(id));
	return {
		left,
		lines: lines.join('\n'),
		canPost: postTo !== 'acc_none',
		newPosts,
		stay: [
			...newPosts.filter(({ status }) => status !== 'canceled').map(({ id }) => id),
			...[...webhooks.values()].filter(({ id }) => !known.has(id)).map(({ url }) => url),
		],
	};
}

async function leavesOnlyWhatItNames(dialect: Dialect): Promise<void> {
	const { left, stay, newPosts, canPost } = await written(dialect);
	expect(left).toHaveLength(stay.length);
	for (const [index, one] of stay.entries()) expect(left[index]).toContain(one);
	// An ID in the answer, or in the list beside the address, is enough to delete.
	const hasId = [AS_TODAY, 'number'].includes(dialect['webhook id']);
	const isNamed = dialect['webhook answer'] !== 'only the secret' || dialect['webhook url'] === AS_TODAY;
	if (hasId && isNamed) expect(stay.filter((one) => one.startsWith('https:'))).toEqual([]);
	// Without an account that it can tell from the others, it posts nothing.
	if (!canPost) expect(newPosts).toEqual([]);
}

test('with all its steps, the probe leaves nothing behind that it does not name, whatever the service says', async () => {
	await leavesOnlyWhatItNames(bare);
	await fc.assert(fc.asyncProperty(anyDialect(), leavesOnlyWhatItNames), runs(20));
});

test('as today: one post a year ahead, canceled; no subscription; each step said before it is done', async () => {
	const { left, stay, newPosts, lines } = await written(today);
	expect([left, stay]).toEqual([[], []]);
	expect(newPosts.map(({ status }) => status)).toEqual(['canceled']);
	expect(Date.parse(newPosts[0]!.scheduledAt!) - Date.now()).toBeGreaterThan(364 * 24 * 3_600_000);
	expect(lines).toMatch(/^Subscribes [^]*\nUploads [^]*stays behind[^]*\nSchedules [^]*a canceled post/);
});

test('where both time fields together are refused, one alone goes out after a second yes only', async () => {
	const { newPosts, left, lines } = await written(today, ['yes', 'no']);
	expect([newPosts, left]).toEqual([[], []]);
	expect(lines).toContain('Refused with both time fields');
	const bodies = embedded().requests.filter(
		({ method, path }) => method === 'POST' && path.endsWith('/posts'),
	);
	expect(bodies).toHaveLength(1);
});
