import { mapValues, pick } from 'lodash';
import { sleep } from 'n8n-workflow';

import { derivedSecret } from '../../../nodes/shared/signature';
import {
	FakeN8n,
	FakeService,
	faults,
	HOUR,
	MINUTE,
	newEvent,
	refused,
	type Fault,
	type FaultName,
	type Hook,
	type Sent,
	type Updates,
} from './fakes';

/**
 * The words of lives: an n8n and its copy with one key, services that use the same IDs, and whatever services, people, the
 * network and n8n do to them. Random lives and named ones share them, and how they end.
 */

type List = (all: Hook[]) => unknown;

/** How a service may show its subscriptions; `late` does not show the last two. */
const lists: Record<string, List> = {
	plain: (webhooks) => ({ webhooks }),
	'paged, oldest first': (all) => all.slice(0, 2),
	'paged, newest first': (all) => all.slice(-2),
	late: (all) => all.slice(0, -2),
	null: () => null,
	'without IDs': (all) => all.map((one) => ({ ...one, id: undefined })),
	'without addresses': (all) => all.map((one) => ({ ...one, url: undefined })),
};

export const rewrites: Record<string, (hook: Hook) => Partial<Hook>> = {
	nothing: () => ({}),
	capitals: ({ url }) => ({ url: url.replace('example.com', 'EXAMPLE.com:443') }),
	'addresses of its own': ({ id }) => ({ url: `https://relay.example.com/${id}` }),
	'addresses left out': () => ({ url: '' }),
	events: ({ events }) => ({ events: [...events, 'ping'] }),
};

/** What the specification leaves open, each first as the fakes have it (test/service/dialect.ts). */
export const dialects: Record<'list' | 'hook' | 'answer' | 'delivery', Record<string, (one: any) => any>> = {
	list: { webhooks: lists.plain!, items: (items) => ({ items }), bare: (all) => all },
	hook: {
		plain: (hook) => hook,
		'a number': ({ id, ...hook }) => ({ ...hook, id: isNaN(id) ? id : Number(id) }),
		enabled: ({ status, ...hook }) => ({ ...hook, enabled: status === 'active' }),
	},
	answer: {
		whole: (webhook) => ({ webhook }),
		'ID beside': ({ id, secret }) => ({ id, webhook: { secret } }),
		'only the secret': ({ secret }) => ({ webhook: { secret } }),
	},
	delivery: {
		event: (one) => one,
		payload: ({ event, ...one }) => ({ ...one, event: event.type, payload: event }),
	},
};

const FOREIGN = 'of somebody else';
/** The workspace of the key, which no header means, too. */
const OWN = 'ws_own';

/** How a service may be, beside its lists. */
export interface Kind {
	takesSecret: boolean;
	ignoresSecret: boolean;
	dialect: Record<keyof typeof dialects, string>;
	rewrite: string;
	/** How many subscriptions others have there, and how many are in a page. */
	foreign: number;
	pageSize: number;
	keepsHistory: boolean;
	givesIdsAgain: boolean;
	isOnePerAddress: boolean;
	/** What a service does that updates in place, under the same ID, what it has at an address. */
	updates: Updates | undefined;
	/** How long a new one is listed as not active. */
	inactiveMs: number;
	/** The part of requests that go wrong. */
	failing: number;
}

export class World {
	readonly services = [new FakeService(), new FakeService(), new FakeService()];
	readonly n8n: FakeN8n;
	readonly copy: FakeN8n;
	readonly published = new Set<FakeN8n>();
	backup = {};
	hasLost = false;
	/** Deliveries that n8n has to recover, until it is unpublished. */
	owed: Array<{ id: string; hook: Hook; isRemembered?: boolean }> = [];
	/** How POST goes wrong. */
	post: Fault | undefined;
	postSeconds = 0;
	isDown = false;
	/** How other requests go wrong. */
	trouble?: (sent: Sent) => Fault | undefined;
	isTruthful = true;
	private changedAt = Infinity;
	private events = 0;

	constructor(
		readonly kind: Kind,
		random: (sent: Sent) => Fault | undefined,
	) {
		const { rewrite, foreign, givesIdsAgain, isOnePerAddress } = kind;
		// Else, what is lost can't be found, and another one with the same ID not be told apart.
		const isFindable = !rewrite.startsWith('addresses');
		for (const service of this.services) {
			Object.assign(
				service,
				pick(kind, 'takesSecret', 'ignoresSecret', 'pageSize', 'keepsHistory', 'inactiveMs'),
			);
			service.ownWorkspace = OWN;
			const { answer, hook, delivery } = kind.dialect;
			service.created = dialects.answer[isFindable ? answer : 'whole']!;
			service.writes = { hook: dialects.hook[hook]!, delivery: dialects.delivery[delivery]! };
			service.rewrite = rewrites[rewrite]!;
			// An answer without an ID doesn't say that it is the same one.
			const isNamed = isFindable && answer !== 'only the secret';
			service.updates = isNamed && !isOnePerAddress ? kind.updates : undefined;
			service.newId = (made) => (givesIdsAgain && isFindable ? this.freeId(service) : String(1_000 + made));
			for (let i = 0; i < foreign; i++) somebodys(service, String(i + 1));
			const isFull = ({ body, workspace: there = OWN }: Sent) =>
				isOnePerAddress &&
				isFindable &&
				service.hooks.some(({ madeFor, workspace }) => madeFor === body.url && workspace === there);
			service.fault = (sent) =>
				(this.isDown ? faults['a dropped connection'] : undefined) ??
				this.trouble?.(sent) ??
				(sent.method === 'POST'
					? (this.post ?? (isFull(sent) ? () => refused(409, 'FULL') : undefined))
					: undefined) ??
				random(sent);
			service.before = async ({ method }) =>
				method === 'POST' && this.postSeconds > 0 ? await sleep(this.postSeconds * 1000) : undefined;
		}
		const [first, , account] = this.services as [FakeService, FakeService, FakeService];
		Object.assign(account, { baseUrl: first.baseUrl, key: 'example-key-of-another-account' });
		this.tellTruth();
		this.n8n = new FakeN8n(first);
		this.copy = new FakeN8n(this.services[0]!);
		this.copy.url = 'https://copy.example.com/webhook/a/webhook';
	}

	/** The lowest ID that is free in all accounts of a service: that of one that was deleted. */
	freeId({ baseUrl }: FakeService): string {
		const taken = this.services.filter((one) => one.baseUrl === baseUrl).flatMap(({ ids }) => ids);
		let id = 1;
		while (taken.includes(String(id))) id++;
		return String(id);
	}

	/** The lists have everything, at once. */
	tellTruth(): void {
		this.isTruthful = true;
		for (const service of this.services)
			Object.assign(service, { list: dialects.list[this.kind.dialect.list], lagMs: 0 });
	}

	async publish(one: FakeN8n, activation = 'activate'): Promise<void> {
		const before = one.service.hooks;
		await one.publish({ activation }).then(
			() => this.published.add(one),
			() => this.published.delete(one),
		);
		if (one === this.n8n) this.remember(before);
		if (!this.published.has(one)) return;
		// Who needs longer to publish a change has unpublished the workflow.
		const isLate = performance.now() - this.changedAt > 5 * MINUTE;
		if (one === this.n8n && isLate) this.owed = this.owed.filter(({ isRemembered }) => !isRemembered);
		if (one === this.n8n) this.changedAt = Infinity;
		await one.start(activation);
	}

	/** What n8n's calls have read of subscriptions that they deleted is in memory alone. */
	remember(before: Hook[]): void {
		for (const one of this.owed)
			one.isRemembered ||= before.includes(one.hook) && !this.n8n.service.hooks.includes(one.hook);
	}

	async restart(one: FakeN8n): Promise<void> {
		await one.stop();
		one.forget();
		if (one === this.n8n) this.owed = this.owed.filter(({ isRemembered }) => !isRemembered);
		// The secret that the service made for a subscription of a check.
		this.hasLost ||= !one.service.takesSecret;
		if (this.published.has(one)) await this.asSaid(one, async () => await this.publish(one, 'init'));
	}

	/** What a subscription had left that had to go at once: what can't be read then is lost, and said to be. */
	private async asSaid(one: FakeN8n, act: () => Promise<unknown>): Promise<void> {
		const { length } = one.warnings;
		const before = one.service.hooks;
		await act();
		const isLost = one.warnings.slice(length).some((said) => said.includes('it is lost'));
		const isGone = ({ hook }: { hook: Hook }) => before.includes(hook) && !one.service.hooks.includes(hook);
		if (one === this.n8n) this.owed = this.owed.filter((owed) => !isLost || !isGone(owed));
	}

	async check(one: FakeN8n, times = 1): Promise<void> {
		for (let i = 0; i < times; i++) {
			if (!one.cron || !this.published.has(one)) return;
			await one.check();
			const canTell = this.isHealthy && one.key === one.service.key && !this.isUntold(one);
			if (canTell) expect(this.subscriptionsOf(one)).not.toEqual([]);
		}
	}

	/** Nothing goes wrong, and the lists have all there is. */
	private get isHealthy(): boolean {
		const { post, postSeconds, isDown, isTruthful, kind } = this;
		return !post && !this.trouble && postSeconds === 0 && !isDown && kind.failing === 0 && isTruthful;
	}

	/**
	 * It was never listed by an ID or an address that is known, or not before it was deleted, where the service still answers
	 * for its deliveries, or has given its ID to another one: nobody can tell whether it is there, and that is said.
	 */
	isUntold(one: FakeN8n): boolean {
		const { rewrite, keepsHistory, dialect } = this.kind;
		const isNameless = dialect.answer === 'only the secret';
		const isGivenAgain = one.service.hooks.some(
			({ id, madeFor }) => id === one.lastAnswered && madeFor !== one.url,
		);
		const mayBe = rewrite.startsWith('addresses') || keepsHistory || isNameless || isGivenAgain;
		return mayBe && one.warnings.some((line) => line.includes("doesn't list the subscription"));
	}

	/** Without our address in the list, what came of a lost request can't be found: n8n knows the other one. */
	canBeKnown(one: FakeN8n, id: string): boolean {
		return !this.kind.rewrite.startsWith('addresses') || id === one.lastAnswered;
	}

	/** The service takes no other key from now on. */
	replaceKey(): void {
		for (const service of this.services) service.key += "'";
	}

	useKey(): void {
		for (const one of [this.n8n, this.copy]) one.key = one.service.key;
	}

	useAccount(number: number): void {
		const { n8n, services } = this;
		n8n.service = services[number]!;
		n8n.key = n8n.service.key;
	}

	/** What the service where an n8n is now has of it. */
	subscriptionsOf(one: FakeN8n): Hook[] {
		return one.service.hooks.filter(
			({ madeFor, workspace }) => madeFor === one.url && workspace === (one.workspaceId || OWN),
		);
	}

	/** An event for every subscription at the n8n's address; one that does not arrive waits for its next try. */
	async happen(one: FakeN8n, isUp = true, lost = 'failed'): Promise<void> {
		const type = (one.parameters.events as string[])[0]!;
		const event = newEvent({ id: `evt ${++this.events}`, type });
		for (const hook of [...one.service.hooks]) {
			const { madeFor, status, events, secret, id } = hook;
			if (madeFor !== one.url || status !== 'active' || !events.includes(type)) continue;
			if (!this.published.has(one)) continue;
			const isArrived = isUp && (await one.deliver(event, { secret })).status === 200;
			if (isUp && this.isAccepted(one, hook)) expect(isArrived).toBe(true);
			if (isArrived) expect(one.behind.filter((each) => each.id === event.id)).toHaveLength(1);
			else {
				one.service.deliveries.push({ webhook_id: id, status: lost, event });
				if (one === this.n8n) this.owed.push({ id: event.id, hook });
			}
		}
	}

	/** Whether what a subscription delivers has to be accepted. */
	private isAccepted(one: FakeN8n, { secret, id }: Hook): boolean {
		// Its own secret is known, unless it was lost with an answer or n8n's data, or the subscription is a double's.
		const isTold = one.service.takesSecret || one.service.told.has(secret);
		const isKnown = isTold && !this.hasLost && secret !== FOREIGN && this.canBeKnown(one, id);
		// That of another account is named in the log, and then refused.
		return isKnown && !new RegExp(`can't delete the subscription ${id}\\b`).test(one.warnings.join());
	}

	/** What was there in the end when n8n deleted it: it has recovered what was not delivered. */
	checkOwed(isFound: boolean): void {
		const deleted = this.services.flatMap((service) => service.deleted.map(({ hook }) => hook));
		const kept = this.n8n.service.hooks;
		for (const { id, hook } of this.owed)
			if (
				deleted.includes(hook) ||
				(isFound && kept.includes(hook) && this.subscriptionsOf(this.n8n).includes(hook))
			)
				expect(this.n8n.behind.filter((each) => each.id === id)).toHaveLength(1);
	}

	/** A change is published: n8n calls `delete` first. */
	async change(after = 0): Promise<void> {
		const { n8n } = this;
		await jest.advanceTimersByTimeAsync(after);
		if (!this.published.has(n8n)) return;
		const before = n8n.service.hooks;
		await this.asSaid(n8n, async () => await n8n.unpublish().catch(() => undefined));
		this.remember(before);
		await n8n.stop();
		this.changedAt = performance.now();
		await this.publish(n8n);
		await this.check(n8n);
	}

	async unpublish(one: FakeN8n): Promise<void> {
		if (one === this.n8n) this.owed = [];
		await one.unpublish().catch(() => undefined);
		this.published.delete(one);
		await one.stop();
	}

	/** The service is well again, its lists have everything, and the n8ns have the key that it takes: what there is in the end. */
	async end(life: string[]): Promise<void> {
		const { n8n, copy, services, kind } = this;
		await jest.advanceTimersByTimeAsync(60_000);
		[this.post, this.postSeconds, this.isDown] = [undefined, 0, false];
		this.trouble = undefined;
		n8n.executionFailure = undefined;
		this.tellTruth();
		for (const service of services)
			for (const one of service.deliveries) if (one.status === 'pending') one.status = 'failed';
		this.useKey();
		if (!this.published.has(n8n)) await this.publish(n8n);
		for (const one of [n8n, copy]) if (this.published.has(one)) await this.endOf(one);
		for (const service of services) {
			for (const { hook, url } of service.deleted) expect(hook.madeFor).toBe(url);
			// A publication has up to five tries; nothing else makes more than one.
			const made = service.sent.filter(({ method }) => method === 'POST').length;
			const isCalm = kind.failing === 0 && !life.some((name) => /subscribes?\b/.test(name));
			if (isCalm) expect(made).toBeLessThanOrEqual((kind.isOnePerAddress ? 6 : 2) * (life.length + 7));
		}
		for (const one of [n8n, copy]) await one.stop();
	}

	/** Exactly the one that is wanted, which stays; unpublished, none. */
	private async endOf(one: FakeN8n): Promise<void> {
		const { services, kind } = this;
		const { takesSecret, givesIdsAgain, updates } = kind;
		// Where the service doesn't show our addresses, what an n8n has lost can't be found.
		const isFound = !kind.rewrite.startsWith('addresses');
		const recovered = one.emitted.length;
		await this.check(one);
		// What it had not delivered keeps an obsolete one until the check after.
		if (one.emitted.length > recovered) await this.check(one);
		const mine = this.subscriptionsOf(one);
		if ((!isFound || mine.length === 0) && this.isUntold(one)) return;
		if (isFound) expect(mine).toHaveLength(1);
		const { secret, ...rest } = mine.find(({ id }) => this.canBeKnown(one, id))!;
		expect(rest).toMatchObject({ status: 'active' });
		expect(rest.events).toEqual(expect.arrayContaining(one.parameters.events as string[]));
		this.checkOwed(isFound);
		if (takesSecret) expect(secret).toBe(derivedSecret(one.key, one.url));
		// An old backup, or a crash before the answer, and another secret under the same ID: nothing tells.
		const isSecretTold = takesSecret || !(givesIdsAgain || updates) || !this.hasLost;
		if (isSecretTold) expect((await one.deliver(newEvent(), { secret })).status).toBe(200);
		const before = services.map(({ hooks }) => [...hooks]);
		await this.check(one, 2);
		expect(services.map(({ hooks }) => [...hooks])).toEqual(before);
		await this.unpublish(one);
		if (isFound) expect(this.subscriptionsOf(one)).toEqual([]);
	}
}

/** Other events: checks know them once n8n has called the trigger again. */
async function choose(one: FakeN8n, events: string[]): Promise<void> {
	one.parameters.events = events;
	await one.start('activate');
}

function somebodys(service: FakeService, id: string): void {
	const url = 'https://somebody.example.com/webhook/a/webhook';
	const more = { events: [], status: 'active', secret: 's', description: '', workspace: OWN };
	service.hooks.push({ id, url, ...more });
}

/** What is ours, or a double's. */
const ours = ({ hooks }: FakeService): Hook[] => hooks.filter(({ madeFor }) => madeFor !== undefined);

/** … that a list has shown: what it shows first counts as intended. */
const shownBy = (service: FakeService): Hook[] => ours(service).filter((one) => service.shown.has(one));

function setEvents(service: FakeService, events: string[]): void {
	for (const hook of shownBy(service)) hook.events = events;
}

/** Names the life in an error. */
export async function named<T>(life: string[], kind: Partial<Kind>, act: () => Promise<T>): Promise<T> {
	return await act().catch((error: Error) => {
		error.message = `${JSON.stringify(kind)}\n${life.join(' → ')}\n${error.message}`;
		throw error;
	});
}

/** Neither the ID nor the secret says which one it is. */
const isNameless = ({ dialect, takesSecret }: Kind): boolean =>
	dialect.answer === 'only the secret' && !takesSecret;

export type Steps = Record<string, (world: World) => Promise<void>>;

export const n8ns: Steps = {
	check: async (world) => await world.check(world.n8n),
	'an event': async (world) => await world.happen(world.n8n),
	'an event, n8n away': async (world) => await world.happen(world.n8n, false),
	'an event, on its way': async (world) => await world.happen(world.n8n, false, 'pending'),
	'a change is published': async (world) => await world.change(),
	...Object.fromEntries(
		['failed', 'pending'].map((state) => [
			`a change is published ten seconds after a delivery: ${state}`,
			async (world: World) => (await world.happen(world.n8n, false, state), await world.change(10_000)),
		]),
	),
	'another account': async (world) => world.useAccount(2),
	'first account': async (world) => world.useAccount(0),
	'own workspace by its ID': async ({ n8n }) => void (n8n.workspaceId = OWN),
	'subscribes in 20 s': async (world) => void (world.postSeconds = 20),
	'subscribes in 40 s': async (world) => void (world.postSeconds = 40),
	'subscribes at once': async (world) => void ([world.postSeconds, world.post] = [0, undefined]),
	'another tool subscribes': async (world) => {
		const { service } = world.n8n;
		somebodys(service, world.freeId(service));
	},
	...Object.fromEntries(
		[400, 401, 402, 403, 404, 405, 408, 409, 410, 422, 429, 500].map((status) => [
			`does not subscribe (${status})`,
			async (world: World) => void (world.post = () => refused(status, 'NO')),
		]),
	),
	'does not subscribe (a firewall)': async (world) =>
		void (world.post = () => ({ statusCode: 403, headers: {}, body: '<html>Forbidden</html>' })),
	'subscribes, but the answer is lost': async (world) =>
		void (world.post = faults['a dropped connection after acting']),
	'other events': async ({ n8n }) => await choose(n8n, ['post.published', 'post.created']),
	'first events': async ({ n8n }) => await choose(n8n, ['post.published', 'post.failed']),
	'the clock jumps ahead': async () => jest.setSystemTime(Date.now() + 5 * 3_600_000),
	'the clock is set back': async () => jest.setSystemTime(Date.now() - 7 * 3_600_000),
	down: async (world) => void (world.isDown = true),
	up: async (world) => void (world.isDown = false),
	'check of the copy': async (world) => await world.check(world.copy),
	restart: async (world) => await world.restart(world.n8n),
	publish: async (world) => await world.publish(world.n8n),
	unpublish: async (world) => await world.unpublish(world.n8n),
	'copy the database': async (world) => {
		world.copy.staticData = structuredClone(world.n8n.staticData);
		if (world.published.has(world.n8n)) world.published.add(world.copy);
		await world.restart(world.copy);
	},
	'publish the copy': async (world) => await world.publish(world.copy),
	'unpublish the copy': async (world) => await world.unpublish(world.copy),
	'other service': async ({ n8n, services }) => void (n8n.service = services[1]!),
	'first service': async ({ n8n, services }) => void (n8n.service = services[0]!),
	'other workspace': async ({ n8n }) => void (n8n.workspaceId = 'ws_2'),
	'first workspace': async ({ n8n }) => void (n8n.workspaceId = ''),
	disable: async ({ n8n: { service } }) => {
		// Nobody can tell it from one that isn't active yet.
		for (const hook of ours(service)) if (service.shownActive.has(hook)) hook.status = 'disabled';
	},
	'revoke the key': async (world) => world.replaceKey(),
	'use the new key': async (world) => world.useKey(),
	'lose static data': async (world) => void ([world.n8n.staticData, world.hasLost] = [{}, true]),
	'back up': async (world) => void (world.backup = world.n8n.staticData),
	'restore the backup': async (world) => {
		[world.n8n.staticData, world.hasLost] = [world.backup, true];
		await world.restart(world.n8n);
	},
};

/** Where a service never shows a subscription, nobody can see what people did to it. */
export const people: Steps = {
	'change events': async ({ n8n: { service } }) => setEvents(service, ['post.created']),
	'delete by hand': async ({ n8n: { service } }) => {
		const [one] = ours(service);
		service.hooks = service.hooks.filter((each) => each !== one);
	},
	double: async ({ n8n: { service }, kind, isTruthful }) => {
		const [one] = ours(service);
		// Nobody can tell it from the one whose answer had no ID.
		if (isNameless(kind) && !isTruthful) return;
		// A service with one an address has no room for it.
		if (kind.isOnePerAddress) return;
		// A double at another address can't be told from somebody else's.
		if (!one || !/example.com(:443)?\/webhook/i.test(one.url)) return;
		const id = `${one.id}-${service.sent.length}-${service.hooks.length}`;
		const double: Hook = { ...one, id, secret: FOREIGN };
		service.hooks.push(Object.defineProperty(double, 'madeFor', { value: one.madeFor }));
	},
};

export const oddLists: Steps = mapValues<Record<string, (service: FakeService) => object>, Steps[string]>(
	{
		...Object.fromEntries(Object.entries(lists).map(([name, list]) => [`list: ${name}`, () => ({ list })])),
		'lags five seconds': () => ({ lagMs: 5_000 }),
		'empty once': ({ list }) => {
			let left = 1;
			return { list: (all: Hook[]) => (left-- > 0 ? [] : list(all)) };
		},
	},
	(change, name) => async (world) => {
		const hasDouble = world.services.some(({ hooks }) => hooks.some(({ secret }) => secret === FOREIGN));
		const isUnclear = isNameless(world.kind) && (hasDouble || /late|lag/.test(name));
		// Given up, see docs/guarantees.md.
		if (world.kind.givesIdsAgain || isUnclear) return;
		world.isTruthful = false;
		for (const service of world.services) Object.assign(service, change(service));
	},
);

/** How a request goes wrong, in words: one of the {@link faults}, a status, or a page that isn't the service's. */
function faultIn(words: string): Fault {
	const [status] = /\d{3}/.exec(words) ?? ['500'];
	if (words in faults) return faults[words as FaultName];
	const page = { statusCode: Number(status), headers: {}, body: '<html>Not here</html>' };
	return words.startsWith('a page') ? () => page : () => refused(Number(status), 'NO');
}

/** Words with something in them. */
const phrases: Array<[RegExp, (world: World, ...parts: string[]) => Promise<unknown> | void]> = [
	[
		/^(GET|POST|DELETE)(?: (\S+))? fails( once)?: (.*)$/,
		(world, method, path = '', once, how) => {
			let left = once ? 1 : Infinity;
			world.trouble = (sent) =>
				sent.method === method && sent.path.includes(path) && left-- > 0 ? faultIn(how!) : undefined;
		},
	],
	[
		/^workspace (\S+) fails: (.*)$/,
		(world, there, how) => {
			world.trouble = ({ workspace = OWN }) => (workspace === there ? faultIn(how!) : undefined);
		},
	],
	[
		/^the service has room for one \((\d+)\), and refuses (\S+)$/,
		(world, status, event) => {
			world.trouble = ({ method, body }) => {
				if (method !== 'POST') return undefined;
				if (ours(world.n8n.service).length > 0) return faultIn(status!);
				return String(body.events).includes(event!) ? faultIn('422') : undefined;
			};
		},
	],
	[/^its events become (\S+)$/, ({ n8n: { service } }, events) => setEvents(service, events!.split(','))],
	[/^the list is: (.*)$/, (world, json) => void (world.n8n.service.list = () => JSON.parse(json!))],
	[/^after (\d+) hours$/, async (_, hours) => await jest.advanceTimersByTimeAsync(Number(hours) * HOUR)],
	[/^the service gives (\S+) next$/, (world, id) => void (world.n8n.service.newId = () => id!)],
];

/** A life in words: 'check ×3 → DELETE fails: a 500 → after 2 hours'. */
export async function live(world: World, life: string): Promise<void> {
	const all: Steps = { ...n8ns, ...people, ...oddLists, ...more };
	for (const words of life.split(' → ').filter(Boolean)) {
		const [, name, times = '1'] = /^(.*?)(?: ×(\d+))?$/.exec(words)!;
		for (let i = 0; i < Number(times); i++) {
			const phrase = phrases.find(([pattern]) => pattern.test(name!));
			if (phrase) await phrase[1](world, ...phrase[0].exec(name!)!.slice(1));
			else if (all[name!]) await all[name!]!(world);
			else throw new Error(`No step is called '${name}'`);
		}
	}
}

/** What random lives don't draw. */
const more: Steps = {
	heal: async (world) => {
		world.trouble = undefined;
		world.n8n.executionFailure = undefined;
		world.tellTruth();
	},
	'replace the key': async (world) => (world.replaceKey(), world.useKey()),
	'n8n moves': async ({ n8n }) => {
		n8n.url = 'https://n8n.example.com/hooks/a/webhook';
		await n8n.start('activate');
		await n8n.hook('checkExists');
		await n8n.publish();
	},
	'the copy has our address': async ({ n8n, copy }) => void (copy.url = n8n.url),
	'executions fail': async ({ n8n }) => void (n8n.executionFailure = new Error('killed')),
	'turn recovery off': async ({ n8n }) => void (n8n.parameters.options = { catchUp: false }),
	'n8n dies': async ({ n8n }) => n8n.forget(),
	'delete all by hand': async ({ n8n: { service } }) =>
		void (service.hooks = service.hooks.filter(({ madeFor }) => madeFor === undefined)),
	'disable one at each check, and delete ours by hand': async (world) => {
		const { service, lastAnswered } = world.n8n;
		const [one] = ours(service) as [Hook];
		const other = { ...one, id: `${service.sent.length}`, status: 'disabled' };
		service.hooks = service.hooks.filter(({ id }) => id !== lastAnswered);
		service.hooks.push(Object.defineProperty(other, 'madeFor', { value: one.madeFor }));
		await world.check(world.n8n);
	},
	'the list fails after each subscription': async (world) =>
		void (world.trouble = ({ path }) =>
			path === '/webhooks' && world.n8n.service.sent.at(-2)?.method === 'POST' ? faultIn('403') : undefined),
	'the list shows the first one alone': async ({ n8n: { service } }) =>
		void (service.list = (all) => all.slice(0, 1)),
	'the list lacks it, and says that there is more': async ({ n8n: { service } }) =>
		void (service.list = () => ({ webhooks: [], has_more: true })),
	'the list has other IDs': async ({ n8n: { service } }) =>
		void (service.list = (all) => all.map((one) => ({ ...one, id: `internal ${one.id}` }))),
	'the list has nothing but IDs': async ({ n8n: { service } }) =>
		void (service.list = (all) => all.map(({ id }) => ({ id }))),
	'the list is late by a minute': async ({ n8n: { service } }) => void (service.lagMs = 60_000),
};
