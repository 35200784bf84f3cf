import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import fastify from 'fastify';

import { lists } from '../../nodes/api/contract';
import { factOf, readAccounts } from '../../nodes/api/records';
import { Connection } from '../../tools/probe/connection';
import { report } from '../../tools/probe/index';
import { probeReads, type Verdicts } from '../../tools/probe/reads';
import { probeWrites } from '../../tools/probe/writes';
import { AS_TODAY, bare, type Dialect, today } from '../service/dialect';
import { anyDialect, shown } from '../support/dialects';
import { runs } from '../support/property';
import { addWebhook, asked, useService } from '../support/service';

const embedded = useService({ seed: 'demo', inlineDelaysMs: [0], speed: 0 });
const connection = () =>
	new Connection({ url: embedded().url, key: embedded().keys.full, workspace: 'ws_main' });

/** Somebody who types these answers, then nothing; and the lines that they were shown. */
function personTyping(...typed: string[]) {
	const lines: string[] = [];
	const person = {
		say: (line: string) => void lines.push(line),
		ask: async () => await Promise.resolve(typed.shift() ?? ''),
		signal: new AbortController().signal,
	};
	return { person, lines };
}

/** What a dialect makes of a row, told from the dialect alone. */
function expected(d: Dialect): Record<string, string> {
	const verdict = (path: string, ...choices: boolean[]): string => {
		const isMissing = d.missing.endsWith(` ${path}`);
		return isMissing ? 'not seen' : choices.includes(true) ? 'differs' : 'as assumed';
	};
	const isOne = (part: keyof Dialect, ...choices: string[]) => choices.includes(d[part]);
	const lists = d.lists !== AS_TODAY;
	const isHidden = isOne('fields', 'other names', 'nested', 'left out');
	const hasId = (path: string, isReadable: boolean) => isReadable || d.missing.endsWith(` ${path}`);
	const isStuck = isOne('more', 'has_more alone', 'address elsewhere');
	return {
		'2': verdict(
			'/approvals',
			isOne('batch state', 'to_do'),
			isOne('batch state', 'state', 'left out') && !isOne('batch posts', AS_TODAY, 'content_id'),
		),
		'3': verdict(
			'',
			!isOne('webhook state', AS_TODAY, 'enabled', 'DISABLED'),
			isOne('webhook id', 'webhook_id', '_id', 'left out'),
			isOne('webhook url', 'endpoint', 'left out'),
		),
		'7': verdict(
			'',
			!hasId('/workspaces', d['workspace id'] === AS_TODAY),
			!hasId('/accounts', !isOne('account id', 'account_id', '_id', 'left out')),
			!hasId('/inbox', !isOne('inbox id', '_id', 'left out')),
			!hasId('/social-connections', !isHidden),
		),
		'8': verdict('', d['post waiting'] !== AS_TODAY),
		// Pages that can be followed end where a record looks like one before, which depends on the records.
		...(isStuck || isOne('more', AS_TODAY, 'unsaid') ? { '32': verdict('', isStuck) } : {}),
		...{ '5': verdict(''), '12': verdict(''), '28': verdict(''), '29': verdict(''), '33': verdict('') },
		'1': verdict(
			'/posts',
			isOne('post time', 'scheduledAt', 'publish_at', 'ms', 's', 'left out'),
			isOne('post platform', 'object', 'linkedin_page', 'channel', 'left out'),
			d['post time'] === AS_TODAY && isOne('times', 'ms', 's'),
		),
		'6': verdict('', d.weekly !== AS_TODAY),
		'13': verdict('/workspaces', lists, d['workspace id'] !== AS_TODAY),
		'14': verdict(
			'/accounts',
			lists,
			isOne('account id', 'account_id', '_id', 'left out'),
			isOne('account platform', 'network', 'linkedin_page', 'object', 'left out'),
			isOne('account state', 'not_expired', 'health', 'object', 'left out'),
		),
		'20': verdict('/social-connections', lists),
		'21': verdict('/usage', d.usage === 'list'),
		'22': verdict('', lists),
		'24': verdict('/analytics', d.overview !== AS_TODAY),
		'25': verdict(
			'/inbox',
			lists,
			isOne('inbox id', '_id', 'left out'),
			isOne('inbox platform', 'network', 'left out'),
			isOne('inbox kind', 'left out'),
			isOne('inbox text', 'body', 'left out'),
		),
	};
}

async function probed(dialect: Dialect): Promise<Verdicts> {
	embedded().reset();
	embedded().speak({ ...dialect, late: AS_TODAY });
	addWebhook(embedded());
	return await probeReads(connection());
}

async function verdictsFit(dialect: Dialect): Promise<void> {
	const said = await probed(dialect);
	const wanted = expected(dialect);
	const found = Object.fromEntries(
		Object.keys(wanted).map((row) => [row, said.get(row)?.verdict ?? 'not seen']),
	);
	if (JSON.stringify(found) !== JSON.stringify(wanted))
		expect({ ...found, of: shown(dialect) }).toEqual(wanted);
}

test('the verdicts are those of the dialect: as today, bare, and any other', async () => {
	await verdictsFit(today);
	await verdictsFit(bare);
	await fc.assert(fc.asyncProperty(anyDialect(), verdictsFit), runs(40));
});

test('without --write, nothing but reads; --json has no word of the service in it', async () => {
	await fc.assert(
		fc.asyncProperty(anyDialect(), async (dialect) => {
			const said = await probed(dialect);
			expect(new Set(embedded().requests.map(({ method }) => method))).toEqual(new Set(['GET']));
			const json = report(said, true);
			const { accounts, posts, webhooks } = embedded().store;
			const secrets = [
				embedded().keys.full,
				...[...accounts.values()].flatMap(({ id, name, username }) => [id, name, username]),
				...[...posts.values()].flatMap(({ id, text }) => [id, text]),
				...webhooks.keys(),
			];
			expect(secrets.filter((one) => one && json.includes(one))).toEqual([]);
		}),
		runs(10),
	);
});

test('--write leaves no subscription behind, and posts nothing without the account and a typed yes', async () => {
	embedded().reset();
	embedded().speak(today);
	const before = [embedded().store.posts.size, embedded().store.webhooks.size];
	const account = [...embedded().store.accounts.keys()][0];
	for (const [postTo, typed] of [
		[undefined, 'yes'],
		[account, 'y'],
		[account, ''],
	]) {
		const { person } = personTyping(typed ?? '');
		expect(await probeWrites(connection(), new Map(), person, postTo)).toEqual([]);
	}
	expect([embedded().store.posts.size, embedded().store.webhooks.size]).toEqual(before);
	expect(asked(embedded(), 'POST', /\/posts$/)).toEqual([]);
});

/** All steps, in a dialect: what is new in the service and still there, and what the probe says that it left. */
async function written(dialect: Dialect, answers = ['yes', 'yes']) {
	const service = embedded();
	service.reset();
	service.speak({ ...dialect, late: AS_TODAY });
	const known = new Set([...service.store.posts.keys(), ...service.store.webhooks.keys()]);
	const listed = await connection()
		.list(lists.accounts)
		.catch(() => undefined);
	const { all } = listed ? readAccounts(listed) : { all: [] };
	const fits = all.filter(({ id, platform }) => id && factOf(platform) === 'x');
	const postTo = fits.find(({ id }) => all.filter((one) => one.id === id).length === 1)?.id ?? 'acc_none';
	const { person, lines } = personTyping(...answers);
	const left = await probeWrites(connection(), new Map(), person, postTo);
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
	expect(asked(embedded(), 'POST', /\/posts$/)).toHaveLength(1);
});

/** A service with one post, which it says to be in a status, and can cancel or not; it notes what it is asked. */
async function scripted(status: string, cancels = true, holdMs = 0) {
	const asked: string[] = [];
	const bodies: unknown[] = [];
	let now = status;
	const app = fastify();
	app.all('/api/public/v1/*', async ({ method, url, body }, reply) => {
		const what = `${method} ${url.replace('/api/public/v1', '').replace(/\?.*/, '')}`;
		asked.push(what);
		bodies.push(body);
		if (what === 'POST /webhooks') await pause(holdMs);
		const isCancel = what === 'POST /posts/p1/cancel';
		if (isCancel && cancels) now = 'canceled';
		if ((isCancel && !cancels) || what.includes(' /media'))
			return await reply.code(409).send({ success: false, error: { code: 'NO', message: 'no' } });
		const data = {
			'GET /accounts': { accounts: [{ id: 'a1', platform: 'x', status: 'connected' }] },
			'POST /webhooks': { webhook: { id: 'w1', secret: 's'.repeat(32) } },
		}[what];
		return { success: true, data: data ?? { id: 'p1', status: now, items: [], batches: [] } };
	});
	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	return { url, asked, bodies, close: async () => await app.close() };
}

test.each([
	['scheduled', true],
	['completed', true],
	['publishing', false],
])('a post that says "%s" is canceled, and named where that fails', async (status, cancels) => {
	const { url, asked, bodies, close } = await scripted(status, cancels);
	const { person, lines } = personTyping('yes', 'yes');
	const left = await probeWrites(new Connection({ url, key: 'key_1' }), new Map(), person, 'a1');
	await close();
	const ofPost = asked.filter((one) => one.includes('/posts'));
	expect(ofPost.slice(0, 3)).toEqual(['POST /posts', 'GET /posts/p1', 'POST /posts/p1/cancel']);
	expect(bodies[asked.indexOf('POST /posts')]).toHaveProperty('schedule_at');
	expect(lines.join('\n').includes('CAUTION')).toBe(status !== 'scheduled');
	expect(left.join()).toContain(cancels ? '' : 'post p1');
	expect(left).toHaveLength(cancels ? 0 : 1);
});

test('Ctrl-C in the middle takes back what was begun; the key appears nowhere', async () => {
	const { url, asked, close } = await scripted('scheduled', true, 1_500);
	const key = 'key_that_nobody_sees';
	const child: ChildProcess = spawn(
		process.execPath,
		['--import', 'tsx', join(__dirname, '../../tools/probe/index.ts'), '--url', url, '--key', key, '--write'],
		{ stdio: ['ignore', 'pipe', 'pipe'] },
	);
	let output = '';
	for (const stream of [child.stdout!, child.stderr!])
		stream.on('data', (part: Buffer) => (output += String(part)));
	while (!asked.includes('POST /webhooks')) await pause(50);
	child.kill('SIGINT');
	await once(child, 'close');
	await close();
	expect(asked).toContain('DELETE /webhooks/w1');
	expect(asked.filter((one) => one.startsWith('POST'))).toEqual(['POST /webhooks']);
	expect(output).toContain('Created and deleted.');
	expect(output).not.toContain(key);
});
