import { mapValues, omit } from 'lodash';
import { sleep, type IDataObject, type IHttpRequestOptions } from 'n8n-workflow';

import type { FakeN8n } from './fakes';

/** A service in memory, as far as the trigger sees it. */

export interface Hook {
	id: string;
	url: string;
	events: string[];
	status: string;
	secret: string;
	description: string;
	workspace?: string;
	/** The address as it was asked for. */
	madeFor?: string;
	madeAt?: number;
}

export interface Sent {
	method: string;
	path: string;
	qs: IDataObject;
	body: IDataObject;
	workspace?: string;
	idempotencyKey?: string;
	by?: FakeN8n;
}

export interface Reply {
	statusCode: number;
	headers: IDataObject;
	body: unknown;
}

export const ok = (data: unknown, statusCode = 200): Reply => ({
	statusCode,
	headers: {},
	body: { success: true, data, request_id: 'r' },
});
export const refused = (
	statusCode: number,
	code: string,
	{ headers = {}, message = 'The service says no', request_id = 'r' } = {},
): Reply => ({ statusCode, headers, body: { success: false, error: { code, message }, request_id } });
const broken = (): never => {
	throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
};

/** How a request goes wrong; `act` does what it asks for. */
export type Fault = (act: () => Reply) => Reply | Promise<Reply>;

export const faults = {
	'a dropped connection': broken,
	'a dropped connection after acting': (act) => (act(), broken()),
	'a 500': () => refused(500, 'PUBLIC_API_CONTEXT_ERROR'),
	'a 500 after acting': (act) => (act(), refused(500, 'PUBLIC_API_WEBHOOK_CREATE_FAILED')),
	'a 500 for good after acting': (act) => (act(), refused(500, 'PUBLIC_API_INTERNAL_ERROR')),
	'a rate limit': () => refused(429, 'PUBLIC_API_RATE_LIMITED', { headers: { 'retry-after': '1' } }),
	'a 502 without an envelope': () => ({ statusCode: 502, headers: {}, body: 'Bad gateway' }),
	'malformed JSON': (act) => (act(), { statusCode: 200, headers: {}, body: '{"success":tr' }),
	'an empty answer': () => ({ statusCode: 200, headers: {}, body: '' }),
	'a forbidden scope': () => refused(403, 'PUBLIC_API_SCOPE_FORBIDDEN'),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** A secret that the service made, once it updates a subscription: repeated, kept without a word, or another one. */
export type Updates = 'repeats' | 'keeps' | 'changes';

export const isYounger = ({ madeAt = -Infinity }: Hook, ms: number): boolean =>
	performance.now() - madeAt < ms;

/** How long the trigger waits until it is subscribed. */
const PATIENCE_MS = 30_000;

let services = 0;

export class FakeService {
	hooks: Hook[] = [];
	/** Deliveries as the service lists them, each with `webhook_id` and `status`. */
	deliveries: IDataObject[] = [];
	posts: IDataObject[] = [];
	accounts: IDataObject[] = [];
	key = 'example-key-0';
	baseUrl = `https://api-${++services}.example.com`;
	/** How it shows its subscriptions. */
	list: (hooks: Array<Omit<Hook, 'secret'>>) => unknown = (webhooks) => ({ webhooks });
	rewrite: (hook: Hook) => Partial<Hook> = () => ({});
	newId = (made: number): string => `wh_${made}`;
	created: (hook: Hook) => unknown = (webhook) => ({ webhook });
	/** How long it takes until a new one is in the list. */
	lagMs = 0;
	/** How long it lists a new one as not active. */
	inactiveMs = 0;
	/** Whether it takes a secret that the caller offers; if not, whether it says so. */
	takesSecret = true;
	ignoresSecret = false;
	/** Whether it answers for an address that it knows by updating what is there, and what it then does with its own secret. */
	updates: Updates | undefined;
	/** How it writes a subscription and a delivery in its lists. */
	writes = {
		hook: (hook: Omit<Hook, 'secret'>): unknown => hook,
		delivery: (one: IDataObject): unknown => one,
	};
	readonly sent: Sent[] = [];
	/** The secrets of subscriptions whose answer arrived. */
	readonly told = new Set<string>();
	/** Those that a list has shown by their ID, to the n8n that they deliver to. */
	readonly shown = new WeakSet<Hook>();
	/** … as active. */
	readonly shownActive = new WeakSet<Hook>();
	/** What was deleted, and the address of the n8n that did it. */
	readonly deleted: Array<{ hook: Hook; url?: string }> = [];
	fault: (sent: Sent) => Fault | undefined = () => undefined;
	before: (sent: Sent) => Promise<void> | void = () => undefined;
	private made = 0;
	/** The one whose secret the last answer has. */
	private answered?: Hook;
	private lastMade?: Hook;
	private readonly everMade = new Set<string>();

	/** The next `times` requests that fit go wrong. */
	fail(how: FaultName | Fault, method = '', path = /./, times = Infinity): void {
		let left = times;
		const fault = typeof how === 'string' ? faults[how] : how;
		this.fault = (sent) =>
			sent.method.startsWith(method) && path.test(sent.path) && left-- > 0 ? fault : undefined;
	}

	/** Answers so many requests a minute, and says in each how many are left (spec, "Rate limits"). */
	limit(most: number): void {
		let [used, endsAt] = [0, -Infinity];
		this.fault = () => async (act) => {
			// As long as an answer takes: those that wait for the next minute go on at the same time.
			await sleep(20);
			const now = performance.now();
			if (now >= endsAt) [used, endsAt] = [0, now + 60_000];
			const reset = Math.ceil((endsAt - now) / 1000);
			const remaining = Math.max(0, most - ++used);
			const said = {
				'x-ratelimit-limit': most,
				'x-ratelimit-remaining': remaining,
				'x-ratelimit-reset': reset,
			};
			const headers = mapValues(said, String);
			if (used <= most) return { ...act(), headers };
			const more = { 'retry-after': String(reset) };
			return refused(429, 'PUBLIC_API_RATE_LIMITED', { headers: { ...headers, ...more } });
		};
	}

	heal(): void {
		this.fault = () => undefined;
	}

	get ids(): string[] {
		return this.hooks.map(({ id }) => id);
	}

	asked(path = /./): string[] {
		return this.sent.filter((one) => path.test(one.path)).map((one) => `${one.method} ${one.path}`);
	}

	record(status: string, more: IDataObject): IDataObject {
		const delivery = { webhook_id: this.hooks[0]!.id, status, attempts: 3, ...more };
		this.deliveries.push(delivery);
		return delivery;
	}

	/** Of lists, and how they say that there is more. */
	pageSize = 1_000_000;
	/** Whether it knows the deliveries of a subscription that is gone. */
	keepsHistory = false;
	more: () => IDataObject = () => ({ pagination: { hasNext: true } });

	/** The key's own workspace, which no header means, too. */
	ownWorkspace?: string;

	async answer(
		{ method, url, body, qs, headers }: IHttpRequestOptions,
		key: string,
		by?: FakeN8n,
	): Promise<Reply> {
		const sent: Sent = {
			method: method!,
			path: url.slice(`${this.baseUrl}/v1`.length),
			qs: qs ?? {},
			body: body as IDataObject,
			workspace: headers!['x-service-workspace-id'] as string | undefined,
			idempotencyKey: headers!['idempotency-key'] as string | undefined,
			...(by ? { by } : {}),
		};
		this.sent.push(sent);
		const sentAt = performance.now();
		await this.before(sent);
		const act = () => (key === this.key ? this.act(sent) : refused(401, 'PUBLIC_API_KEY_INVALID'));
		const fault = this.fault(sent);
		if (fault) return fault(act);
		const reply = act();
		if (sent.method === 'GET' && sent.path === '/webhooks') this.show(JSON.stringify(reply.body), by?.url);
		// Later, nobody waits for it.
		if (reply.statusCode !== 201 || performance.now() - sentAt > PATIENCE_MS) return reply;
		if (this.answered) this.told.add(this.answered.secret);
		if (by) by.lastAnswered = this.lastMade?.id;
		return reply;
	}

	private show(list: string, url = ''): void {
		const own = this.hooks.filter(({ madeFor }) => madeFor === url);
		for (const one of own.filter(({ id }) => new RegExp(`"id":"?${id}\\b`).test(list))) {
			this.shown.add(one);
			if (!isYounger(one, this.inactiveMs)) this.shownActive.add(one);
		}
	}

	private act({ method, path, qs, body, by, workspace = this.ownWorkspace }: Sent): Reply {
		const [, resource, id, part] = path.split('/').map(decodeURIComponent);
		if (resource === 'accounts') return ok({ accounts: this.accounts });
		if (resource === 'posts') return this.answerPosts(id, qs);
		// A webhook of another workspace is not there.
		const here = this.hooks.filter((one) => one.workspace === workspace);
		const hook = here.find((one) => one.id === id);
		const isHistory = part === 'deliveries' && this.keepsHistory && this.everMade.has(id!);
		if (id && !hook && !isHistory) return refused(404, 'PUBLIC_API_WEBHOOK_NOT_FOUND');
		if (part === 'deliveries') return this.listDeliveries(id!, qs);
		if (method === 'GET') return this.listHooks(here, qs);
		if (method !== 'DELETE') return this.subscribe(here, body, workspace);
		this.deleted.push({ hook: hook!, url: by?.url });
		this.hooks = this.hooks.filter((one) => one !== hook);
		return { statusCode: 204, headers: {}, body: '' };
	}

	private answerPosts(id: string | undefined, { status }: IDataObject): Reply {
		if (!id) return ok({ items: this.posts.filter((one) => one.status === status) });
		const post = this.posts.find((one) => one.id === id);
		return post ? ok(post) : refused(404, 'PUBLIC_API_POST_NOT_FOUND');
	}

	/** The page that is asked for, and what says that there is more. */
	private pageOf<T>(all: T[], qs: IDataObject): { page: T[]; more?: IDataObject } {
		const end = Number(qs.page ?? 1) * this.pageSize;
		return { page: all.slice(end - this.pageSize, end), more: end < all.length ? this.more() : undefined };
	}

	private listDeliveries(id: string, qs: IDataObject): Reply {
		const all = this.deliveries.filter((one) => one.webhook_id === id && one.status === qs.status);
		const { page, more } = this.pageOf(all, qs);
		return ok({ deliveries: page.map(this.writes.delivery), ...more });
	}

	private listHooks(here: Hook[], qs: IDataObject): Reply {
		const listed = here.filter((one) => !isYounger(one, this.lagMs));
		const { page, more } = this.pageOf(listed, qs);
		const written = page.map((one) => {
			const status = isYounger(one, this.inactiveMs) ? 'disabled' : one.status;
			return this.writes.hook({ ...omit(one, 'secret'), status }) as Hook;
		});
		const shown = this.list(written);
		if (!shown || !more) return ok(shown);
		return ok({ ...(Array.isArray(shown) ? { webhooks: shown } : shown), ...more });
	}

	/** Makes a subscription, or updates the one for this address. */
	private subscribe(here: Hook[], body: IDataObject, workspace: string | undefined): Reply {
		const { takesSecret, ignoresSecret } = this;
		if (body.secret && !takesSecret && !ignoresSecret) return refused(400, 'PUBLIC_API_BODY_INVALID');
		const { url, events, description } = body as unknown as Hook;
		this.made++;
		const there = this.updates && here.find(({ madeFor }) => madeFor === url);
		const secret = String((takesSecret && body.secret) || this.ownSecret(there));
		const id = there?.id ?? this.newId(this.made);
		const asked = { id, url, events, status: 'active', secret, description, workspace };
		const one: Hook = Object.assign(there ?? {}, asked, this.rewrite(asked));
		this.answered = there && this.updates === 'keeps' ? undefined : one;
		this.lastMade = one;
		// Answered as new: what lists have shown of it before is of no account.
		for (const shown of [this.shown, this.shownActive]) shown.delete(one);
		if (there) return ok(this.created(this.answered ?? (omit(one, 'secret') as Hook)), 201);
		Object.defineProperty(one, 'madeFor', { value: url, enumerable: false });
		Object.defineProperty(one, 'madeAt', { value: performance.now(), enumerable: false });
		this.hooks.push(one);
		this.everMade.add(one.id);
		return ok(this.created(one), 201);
	}

	private ownSecret(there: Hook | undefined): string {
		const isKept = there && this.updates !== 'changes';
		return isKept ? there.secret : `made by the service ${this.made}`;
	}
}
