import type { IDataObject } from 'n8n-workflow';

import { credentialFor } from '../../n8n/examples';
import { startService, type Service } from '../../service';
import { Instance, processedData, send } from '../../support/triggerContexts';
import { signatureOf, timestampAt } from '../../support/signing';

/** Type version 1.2: what a start and every look put right, and what they hand on. n8n's clock is called by hand. */

let service: Service;
let n8n: Instance;
let key: string;

/** The time of n8n, for looks that are due. */
let shift = 0;
const now = Date.now;

const useKey = (value: string) => {
	key = value;
	n8n.credential = credentialFor(service, value) as never;
};

beforeEach(async () => {
	processedData.rows.clear();
	shift = 0;
	Date.now = () => now() + shift;
	service = await startService({ inlineDelaysMs: [0], speed: 0 });
	key = service.addKey({ plan: 'enterprise' });
	n8n = await Instance.start({ credential: credentialFor(service, key) as never });
	await n8n.publish();
	await n8n.startTrigger('activate');
});
afterEach(async () => {
	Date.now = now;
	await n8n.stop();
	await service.close();
});

/** One look, as n8n's clock asks for it a quarter of an hour later. */
async function look(): Promise<void> {
	shift += 16 * 60_000;
	// The upkeep of the last start.
	await n8n.ticks.at(-1)!();
	await settled();
}

const settled = async () => {
	await service.deliveries.idle();
	await n8n.idle();
};

const subscriptions = () => [...service.store.webhooks.values()];
const emit = (type = 'post.published') =>
	service.deliveries.emit({
		type,
		workspaceId: 'ws_main',
		brandId: 'b',
		resource: `r${Math.random()}`,
		data: { post_id: 'p' },
	});
const idsBehind = () => n8n.behind.map(({ id }) => id);

/** An event that comes through the webhook. */
async function arrives(): Promise<void> {
	const { id } = emit();
	await settled();
	expect(idsBehind()).toContain(id);
}

describe('versions', () => {
	it.each([
		[1, false],
		[1.1, false],
		[1.2, true],
	])('%d: n8n finds a trigger() to call: %s', async (typeVersion, expected) => {
		const one = await Instance.start({ credential: credentialFor(service, key) as never, typeVersion });
		try {
			expect(one.hasTrigger).toBe(expected);
		} finally {
			await one.stop();
		}
	});

	it('1.2: asks for ticks and looks when it is time', async () => {
		expect(n8n.ticks).toHaveLength(1);
		service.store.webhooks.clear();
		await n8n.ticks[0]!();
		await settled();
		expect(subscriptions()).toEqual([]);
		await look();
		expect(subscriptions()).toHaveLength(1);
	});

	it('1.2: looks as often as it is told to', async () => {
		n8n.parameters.options = { checkEvery: 60 };
		await n8n.startTrigger('activate');
		service.store.webhooks.clear();
		await look();
		expect(subscriptions()).toEqual([]);
		shift += 60 * 60_000;
		await n8n.ticks.at(-1)!();
		await settled();
		expect(subscriptions()).toHaveLength(1);
	});
});

describe('a look puts right', () => {
	const warned = () => n8n.logged.filter(({ level }) => level === 'warn').map(({ message }) => message);

	it('nothing where all is well', async () => {
		const before = subscriptions();
		await look();
		await look();
		expect(subscriptions()).toEqual(before);
		expect(warned()).toEqual([]);
		expect(n8n.emitted).toEqual([]);
	});

	it('a subscription that was deleted at the service', async () => {
		service.store.webhooks.clear();
		await look();
		expect(subscriptions()).toHaveLength(1);
		expect(warned()).toEqual(['Trigger: the subscription was put right: the service had none']);
		await arrives();
	});

	it('… where the service makes the secrets', async () => {
		service.store.acceptCallerSecret = false;
		service.store.webhooks.clear();
		await look();
		await arrives();
		await look();
		expect(subscriptions()).toHaveLength(1);
	});

	it('one that was disabled', async () => {
		subscriptions()[0]!.status = 'disabled';
		await look();
		expect(subscriptions().map(({ status }) => status)).toEqual(['active']);
		await arrives();
	});

	it('one whose events were changed', async () => {
		subscriptions()[0]!.events = ['post.created'];
		await look();
		expect(subscriptions().map(({ events }) => events)).toEqual([['post.published', 'post.failed']]);
	});

	it('doubles: the known one stays', async () => {
		const [one] = subscriptions();
		service.store.webhooks.set('wh_double', { ...one!, id: 'wh_double' });
		await look();
		expect(subscriptions().map(({ id }) => id)).toEqual([one!.id]);
	});

	it('one that nobody here knows (an old backup, killed between subscribing and storing)', async () => {
		const [one] = subscriptions();
		service.store.webhooks.clear();
		service.store.webhooks.set('wh_other', { ...one!, id: 'wh_other', secret: 'of somebody else' });
		await look();
		expect(subscriptions()).toHaveLength(1);
		await arrives();
	});

	it.each([
		['with what was stored for another address', () => undefined],
		['with nothing stored', () => (n8n.staticData = {})],
	])('what a start of n8n could not, %s, while the service was away', async (_name, before) => {
		before();
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', times: 0 });
		const { url } = n8n;
		n8n.webhookBaseUrl = n8n.webhookBaseUrl.replace('127.0.0.1', 'localhost');
		await n8n.restart();
		expect(subscriptions().map((each) => each.url)).toEqual([url]);
		await look();
		service.faults.clear();
		await look();
		expect(subscriptions().map((each) => each.url)).toContain(n8n.url);
		await arrives();
	});

	it('the secret of a key that was replaced; deliveries are accepted before, meanwhile and after', async () => {
		const [old] = subscriptions();
		useKey(service.addKey({ plan: 'enterprise' }));
		await arrives();
		await look();
		const [made] = subscriptions();
		expect(subscriptions()).toHaveLength(1);
		expect(made!.secret).not.toBe(old!.secret);
		await arrives();
		// On its way while the subscription was replaced.
		const body = JSON.stringify({ id: 'evt_late', type: 'post.published', data: {} });
		const deliver = async () => {
			const timestamp = timestampAt(Date.now());
			const signature = signatureOf(old!.secret, timestamp, Buffer.from(body));
			return (
				await send(n8n.url, body, {
					'content-type': 'application/json',
					'x-service-timestamp': timestamp,
					'x-service-signature': signature,
				})
			).status;
		};
		expect(await deliver()).toBe(200);
		// Not for ever: the key may have been replaced because somebody knows it.
		shift += 2 * 3_600_000;
		expect(await deliver()).toBe(401);
	});

	it('nothing of an unpublished workflow', async () => {
		await n8n.unpublish();
		await look();
		expect(subscriptions()).toEqual([]);
	});

	it('a failing credential: logged at every look, told to people once, put right with a new key', async () => {
		const [old] = subscriptions();
		service.store.webhooks.clear();
		useKey('sk_revoked');
		for (let i = 0; i < 5; i++) await look();
		expect(warned().length).toBeGreaterThanOrEqual(5);
		expect(n8n.failedExecutions).toHaveLength(1);
		expect(JSON.stringify([n8n.logged, n8n.failedExecutions])).not.toContain('sk_revoked');
		expect(JSON.stringify(n8n.logged)).not.toContain(old!.secret);
		useKey(service.addKey({ plan: 'enterprise' }));
		shift += 60 * 60_000;
		await look();
		await arrives();
	});
});

describe('catching up', () => {
	/** n8n is away: nobody answers. */
	const away = () => (n8n.afterAccept = async (respond) => respond(500));
	const back = () => (n8n.afterAccept = async (respond) => respond(200));

	it('hands on what failed, once, marked, oldest first, as one execution', async () => {
		away();
		const lost = [];
		for (let i = 0; i < 3; i++) {
			lost.push(emit().id);
			await settled();
			await service.clock.advance(1000);
		}
		back();
		await look();
		expect(n8n.emitted).toHaveLength(1);
		expect(idsBehind()).toEqual(lost);
		expect(n8n.behind[0]).toMatchObject({
			recovered: true,
			type: 'post.published',
			delivery: { status: 'failed' },
		});
		await look();
		// The service's own retries are copies now.
		for (let hour = 0; hour < 24; hour++) {
			await service.clock.advance(3_600_000);
			await service.deliveries.idle();
		}
		await look();
		expect(n8n.emitted).toHaveLength(1);
		expect(idsBehind()).toEqual(lost);
	});

	it('after two days away, everything is handed on at the start, once', async () => {
		away();
		const lost = Array.from({ length: 5 }, () => emit().id);
		await settled();
		for (let hour = 0; hour < 48; hour++) {
			await service.clock.advance(3_600_000);
			await service.deliveries.idle();
		}
		shift += 48 * 3_600_000;
		lost.push(emit().id);
		await settled();
		back();
		await n8n.restart();
		await look();
		expect(idsBehind().sort()).toEqual([...lost].sort());
		await n8n.restart();
		await look();
		expect(idsBehind().sort()).toEqual([...lost].sort());
	});

	it('what n8n answered by itself while it was starting', async () => {
		const { id } = emit();
		await settled();
		// It never reached the node: as if n8n had said "starting up".
		n8n.behind.length = 0;
		processedData.rows.clear();
		forgetProcess();
		await n8n.restart();
		await look();
		expect(idsBehind()).toEqual([id]);
	});

	it('asks once after each start, and hands nothing on again', async () => {
		await arrives();
		for (let starts = 1; starts <= 2; starts++) {
			forgetProcess();
			await n8n.restart();
			for (let looks = 0; looks < 3; looks++) await look();
			expect(n8n.emitted).toHaveLength(starts);
			expect(n8n.behind).toHaveLength(1);
		}
	});

	it('more events than one execution has: the others at the next look', async () => {
		await n8n.unpublish();
		await n8n.publish();
		const { id } = subscriptions()[0]!;
		const events = Array.from({ length: 600 }, () => emit().id);
		await settled();
		// None of them reached the node.
		n8n.behind.length = 0;
		processedData.rows.clear();
		forgetProcess();
		await n8n.restart();
		await look();
		expect(n8n.behind).toHaveLength(500);
		await look();
		expect(idsBehind().sort()).toEqual([...events].sort());
		await look();
		expect(n8n.behind).toHaveLength(600);
		expect(subscriptions()[0]!.id).toBe(id);
	});

	it.each(['dead_letter', 'delivered'])(
		'after n8n died with the execution that had them (%s): another one, also where n8n knows its key',
		async (status) => {
			const stopped = Date.now();
			Date.now = () => stopped + shift;
			if (status === 'dead_letter') away();
			const { id } = emit();
			await settled();
			n8n.behind.length = 0;
			processedData.rows.clear();
			forgetProcess();
			back();
			const execute = n8n.execute.bind(n8n);
			n8n.execute = async () => await Promise.reject(new Error('killed'));
			await n8n.restart();
			await look();
			expect(n8n.emitted).toHaveLength(1);
			n8n.execute = execute;
			forgetProcess();
			// Within the same minute: the same key.
			shift -= 16 * 60_000;
			await n8n.restart();
			await look();
			expect(n8n.emitted).toHaveLength(1);
			expect(n8n.behind).toEqual([]);
			await look();
			expect(idsBehind()).toEqual([id]);
		},
	);

	it('of a subscription that a start replaces, before it is removed', async () => {
		away();
		const { id } = emit();
		await settled();
		back();
		n8n.parameters.events = ['post.published', 'post.canceled'];
		await n8n.restart();
		await look();
		expect(idsBehind()).toEqual([id]);
		expect(subscriptions()).toHaveLength(1);
	});

	it('not of events and brands that were not asked for, and not at all where it is turned off', async () => {
		away();
		emit();
		await settled();
		back();
		for (const options of [{ brandIds: 'another' }, { catchUp: false }]) {
			n8n.parameters.options = options;
			await n8n.startTrigger('activate');
			await look();
			expect(n8n.emitted).toEqual([]);
		}
		n8n.parameters.options = {};
		await n8n.startTrigger('activate');
		await look();
		expect(n8n.behind).toHaveLength(1);
	});

	it('tries again where n8n could not start the execution', async () => {
		away();
		const { id } = emit();
		await settled();
		back();
		const execute = n8n.execute.bind(n8n);
		n8n.execute = async () => await Promise.reject(new Error('the database is away'));
		await look();
		expect(n8n.behind).toEqual([]);
		n8n.execute = execute;
		n8n.emitted.length = 0;
		await look();
		expect(idsBehind()).toEqual([id]);
	});
});

describe('catching up from posts', () => {
	const away = () => (n8n.afterAccept = async (respond) => respond(500));
	const back = () => (n8n.afterAccept = async (respond) => respond(200));

	/** A post that ends now, as its text says. */
	function ends(text = 'Rye bread'): string {
		const { post } = service.lifecycle.create({
			workspaceId: 'ws_main',
			brandId: 'brand_main',
			shape: 'integrationGuide',
			text,
			media: [],
			platforms: ['linkedin'],
			scheduledAt: service.clock.iso(),
			extra: {},
			draft: false,
		});
		service.lifecycle.publish(post);
		return post.id;
	}

	const postsBehind = () => n8n.behind.map(({ data }) => (data as IDataObject).post_id);
	const askedForPosts = () => service.requests.filter(({ path }) => path.endsWith('/posts')).length;

	/** Published anew with the option, as a person does. */
	async function publishWith(options: IDataObject, parameters: IDataObject = {}): Promise<void> {
		await n8n.unpublish();
		Object.assign(n8n.parameters, { options, ...parameters });
		await n8n.publish();
		await n8n.startTrigger('activate');
	}

	beforeEach(async () => {
		service.store.deliveriesNameEvents = false;
		// The service's clock stands still, ours does not.
		await service.clock.advance(1000);
		await publishWith({ catchUpFromPosts: true });
		await service.clock.advance(1000);
	});

	it('hands on the end of a post whose delivery failed, once, also when the service then delivers it', async () => {
		away();
		const lost = [ends(), ends('[[fail]]')];
		await settled();
		back();
		await look();
		expect(postsBehind()).toEqual(lost);
		expect(n8n.behind[0]).toEqual({
			id: `post.published:${lost[0]}`,
			type: 'post.published',
			occurred_at: service.clock.iso(),
			workspace_id: 'ws_main',
			brand_id: 'brand_main',
			data: { post_id: lost[0], status: 'completed', provider_post_id: expect.any(String) },
			recovered: true,
			recovered_from: 'post',
		});
		expect(n8n.behind[1]).toMatchObject({ type: 'post.failed', data: { status: 'failed' } });
		// The service's own retries.
		for (let hour = 0; hour < 24; hour++) {
			await service.clock.advance(3_600_000);
			await settled();
		}
		expect(service.deliveries.history().some(({ status }) => status === 'delivered')).toBe(true);
		await look();
		expect(postsBehind()).toEqual(lost);
	});

	it('does not hand on what came through the webhook, nor after a restart', async () => {
		const came = ends();
		await settled();
		away();
		const lost = ends();
		await settled();
		back();
		await look();
		expect(postsBehind()).toEqual([came, lost]);
		forgetProcess();
		await n8n.restart();
		await look();
		await look();
		expect(postsBehind()).toEqual([came, lost]);
	});

	it('starts no execution where nothing was missed, and reads no posts where every delivery was made', async () => {
		ends();
		await settled();
		await look();
		const [emitted, asked] = [n8n.emitted.length, askedForPosts()];
		ends();
		await settled();
		await look();
		expect(n8n.emitted).toHaveLength(emitted);
		expect(askedForPosts()).toBe(asked);
	});

	it('what happened while the service had no subscription, also where deliveries name their events', async () => {
		service.store.deliveriesNameEvents = true;
		const came = ends();
		await settled();
		service.store.webhooks.clear();
		const lost = ends();
		await look();
		expect(postsBehind()).toEqual([came, lost]);
		expect(subscriptions()).toHaveLength(1);
	});

	it('… also where n8n was away meanwhile', async () => {
		service.store.webhooks.clear();
		const lost = ends();
		forgetProcess();
		await n8n.restart();
		await look();
		expect(postsBehind()).toEqual([lost]);
	});

	it('only what was asked for: events, brands, and nothing from before it was published', async () => {
		const before = ends();
		await settled();
		n8n.behind.length = 0;
		shift += 60_000;
		await service.clock.advance(60_000);
		await publishWith({ catchUpFromPosts: true, brandIds: 'brand_main' }, { events: ['post.failed'] });
		await service.clock.advance(1000);
		away();
		const [, lost] = [ends(), ends('[[fail]]')];
		await settled();
		back();
		await look();
		expect(postsBehind()).toEqual([lost]);
		expect(lost).not.toBe(before);
		await publishWith({ catchUpFromPosts: true, brandIds: 'another' });
		service.store.webhooks.clear();
		ends();
		await look();
		expect(postsBehind()).toEqual([lost]);
	});

	it('is off unless it is asked for', async () => {
		await publishWith({});
		away();
		ends();
		await settled();
		back();
		await look();
		expect(n8n.emitted).toEqual([]);
		expect(askedForPosts()).toBe(0);
	});

	it('posts that can not be read keep the subscription from nothing', async () => {
		service.faults.add({
			kind: 'error',
			method: 'GET',
			path: '^/posts$',
			code: 'PUBLIC_API_SCOPE_FORBIDDEN',
		});
		service.store.webhooks.clear();
		const lost = ends();
		await look();
		expect(subscriptions()).toHaveLength(1);
		expect(n8n.logged.map(({ message }) => message).join()).toContain('could not read the posts');
		service.faults.clear();
		expect(postsBehind()).not.toContain(lost);
	});
});

/** Another process has no memory of this one. */
function forgetProcess(): void {
	// The state is kept by workflow and node: a new build of the node is loaded for the next one.
	n8n.forget();
}
