import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import fastify from 'fastify';

import { Connection } from '../../tools/probe/connection';
import { report } from '../../tools/probe/index';
import { probeReads, type Verdicts } from '../../tools/probe/reads';
import { probeWrites } from '../../tools/probe/writes';
import { AS_TODAY, bare, type Dialect, today } from '../service/dialect';
import { anyDialect, shown } from '../support/dialects';
import { runs } from '../support/property';
import { addWebhook, useService } from '../support/service';

const embedded = useService({ seed: 'demo', inlineDelaysMs: [0], speed: 0 });
const connection = () =>
	new Connection({ url: embedded().url, key: embedded().keys.full, workspace: 'ws_main' });
const noSignal = new AbortController().signal;

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
			isOne('batch state', 'state', 'left out') && isHidden,
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
		const person = { say: () => {}, ask: async () => await Promise.resolve(typed ?? ''), signal: noSignal };
		expect(await probeWrites(connection(), new Map(), person, postTo)).toEqual([]);
	}
	expect([embedded().store.posts.size, embedded().store.webhooks.size]).toEqual(before);
	expect(
		embedded().requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/posts')),
	).toEqual([]);
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
	const lines: string[] = [];
	const person = {
		say: (line: string) => lines.push(line),
		ask: async () => await Promise.resolve('yes'),
		signal: noSignal,
	};
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
