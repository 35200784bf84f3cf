import { createHmac } from 'node:crypto';

import { derivedSecret } from '../../../nodes/shared/signature';
import { anewForEachTest, HOUR, MINUTE, n8n, newEvent, service } from './fakes';

/** With which secrets a delivery may be signed. */

anewForEachTest();

const statusOf = async (secret: string, mode = 'webhook') =>
	(await n8n.deliver(newEvent(), { secret, mode })).status;
const goOn = (ms: number) => void jest.advanceTimersByTime(ms);
const replaceKey = () => (service.key = n8n.key += "'");
const derived = () => derivedSecret(n8n.key, n8n.url)!;
const statuses = async (...secrets: string[]) => {
	const found: number[] = [];
	for (const secret of secrets) found.push(await statusOf(secret));
	return found;
};
const losesCredential = () => (n8n.credentialFailure = new Error('the encryption key is another one'));

describe('a secret that was made from key and address', () => {
	beforeEach(async () => await n8n.publish());

	it('is known in every process, also where n8n has lost what it stored, and where it cannot read the credential', async () => {
		const secret = derived();
		for (const lose of [() => undefined, () => n8n.forget(), () => (n8n.staticData = {})]) {
			lose();
			expect(await statuses(secret, 'a guess')).toEqual([200, n8n.staticData.mine ? 401 : 503]);
		}
		n8n.forget();
		await n8n.hook('create');
		losesCredential();
		for (const later of [MINUTE, 2 * HOUR]) {
			goOn(later);
			expect(await statuses(secret, 'a guess')).toEqual([200, 401]);
		}
		n8n.loseData();
		expect(await statusOf(secret)).toBe(503);
		n8n.credentialFailure = undefined;
		expect(await statusOf(secret)).toBe(200);
	});

	it.each([0, -3 * HOUR, 3 * HOUR])(
		'of a key that was replaced counts until the subscription is replaced, then for an hour beside the new one, whatever the clock does (%d ms)',
		async (jump) => {
			await n8n.start('activate');
			const old = derived();
			replaceKey();
			goOn(3 * HOUR);
			expect(await statuses(old, derived())).toEqual([200, 200]);
			await n8n.check();
			jest.setSystemTime(Date.now() + jump);
			goOn(HOUR);
			expect(await statuses(old, derived())).toEqual([200, 200]);
			goOn(1);
			expect(await statuses(old, derived())).toEqual([401, 200]);
		},
	);

	it('counts as it is stored in a process without checks that cannot read the credential', async () => {
		const secret = derived();
		n8n.forget();
		losesCredential();
		expect(await statuses(secret, 'a guess')).toEqual([200, 401]);
	});

	it.each<[string, () => unknown]>([
		['of a key that was replaced', replaceKey],
		['of an address that was replaced', () => (n8n.url = n8n.url.replace('https://', 'https://new.'))],
	])('%s does not count in a process without checks', async (_name, replace) => {
		n8n.forget();
		const old = derived();
		expect(await statusOf(old)).toBe(200);
		replace();
		goOn(5_001);
		expect(await statuses(old, derived())).toEqual([401, 200]);
	});

	it('is made from the credential as it is now, asked for again after five seconds', async () => {
		await statusOf(derived());
		replaceKey();
		goOn(4_999);
		expect(await statusOf(derived())).toBe(401);
		goOn(1);
		expect(await statusOf(derived())).toBe(200);
	});

	/** What subscribes anew. */
	const again = [
		['a check', async () => (await n8n.start('activate'), await n8n.check())],
		['a start of n8n', async () => (await n8n.restart(), await n8n.check(3_000))],
		['publishing', async () => await n8n.publish()],
	] as const;

	it.each(again)(
		'where %s has subscribed anew, of the new and, for a while, of the old one',
		async (_name, act) => {
			const old = derived();
			replaceKey();
			await act();
			expect(await statuses(old, derived())).toEqual([200, 200]);
			goOn(2 * HOUR);
			const second = derived();
			expect(await statuses(old, second)).toEqual([401, 200]);
			replaceKey();
			goOn(HOUR);
			expect(await statusOf(second)).toBe(200);
		},
	);

	it.each(again)('that %s was given again is not one that was replaced', async (_name, act) => {
		service.hooks = [];
		goOn(5 * MINUTE);
		await act();
		expect(service.hooks[0]!.secret).toBe(derived());
		losesCredential();
		goOn(2 * HOUR);
		expect(await statusOf(derived())).toBe(200);
	});
});

describe('a secret that the service made', () => {
	beforeEach(async () => {
		service.takesSecret = false;
		await n8n.publish();
	});

	it('stays in force whatever becomes of the key, until the workflow is unpublished', async () => {
		const { secret } = service.hooks[0]!;
		replaceKey();
		for (const forget of [false, true, false]) {
			if (forget) n8n.forget();
			goOn(5 * HOUR);
			expect(await statusOf(secret)).toBe(200);
		}
		service.key = n8n.key = n8n.key.slice(0, -1);
		await n8n.unpublish();
		expect(await statusOf(secret)).toBe(503);
	});

	it('of a subscription that a check has made is known to this process, besides the stored one', async () => {
		const { secret } = service.hooks[0]!;
		await n8n.start('activate');
		service.hooks = [];
		await n8n.check();
		expect(n8n.staticData.mine.secret).toBe(secret);
		expect(await statuses(secret, service.hooks[0]!.secret)).toEqual([200, 200]);
		n8n.staticData = {};
		expect(await statusOf(service.hooks[0]!.secret)).toBe(200);
		expect(await statusOf('a guess')).toBe(401);
	});
});

it('a test has secrets of its own: what n8n keeps for it, and the one made from its address', async () => {
	await n8n.publish();
	await n8n.hook('create', { test: true });
	const { secret } = service.hooks[1]!;
	expect([await statusOf(secret, 'manual'), await statusOf(derived(), 'manual')]).toEqual([200, 401]);
	n8n.testData = {};
	n8n.forget();
	expect([await statusOf(secret, 'manual'), await statusOf('a guess', 'manual')]).toEqual([200, 503]);
	service.takesSecret = false;
	await n8n.hook('create', { test: true });
	expect(await statusOf(service.hooks.at(-1)!.secret, 'manual')).toBe(200);
});

it.each(['', undefined])(
	'no secret is made from %j instead of a key: only what n8n knows counts',
	async (key) => {
		await n8n.publish();
		const real = derived();
		const guess = createHmac('sha256', String(key))
			.update(`n8n-nodes-social-publishing:webhook-secret:${n8n.url}`)
			.digest('hex');
		n8n.key = service.key = key as string;
		expect(await statuses(guess, '', real)).toEqual([401, 401, 200]);
		n8n.loseData();
		expect(await statuses(guess, '', real)).toEqual([503, 503, 503]);
		service.sent.length = 0;
		await expect(n8n.hook('create')).rejects.toMatchObject({
			message: expect.stringContaining('The credential has no API key'),
			description: expect.stringContaining("Enter 'API Key'"),
			context: { data: { code: 'NODE_NO_API_KEY' } },
		});
		expect(service.sent).toEqual([]);
	},
);

it('without an address or a secret nothing is known', async () => {
	await n8n.publish();
	n8n.staticData.mine.secret = '';
	n8n.forget();
	n8n.url = undefined as never;
	expect(await statusOf('')).toBe(503);
	expect(await statusOf(derivedSecret(n8n.key, 'undefined')!)).toBe(503);
});
