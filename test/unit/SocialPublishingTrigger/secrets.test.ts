import { derivedSecret } from '../../../nodes/shared/signature';
import { FakeN8n, FakeService, newEvent } from './fakes';

/** With which secrets a delivery may be signed. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let service: FakeService;
let n8n: FakeN8n;

beforeEach(() => {
	jest.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z') });
	service = new FakeService();
	n8n = new FakeN8n(service);
});
afterEach(() => jest.useRealTimers());

const statusOf = async (secret: string, mode = 'webhook') =>
	(await n8n.deliver(newEvent(), { secret, mode })).status;
const goOn = (ms: number) => jest.setSystemTime(Date.now() + ms);
const replaceKey = () => (service.key = n8n.key += "'");
const derived = () => derivedSecret(n8n.key, n8n.url);

describe('a secret that was made from key and address', () => {
	beforeEach(async () => await n8n.publish());

	it('is known in every process, also where n8n has lost what it stored, and where it cannot read the credential', async () => {
		const secret = derived();
		for (const lose of [() => undefined, () => n8n.forget(), () => (n8n.staticData = {})]) {
			lose();
			expect(await statusOf(secret)).toBe(200);
			expect(await statusOf('a guess')).toBe(n8n.staticData.secret ? 401 : 503);
		}
		n8n.forget();
		await n8n.hook('create');
		n8n.credentialFailure = new Error('the encryption key is another one');
		for (const later of [MINUTE, 2 * HOUR]) {
			goOn(later);
			expect(await statusOf(secret)).toBe(200);
			expect(await statusOf('a guess')).toBe(401);
		}
	});

	it.each(['stored', 'known to this process'])(
		'of a key that was replaced (%s) counts for the time to the next look and an hour, beside the new one',
		async (where) => {
			const old = derived();
			if (where === 'stored') n8n.forget();
			else n8n.staticData = {};
			expect(await statusOf(old)).toBe(200);
			replaceKey();
			goOn(5_001);
			expect([await statusOf(old), await statusOf(derived())]).toEqual([200, 200]);
			goOn(15 * MINUTE + HOUR);
			expect([await statusOf(old), await statusOf(derived())]).toEqual([200, 200]);
			goOn(1);
			expect([await statusOf(old), await statusOf(derived())]).toEqual([401, 200]);
			// The key that it was made from is back, and replaced again: it counts anew.
			service.key = n8n.key = n8n.key.slice(0, -1);
			goOn(5_001);
			expect(await statusOf(old)).toBe(200);
			replaceKey();
			goOn(5_001);
			expect(await statusOf(old)).toBe(200);
		},
	);

	it('counts as long as the user has the trigger look at its subscription', async () => {
		n8n.parameters.options = { checkEvery: 120 };
		const old = derived();
		replaceKey();
		expect(await statusOf(old)).toBe(200);
		goOn(3 * HOUR);
		expect(await statusOf(old)).toBe(200);
		goOn(1);
		expect(await statusOf(old)).toBe(401);
	});

	it('is made from the credential as it is now, asked for again after five seconds', async () => {
		await statusOf(derived());
		replaceKey();
		goOn(4_999);
		expect(await statusOf(derived())).toBe(401);
		goOn(1);
		expect(await statusOf(derived())).toBe(200);
	});

	it('where a look has subscribed anew, of the new and, for a while, of the old one', async () => {
		const old = derived();
		await n8n.start('activate');
		replaceKey();
		await n8n.look();
		expect(await statusOf(old)).toBe(200);
		expect(await statusOf(service.hooks[0]!.secret)).toBe(200);
		goOn(2 * HOUR);
		expect(await statusOf(old)).toBe(401);
		expect(await statusOf(service.hooks[0]!.secret)).toBe(200);
	});
});

describe('a secret that the service made', () => {
	beforeEach(async () => {
		service.takesSecret = false;
		await n8n.publish();
	});

	it('stays in force whatever becomes of the key', async () => {
		const { secret } = service.hooks[0]!;
		replaceKey();
		goOn(5 * HOUR);
		expect(await statusOf(secret)).toBe(200);
		n8n.forget();
		for (let hour = 0; hour < 3; hour++) {
			expect(await statusOf(secret)).toBe(200);
			goOn(HOUR);
		}
	});

	it('of a subscription that a look has made is known to this process, besides the stored one', async () => {
		const { secret } = service.hooks[0]!;
		await n8n.start('activate');
		service.hooks = [];
		await n8n.look();
		expect(n8n.staticData.secret).toBe(secret);
		expect([await statusOf(secret), await statusOf(service.hooks[0]!.secret)]).toEqual([200, 200]);
		n8n.staticData = {};
		expect(await statusOf(service.hooks[0]!.secret)).toBe(200);
		expect(await statusOf('a guess')).toBe(401);
	});
});

describe('a test', () => {
	it('has the secret that n8n keeps, or else the one made from the key: no other', async () => {
		await n8n.publish();
		await n8n.hook('create', { test: true });
		const { secret } = service.hooks[1]!;
		expect([await statusOf(secret, 'manual'), await statusOf(derived(), 'manual')]).toEqual([200, 401]);
		n8n.testData = {};
		expect(await statusOf(secret, 'manual')).toBe(200);
		expect(await statusOf('a guess', 'manual')).toBe(503);
		service.takesSecret = false;
		await n8n.hook('create', { test: true });
		expect(await statusOf(service.hooks.at(-1)!.secret, 'manual')).toBe(200);
		expect(await statusOf(secret, 'manual')).toBe(401);
	});
});

it('without an address or a secret nothing is known', async () => {
	n8n.staticData = { secret: '' };
	n8n.url = undefined as never;
	expect(await statusOf('')).toBe(503);
	expect(await statusOf(derivedSecret(n8n.key, 'undefined'))).toBe(503);
});
