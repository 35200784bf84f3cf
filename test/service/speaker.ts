import { camelCase, isPlainObject, mapKeys, mapValues, omit, pick, pickBy } from 'lodash';
import { AS_TODAY, type Dialect } from './dialect';
import { ApiError, notFound } from './envelope';
import type { Answer } from './idempotency';
import type { Service } from './index';
import type { Route } from './pipeline';
import { as, type Data, decided, type Kind, otherName } from './records';
import type { Account } from './types';

const LATE_MS = 1_000;
const PAGE = 3;

interface List {
	name: string;
	kind: Kind;
}

/** The six lists without a shown shape, by path, and what is in them. */
const LISTS: Record<string, List> = {
	'/workspaces': { name: 'workspaces', kind: 'workspace' },
	'/accounts': { name: 'accounts', kind: 'account' },
	'/social-connections': { name: 'connections', kind: 'connection' },
	'/inbox': { name: 'items', kind: 'item' },
	'/webhooks': { name: 'webhooks', kind: 'webhook' },
	'/webhooks/:id/deliveries': { name: 'deliveries', kind: 'delivery' },
};

const isTime = (name: string) => /_(at|start|end)$|^(start|end)$/.test(name);

/** An answer as the layer leaves it. */
interface Said {
	answer: Answer;
	/** Beside `data` in the envelope. */
	beside?: Data;
	headers?: Record<string, string>;
}

/** Between the service and the outside: speaks a dialect, and understands it. */
export class Speaker {
	/** What has numbers outside, by kind: the first one is 1. */
	private readonly numbers: Record<string, string[]> = {};

	constructor(
		private readonly service: Service,
		readonly dialect: Dialect,
	) {}

	/** How exactly times of posts are known. */
	get precisionMs(): number {
		return this.dialect.range.includes('seconds') ? 1_000 : 1;
	}

	/** A request in the words of the service. @throws ApiError for what the plan doesn't have, or isn't there yet */
	hear({ method, path }: Pick<Route, 'method' | 'path'>, params: Data, query: Data, body: unknown) {
		if (method === 'GET') this.checkThere(path, params.id);
		const kind = path.startsWith('/webhooks/') ? 'webhook' : path.startsWith('/inbox/') ? 'item' : undefined;
		return {
			params: kind && params.id ? { ...params, id: this.named(kind, params.id) } : params,
			query: this.queryIn(path, query),
			body: method === 'POST' && isPlainObject(body) ? this.bodyIn(path, body as Data) : body,
		};
	}

	/** An answer in the words of the dialect. */
	say(method: string, path: string, query: Data, answer: Answer): Said {
		if (answer.status === 422) return { answer: { ...answer, data: this.refusedPost(answer.data as Data) } };
		if (answer.error || answer.status === 204) return { answer };
		const data = answer.data as Data;
		const list = method === 'GET' ? LISTS[path] : undefined;
		if (list) return this.sayList(path, query, answer, list);
		const way = this.wayOfWrite(`${method} ${path}`);
		if (way === '204') return { answer: { status: 204 } };
		if (way === 'null') return { answer: { ...answer, data: null } };
		const said = way === 'ID' ? { id: data.id } : this.sayOne(`${method} ${path}`, data);
		return { answer: { ...answer, data: said } };
	}

	/** The data of an event: of post events `post_id` and `status` are shown. */
	event(type: string, data: Data): Data {
		if (this.dialect['event data'] === AS_TODAY) return data;
		return type.startsWith('post.') ? pick(data, ['post_id', 'status']) : {};
	}

	accountId({ id, platform }: Pick<Account, 'id' | 'platform'>): string | number {
		return this.dialect['account id'].startsWith('number')
			? this.numbered(this.accountScope(platform), id)
			: id;
	}

	/** The account with the ID inside, as records of other kinds name it. */
	accountRef(id: unknown): unknown {
		const account = this.service.store.accounts.get(String(id));
		return account ? this.accountId(account) : id;
	}

	idAs(kind: 'webhook' | 'item', choice: string, id: string): Data {
		return choice === 'number' ? { id: this.numbered(kind, id) } : as(choice, 'id', id);
	}

	time(value: unknown, way = this.dialect.times): unknown {
		const ms = typeof value === 'string' ? Date.parse(value) : NaN;
		if (Number.isNaN(ms) || (way === AS_TODAY && this.precisionMs === 1)) return value;
		const known = Math.floor(ms / this.precisionMs) * this.precisionMs;
		if (way === 'ms' || way === 's') return way === 'ms' ? known : Math.floor(known / 1_000);
		const iso = new Date(known).toISOString();
		return way === 'whole seconds' ? iso.replace(/\.\d+/, '') : iso;
	}

	/** What the plan has, and what isn't too new to be seen. */
	private checkThere(path: string, id: string | undefined): void {
		const { dialect, service } = this;
		const template = path.replace(/:(\w+)/g, '{$1}');
		if (dialect.missing === `404 ${template}`) throw notFound(`There is no GET ${template}.`);
		if (dialect.missing === `403 ${template}`)
			throw new ApiError('PUBLIC_API_SCOPE_FORBIDDEN', `The plan has no ${template}.`);
		const post = service.store.posts.get(id ?? '');
		if (dialect.late === 'posts' && path === '/posts/:id' && post && this.isNew(post.createdAt))
			throw new ApiError('PUBLIC_API_POST_NOT_FOUND', 'The post is missing or inaccessible.');
	}

	private isNew(createdAt: string): boolean {
		return this.service.clock.now() - Date.parse(createdAt) < LATE_MS;
	}

	private queryIn(path: string, query: Data): Data {
		const { more, 'post waiting': waiting } = this.dialect;
		const isPaged = path in LISTS && more !== AS_TODAY;
		const isWaiting = query.status !== undefined && query.status === waiting;
		return {
			...(isPaged ? omit(query, 'page', 'limit', 'cursor') : query),
			...(isWaiting ? { status: 'pending_approval' } : {}),
		};
	}

	private bodyIn(path: string, body: Data): Data {
		if (path === '/webhooks' && this.dialect['own secret'] === 'ignored') return omit(body, 'secret');
		if (path !== '/posts' || body.account_id === undefined) return body;
		const platform = body.platform ?? body.platforms?.[0];
		return { ...body, account_id: this.named(this.accountScope(platform), body.account_id) };
	}

	private numbered(scope: string, id: string): number {
		const ids = (this.numbers[scope] ??= []);
		if (!ids.includes(id)) ids.push(id);
		return ids.indexOf(id) + 1;
	}

	/** The ID behind a number; any other ID as it is. */
	private named(scope: string, given: unknown): string {
		// Numbers are given in the order of the store, whatever was asked for first.
		const { accounts, inbox, webhooks } = this.service.store;
		for (const one of accounts.values()) this.accountId(one);
		for (const id of inbox.keys()) this.numbered('item', id);
		for (const id of webhooks.keys()) this.numbered('webhook', id);
		return this.numbers[scope]?.[Number(given) - 1] ?? String(given);
	}

	private accountScope(platform: string): string {
		return this.dialect['account id'] === 'number per platform' ? `account ${platform}` : 'account';
	}

	/** A record in the words of the dialect: what is shown, what has a part of its own, and the rest. */
	private record(kind: Kind, one: Data, shown: string[] = []): Data {
		const { fields, say } = decided[kind];
		const own = { ...pick(one, shown), ...say(one, this) };
		const isBare = kind === 'delivery' && this.dialect['delivery record'].startsWith('four facts');
		return isBare ? own : { ...own, ...this.rest(omit(one, [...shown, ...fields])) };
	}

	private rest(fields: Data): Data {
		const { fields: names, nulls } = this.dialect;
		const kept = pickBy(fields, (value) => value !== null || nulls !== 'absent for null');
		const given = mapValues(kept, (value, name) =>
			value === undefined && nulls === 'null for absent' ? null : isTime(name) ? this.time(value) : value,
		);
		if (names === 'left out') return {};
		if (names === 'nested') return Object.keys(given).length > 0 ? { attributes: given } : {};
		if (names === AS_TODAY) return given;
		return mapKeys(given, (_, name) => (names === 'camelCase' ? camelCase(name) : otherName(name)));
	}

	/** How what changes something, and shows no answer, is answered. */
	private wayOfWrite(call: string): string | undefined {
		return {
			'PATCH /posts/:id': this.dialect['patch answer'],
			'POST /posts/:id/cancel': this.dialect['cancel answer'],
			'POST /inbox/:id/reply': this.dialect['reply answer'],
		}[call];
	}

	/** One record, or what stands in its place. */
	private sayOne(call: string, data: Data): unknown {
		const d = this.dialect;
		const all = (kind: Kind, list: Data[]) => list.map((one) => this.record(kind, one));
		const ways: Record<string, () => unknown> = {
			'GET /posts': () => ({ ...data, items: data.items.map((one: Data) => this.postAs(one)) }),
			'POST /posts': () => this.created(data),
			'GET /posts/:id': () => this.postAs(data),
			'PATCH /posts/:id': () => this.postAs(data),
			'POST /posts/:id/cancel': () => this.postAs(data),
			'GET /approvals': () => ({ ...data, batches: all('batch', data.batches) }),
			'POST /webhooks': () => this.createdWebhook(data.webhook),
			'POST /media/upload-url': () => ({
				...as(d['upload address'], 'upload_url', data.upload_url),
				read_url: data.read_url,
				...this.rest(omit(data, 'upload_url', 'read_url')),
			}),
			'POST /media': () => ({
				...as(d['media address'], 'read_url', data.read_url),
				...this.rest(omit(data, 'read_url')),
			}),
			'POST /inbox/:id/reply': () => ({ id: data.id, ...this.rest(omit(data, 'id')) }),
			'GET /analytics': () => this.overview(data.by_platform),
			'GET /posts/:id/analytics': () => {
				const { weekly_series, ...others } = data;
				return weekly_series ? { ...others, ...as(d.weekly, 'weekly_series', weekly_series) } : data;
			},
			'GET /usage': () => ({ list: [this.rest(data)], empty: {}, [AS_TODAY]: this.rest(data) })[d.usage],
		};
		return ways[call]?.() ?? data;
	}

	private createdWebhook({ secret, ...webhook }: Data): Data {
		const { 'webhook answer': way, 'webhook id': id } = this.dialect;
		if (way === AS_TODAY) return { webhook: { ...this.record('webhook', webhook), secret } };
		return { ...(way === 'ID beside' ? this.idAs('webhook', id, webhook.id) : {}), webhook: { secret } };
	}

	private postAs(one: Data): Data {
		return this.record('post', one, ['id', ...(one.provider_post_id ? ['provider_post_id'] : [])]);
	}

	private created(one: Data): Data {
		const { id, status, provider_post_id } = one;
		const shown = { id, status, ...(provider_post_id ? { provider_post_id } : {}) };
		const names: string[] = one.platforms;
		const shaped: Data | undefined = {
			map: { platforms: Object.fromEntries(names.map((name) => [name, { status }])) },
			'empty list': { platforms: [] },
			object: { platform: { id: 7, name: names[0] } },
			'shared account': { account_id: 'acc_shared', platform: 'social' },
			names: { platforms: names.join(',') },
			'id and status': {},
		}[this.dialect['post answer']];
		return shaped ? { ...shown, ...shaped } : this.postAs(one);
	}

	private refusedPost(post: Data): unknown {
		const way = this.dialect['refused post'];
		if (way === 'left out') return undefined;
		return way === 'data.post' ? { post: this.postAs(post) } : this.postAs(post);
	}

	private overview(byName: Record<string, Data>): unknown {
		const list = Object.entries(byName).map(([platform, figures]) => ({ platform, ...figures }));
		return {
			[AS_TODAY]: { by_platform: byName },
			platforms: { platforms: list },
			keys: byName,
			bare: list,
			names: { platforms: Object.keys(byName), figures: Object.values(byName) },
			'left out': { figures: list.map((one) => omit(one, 'platform')) },
		}[this.dialect.overview];
	}

	/** One of the lists without a shown shape: its records, its form, and how it goes on. */
	private sayList(path: string, query: Data, answer: Answer, { name, kind }: List): Said {
		const { lists, late } = this.dialect;
		const { [name]: all, ...others } = answer.data as Data;
		const isThere = (one: Data) => late !== 'webhooks' || kind !== 'webhook' || !this.isNew(one.created_at);
		const { found, said, headers } = this.pageOf(path, query, all.filter(isThere));
		const listed = found.map((one) => this.record(kind, one));
		if (lists === 'bare') return { answer: { ...answer, data: listed }, beside: said, headers };
		const box = lists === AS_TODAY ? { [name]: listed, ...others } : { [otherName(name)]: listed };
		return { answer: { ...answer, data: { ...box, ...said } }, headers };
	}

	/** The page that is asked for, and how it says that there are more. */
	private pageOf(path: string, query: Data, all: Data[]) {
		const { more } = this.dialect;
		if (more === AS_TODAY) return { found: all };
		if (more === 'unsaid') return { found: all.slice(0, 10) };
		const limit = Math.min(Number(query.limit ?? PAGE), PAGE);
		const page = Number(query.cursor?.replace(/^after-/, '') ?? query.page ?? 1);
		const found = all.slice((page - 1) * limit, page * limit);
		const hasNext = page * limit < all.length;
		const next = `${this.service.apiUrl}${path}?page=${page + 1}`;
		const said: Data | undefined = {
			hasNext: { pagination: { page, limit, total: all.length, hasNext, hasPrev: page > 1 } },
			has_more: { has_more: hasNext },
			next_cursor: { next_cursor: hasNext ? `after-${page + 1}` : null },
			next_page: { next_page: hasNext ? page + 1 : null },
		}[more];
		return {
			found,
			said,
			headers: more === 'Link' && hasNext ? { Link: `<${next}>; rel="next"` } : undefined,
		};
	}
}
