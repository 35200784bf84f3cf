import { camelCase, isPlainObject, map, mapKeys, mapValues, omit, pick, pickBy } from 'lodash';
import { ApiError, notFound } from './envelope';
import { generator } from './faults';
import type { Answer } from './idempotency';
import type { Service } from './index';
import type { Route } from './pipeline';
import type { Account } from './types';

/**
 * What one service may have chosen where the specification says "not shown". Today's choice is that of docs/spec-gaps.md.
 * What is shown is never touched: test/integration/service/dialect.test.ts compares with docs/openapi.yaml.
 */
const choices = {
	/** The six lists without a shown shape: under another name, or without one. */
	lists: ['other name', 'bare'],
	/** How they go on, in pages of three; `unsaid`: only the first ten, without a word. */
	more: ['hasNext', 'has_more', 'next_cursor', 'next_page', 'Link', 'unsaid'],
	/** Every other field that is not shown. */
	fields: ['camelCase', 'other names', 'nested', 'left out'],
	nulls: ['null for absent', 'absent for null'],
	times: ['whole seconds', 'ms', 's'],
	'workspace id': ['workspace_id', '_id', 'left out'],
	'account id': ['account_id', '_id', 'number', 'number per platform', 'left out'],
	'account platform': ['network', 'LINKEDIN', 'linkedin_page', 'object', 'left out'],
	'account state': ['ACTIVE', 'not_expired', 'is_connected', 'health', 'object', 'left out'],
	'account name': ['display_name', 'left out'],
	'webhook id': ['number', 'webhook_id', '_id', 'left out'],
	'webhook url': ['endpoint', 'left out'],
	'webhook state': ['enabled', 'DISABLED', 'state', 'left out'],
	/** The answer to POST /webhooks beside `webhook.secret`. */
	'webhook answer': ['ID beside', 'only the secret'],
	/** The secret that the caller supplies. */
	'own secret': ['ignored', 'refused'],
	/** A delivery's record has the four shown facts, and what else? */
	'delivery record': ['event in payload', 'event as text', 'four facts', 'four facts under other names'],
	'event data': ['only what is shown'],
	'inbox id': ['number', '_id', 'left out'],
	'inbox platform': ['network', 'FACEBOOK', 'left out'],
	'inbox kind': ['kind', 'DM', 'left out'],
	'inbox text': ['body', 'left out'],
	'batch state': ['PENDING', 'to_do', 'state', 'left out'],
	'batch posts': ['content_id', 'without status', 'post_ids', 'left out'],
	'post time': ['scheduledAt', 'publish_at', 'ms', 's', 'left out'],
	'post platform': ['object', 'LINKEDIN', 'linkedin_page', 'map', 'channel', 'left out'],
	'post account': ['accountId', 'left out'],
	/** A post that waits for an approver. */
	'post waiting': ['in_review', 'queued'],
	/** The answer to POST /posts beside `id` and `status`. */
	'post answer': ['map', 'empty list', 'object', 'shared account', 'names', 'id and status'],
	/** Where the post that a 422 has persisted stands. */
	'refused post': ['data.post', 'left out'],
	'patch answer': ['ID', 'null', '204'],
	'cancel answer': ['ID', 'null', '204'],
	'reply answer': ['ID', 'null', '204'],
	'upload address': ['put_to'],
	'media address': ['url', 'left out'],
	overview: ['platforms', 'keys', 'bare', 'names', 'left out'],
	weekly: ['weeks', 'left out'],
	usage: ['list', 'empty'],
	/** What `from` and `to` of GET /posts leave out, and how exactly the service knows a time. */
	range: ['exclusive', 'seconds', 'seconds exclusive'],
	/** What a moment after its creation is not there yet. */
	late: ['posts', 'webhooks'],
	/** What the plan doesn't have. */
	missing: [
		...['/accounts', '/approvals', '/webhooks/{id}/deliveries', '/social-connections'],
		...['/inbox', '/usage', '/analytics', '/workspaces'],
	].flatMap((path) => [`403 ${path}`, `404 ${path}`]),
};

export const AS_TODAY = 'as today';
export type Part = keyof typeof choices;
export type Dialect = Record<Part, string>;

/** Each part with what it may be; first as it is today. */
export const parts = mapValues(choices, (own) => [AS_TODAY, ...own]) as Record<Part, string[]>;
export const today: Dialect = mapValues(parts, () => AS_TODAY);
/** Nothing that is not shown exists. */
export const bare: Dialect = {
	...mapValues(parts, (own) => own.at(-1)!),
	...{ more: AS_TODAY, times: AS_TODAY, 'post waiting': AS_TODAY, late: AS_TODAY, missing: AS_TODAY },
	...{ range: 'seconds exclusive', nulls: 'absent for null', 'upload address': 'put_to' },
};

export const differences = (dialect: Dialect): Partial<Dialect> =>
	pickBy(dialect, (choice) => choice !== AS_TODAY);

/** Any dialect, the same for the same seed: a third of the parts differ from today. */
export function dialectOf(seed: number): Dialect {
	const random = generator(seed);
	return mapValues(parts, ([first, ...others]) =>
		random() < 2 / 3 ? first! : others[Math.floor(random() * others.length)]!,
	);
}

type Data = Record<string, any>;

const LATE_MS = 1_000;
const PAGE = 3;
/** The six lists without a shown shape, by path, and what is in them. */
const LISTS: Record<string, { name: string; kind: Kind }> = {
	'/workspaces': { name: 'workspaces', kind: 'workspace' },
	'/accounts': { name: 'accounts', kind: 'account' },
	'/social-connections': { name: 'connections', kind: 'connection' },
	'/inbox': { name: 'items', kind: 'item' },
	'/webhooks': { name: 'webhooks', kind: 'webhook' },
	'/webhooks/:id/deliveries': { name: 'deliveries', kind: 'delivery' },
};

/** The fields of a record that a part of their own decides on. */
const DECIDED = {
	workspace: ['id'],
	account: ['id', 'platform', 'status', 'name', 'username'],
	connection: ['account_id'],
	item: ['id', 'platform', 'type', 'text'],
	webhook: ['id', 'url', 'status'],
	delivery: ['status', 'attempts', 'last_error', 'next_attempt_at', 'event'],
	batch: ['status', 'items'],
	post: ['scheduled_at', 'schedule_at', 'platform', 'platforms', 'account_id', 'status'],
};
type Kind = keyof typeof DECIDED;

/** What changes something and shows no answer. */
const WRITES: Record<string, Part> = {
	'PATCH /posts/:id': 'patch answer',
	'POST /posts/:id/cancel': 'cancel answer',
	'POST /inbox/:id/reply': 'reply answer',
};

/** Words that nobody could expect. */
const otherName = (name: string) => `the_${name}`;
const contentId = (_: unknown, name: string) => (name === 'post_id' ? 'content_id' : name);
const isTime = (name: string) => /_(at|start|end)$|^(start|end)$/.test(name);

/** A field in one of the `special` ways, or in a usual one: its name as today, another one, or none. */
const as = (choice: string, name: string, value: unknown, special: Record<string, Data> = {}): Data =>
	special[choice] ?? (choice === 'left out' ? {} : { [choice === AS_TODAY ? name : choice]: value });

const platformAs = (choice: string, platform: string): Data =>
	as(choice, 'platform', platform, {
		LINKEDIN: { platform: platform.toUpperCase() },
		FACEBOOK: { platform: platform.toUpperCase() },
		linkedin_page: { platform: `${platform}_page` },
		object: { platform: { key: `p_${platform.length}`, label: platform } },
	});

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
		const { dialect: d, service } = this;
		const template = path.replace(/:(\w+)/g, '{$1}');
		if (method === 'GET' && d.missing.endsWith(` ${template}`)) {
			if (d.missing.startsWith('404')) throw notFound(`There is no ${method} ${template}.`);
			throw new ApiError('PUBLIC_API_SCOPE_FORBIDDEN', `The plan has no ${template}.`);
		}
		const post = service.store.posts.get(params.id ?? '');
		if (d.late === 'posts' && method === 'GET' && path === '/posts/:id' && post && this.isNew(post.createdAt))
			throw new ApiError('PUBLIC_API_POST_NOT_FOUND', 'The post is missing or inaccessible.');
		const kind = path.startsWith('/webhooks/') ? 'webhook' : path.startsWith('/inbox/') ? 'item' : undefined;
		const isListed = path in LISTS && d.more !== AS_TODAY;
		const waiting = query.status !== undefined && query.status === d['post waiting'];
		return {
			params: kind && params.id ? { ...params, id: this.named(kind, params.id) } : params,
			query: {
				...(isListed ? omit(query, 'page', 'limit', 'cursor') : query),
				...(waiting ? { status: 'pending_approval' } : {}),
			},
			body: method === 'POST' && isPlainObject(body) ? this.bodyIn(path, body as Data) : body,
		};
	}

	/** An answer in the words of the dialect. */
	say(method: string, path: string, query: Data, answer: Answer): Said {
		const { dialect: d } = this;
		if (answer.status === 422) return { answer: { ...answer, data: this.refusedPost(answer.data as Data) } };
		if (answer.error || answer.status === 204) return { answer };
		const data = answer.data as Data;
		const list = method === 'GET' ? LISTS[path] : undefined;
		if (list) return this.sayList(path, query, answer, list);
		const changed = this.sayOne(`${method} ${path}`, data);
		const part = WRITES[`${method} ${path}`];
		const way = part && d[part];
		if (way === '204') return { answer: { status: 204 } };
		if (way === 'null') return { answer: { ...answer, data: null } };
		return { answer: { ...answer, data: way === 'ID' ? { id: data.id } : changed } };
	}

	/** The data of an event: of post events `post_id` and `status` are shown. */
	event(type: string, data: Data): Data {
		if (this.dialect['event data'] === AS_TODAY) return data;
		return type.startsWith('post.') ? pick(data, ['post_id', 'status']) : {};
	}

	private isNew(createdAt: string): boolean {
		return this.service.clock.now() - Date.parse(createdAt) < LATE_MS;
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

	private accountId({ id, platform }: Pick<Account, 'id' | 'platform'>): string | number {
		return this.dialect['account id'].startsWith('number')
			? this.numbered(this.accountScope(platform), id)
			: id;
	}

	/** The account with the ID inside, as records of other kinds name it. */
	private accountRef(id: unknown): unknown {
		const account = this.service.store.accounts.get(String(id));
		return account ? this.accountId(account) : id;
	}

	private idAs(kind: 'webhook' | 'item', choice: string, id: string): Data {
		return choice === 'number' ? { id: this.numbered(kind, id) } : as(choice, 'id', id);
	}

	/** A record in the words of the dialect: what is shown, what has a part of its own, and the rest. */
	private record(kind: Kind, one: Data, shown: string[] = []): Data {
		const fields = { ...pick(one, shown), ...this.decided(kind, one) };
		const isBare = kind === 'delivery' && this.dialect['delivery record'].startsWith('four facts');
		return isBare ? fields : { ...fields, ...this.rest(omit(one, [...shown, ...DECIDED[kind]])) };
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

	private time(value: unknown, way = this.dialect.times): unknown {
		const ms = typeof value === 'string' ? Date.parse(value) : NaN;
		if (Number.isNaN(ms) || (way === AS_TODAY && this.precisionMs === 1)) return value;
		const known = Math.floor(ms / this.precisionMs) * this.precisionMs;
		if (way === 'ms' || way === 's') return way === 'ms' ? known : Math.floor(known / 1_000);
		const iso = new Date(known).toISOString();
		return way === 'whole seconds' ? iso.replace(/\.\d+/, '') : iso;
	}

	/** What becomes of the fields that have a part of their own. */
	private decided(kind: Kind, one: Data): Data {
		const d = this.dialect;
		const { status } = one;
		switch (kind) {
			case 'workspace':
				return as(d['workspace id'], 'id', one.id);
			case 'account': {
				const id = this.accountId(one as Account);
				const is = status === 'connected';
				return {
					...(typeof id === 'number' ? { id } : as(d['account id'], 'id', id)),
					...platformAs(d['account platform'], one.platform),
					...as(d['account state'], 'status', status, {
						ACTIVE: { status: is ? 'ACTIVE' : 'REVOKED' },
						not_expired: { status: is ? 'not_expired' : 'expired' },
						is_connected: { is_connected: is },
						object: { status: { code: is ? 1 : 2 } },
					}),
					...as(d['account name'], 'name', one.name, { [AS_TODAY]: pick(one, ['name', 'username']) }),
				};
			}
			case 'connection':
				return { account_id: this.accountRef(one.account_id) };
			case 'item':
				return {
					...this.idAs('item', d['inbox id'], one.id),
					...platformAs(d['inbox platform'], one.platform),
					...as(d['inbox kind'], 'type', one.type, {
						DM: { type: one.type === 'direct_message' ? 'DM' : one.type },
					}),
					...as(d['inbox text'], 'text', one.text),
				};
			case 'webhook':
				return {
					...this.idAs('webhook', d['webhook id'], one.id),
					...as(d['webhook url'], 'url', one.url),
					...as(d['webhook state'], 'status', status, {
						enabled: { enabled: status === 'active' },
						DISABLED: { status: status.toUpperCase() },
					}),
				};
			case 'delivery': {
				// Spec: "a status, an attempt count, the last error and the next attempt time".
				const { event, ...facts } = pick(one, DECIDED.delivery);
				return as(d['delivery record'], '', undefined, {
					[AS_TODAY]: { ...facts, event },
					'event in payload': { ...facts, payload: event },
					'event as text': { ...facts, body: JSON.stringify(event) },
					'four facts': facts,
					'four facts under other names': mapKeys(facts, (_, name) => otherName(name)),
				});
			}
			case 'batch':
				return {
					...as(d['batch state'], 'status', status, {
						PENDING: { status: status.toUpperCase() },
						to_do: { status: status === 'pending' ? 'to_do' : status },
					}),
					...as(d['batch posts'], 'items', one.items, {
						content_id: { items: one.items.map((entry: Data) => mapKeys(entry, contentId)) },
						'without status': { items: one.items.map((entry: Data) => omit(entry, 'status')) },
						post_ids: { post_ids: map(one.items, 'post_id') },
					}),
				};
			case 'post':
				return {
					status:
						status === 'pending_approval' && d['post waiting'] !== AS_TODAY ? d['post waiting'] : status,
					...this.timesOf(one),
					...this.platformsOf(one),
					...as(d['post account'], 'account_id', one.account_id && this.accountRef(one.account_id)),
				};
		}
	}

	private timesOf(post: Data): Data {
		const way = this.dialect['post time'];
		const times = pick(post, ['scheduled_at', 'schedule_at']);
		const own = way === 'ms' || way === 's' ? way : undefined;
		return own || way === AS_TODAY
			? mapValues(times, (value) => this.time(value, own))
			: as(way, '', this.time(post.scheduled_at));
	}

	private platformsOf({ platform, platforms }: Data): Data {
		const way = this.dialect['post platform'];
		const states: Data[] = platforms.map((one: any) => (typeof one === 'string' ? { platform: one } : one));
		const others: Record<string, Data> = {
			[AS_TODAY]: { platform, platforms },
			map: {
				platforms: Object.fromEntries(states.map((state) => [state.platform, omit(state, 'platform')])),
			},
			channel: { channel: platform, channels: platforms },
			'left out': {},
		};
		const spelled = () => states.map((state) => ({ ...state, ...platformAs(way, state.platform) }));
		return others[way] ?? { platforms: spelled() };
	}

	/** One record, or what stands in its place. */
	private sayOne(call: string, data: Data): unknown {
		const { dialect: d } = this;
		switch (call) {
			case 'GET /posts':
				return { ...data, items: data.items.map((one: Data) => this.postAs(one)) };
			case 'POST /posts':
				return this.created(data);
			case 'GET /posts/:id':
			case 'PATCH /posts/:id':
			case 'POST /posts/:id/cancel':
				return this.postAs(data);
			case 'GET /approvals':
				return { ...data, batches: data.batches.map((one: Data) => this.record('batch', one)) };
			case 'POST /webhooks': {
				const { secret, ...webhook } = data.webhook;
				const beside = d['webhook answer'] === 'ID beside';
				if (d['webhook answer'] === AS_TODAY)
					return { webhook: { ...this.record('webhook', webhook), secret } };
				return { ...(beside ? this.idAs('webhook', d['webhook id'], webhook.id) : {}), webhook: { secret } };
			}
			case 'POST /media/upload-url': {
				const { upload_url, read_url, ...others } = data;
				return { ...as(d['upload address'], 'upload_url', upload_url), read_url, ...this.rest(others) };
			}
			case 'POST /media': {
				const { read_url, ...others } = data;
				return { ...as(d['media address'], 'read_url', read_url), ...this.rest(others) };
			}
			case 'POST /inbox/:id/reply':
				return { id: data.id, ...this.rest(omit(data, 'id')) };
			case 'GET /analytics':
				return this.overview(data.by_platform);
			case 'GET /posts/:id/analytics': {
				const { weekly_series, ...others } = data;
				return weekly_series ? { ...others, ...as(d.weekly, 'weekly_series', weekly_series) } : data;
			}
			case 'GET /usage':
				return d.usage === 'list' ? [this.rest(data)] : d.usage === 'empty' ? {} : this.rest(data);
			default:
				return data;
		}
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
	private sayList(path: string, query: Data, answer: Answer, { name, kind }: (typeof LISTS)[string]): Said {
		const { dialect: d, service } = this;
		const { [name]: all, ...others } = answer.data as Data;
		const isThere = (one: Data) => d.late !== 'webhooks' || kind !== 'webhook' || !this.isNew(one.created_at);
		const found: Data[] = all.filter(isThere);
		const isStuck = [AS_TODAY, 'unsaid'].includes(d.more);
		const size =
			{ [AS_TODAY]: found.length, unsaid: 10 }[d.more] ?? Math.min(Number(query.limit ?? PAGE), PAGE);
		const page = isStuck ? 1 : Number(query.cursor?.replace(/^after-/, '') ?? query.page ?? 1);
		const listed = found.slice((page - 1) * size, page * size).map((one) => this.record(kind, one));
		const hasNext = page * size < found.length;
		const next = (origin: string) => (hasNext ? `${origin}${path}?page=${page + 1}` : null);
		const said =
			{
				hasNext: { pagination: { page, limit: size, total: found.length, hasNext, hasPrev: page > 1 } },
				has_more: { has_more: hasNext },
				next_cursor: { next_cursor: hasNext ? `after-${page + 1}` : null },
				next_page: { next_page: hasNext ? page + 1 : null },
			}[d.more] ?? {};
		const headers: Record<string, string> | undefined = {
			Link: hasNext ? { Link: `<${next(service.apiUrl)}>; rel="next"` } : undefined,
		}[d.more];
		if (d.lists === 'bare') return { answer: { ...answer, data: listed }, beside: said, headers };
		const box = d.lists === AS_TODAY ? { [name]: listed, ...others } : { [otherName(name)]: listed };
		return { answer: { ...answer, data: { ...box, ...said } }, headers };
	}
}
