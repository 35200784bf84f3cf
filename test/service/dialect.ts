import { camelCase, isPlainObject, mapKeys, mapValues, omit, pick, pickBy } from 'lodash';
import { ApiError, notFound } from './envelope';
import { generator } from './faults';
import type { Answer } from './idempotency';
import type { Service } from './index';
import type { Route } from './pipeline';
import { OPEN_STATUSES, type Account } from './types';

/**
 * What one service may have chosen where the specification says "not shown". Today's choice is that of docs/spec-gaps.md.
 * What is shown is never touched: test/integration/service/dialect.test.ts compares with docs/openapi.yaml.
 */
const choices = {
	/** The six lists without a shown shape: under another name, or without one. */
	lists: ['other name', 'bare'],
	/** How they go on, in pages of three; `unsaid`: only the first ten, without a word. */
	more: [
		...['hasNext', 'has_more', 'next_cursor', 'next_page', 'next address', 'Link', 'unsaid'],
		...['has_more alone', 'address elsewhere'],
	],
	/** Every other field that is not shown. */
	fields: ['camelCase', 'other names', 'nested', 'left out'],
	nulls: ['null for absent', 'absent for null'],
	/** Times that are not shown. */
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
	'upload address': ['uploadUrl', 'signed_url', 'url', 'put_to'],
	'media address': ['url', 'left out'],
	overview: ['by_platform', 'keys', 'bare', 'names', 'left out'],
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

/** Only what differs from today. */
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
type Kind = 'workspace' | 'account' | 'connection' | 'item' | 'webhook' | 'delivery' | 'batch' | 'post';

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

/** What changes something and shows no answer. */
const WRITES: Record<string, Part> = {
	'PATCH /posts/:id': 'patch answer',
	'POST /posts/:id/cancel': 'cancel answer',
	'POST /inbox/:id/reply': 'reply answer',
};

/** Words that nobody could expect. */
const otherName = (name: string) => `the_${name}`;
const isTime = (name: string) => /_(at|start|end)$|^(start|end)$/.test(name);

/** A field in one of the usual ways: its name as today, another one, or none. */
const as = (choice: string, name: string, value: unknown): Data =>
	choice === 'left out' ? {} : { [choice === AS_TODAY ? name : choice]: value };

function platformAs(choice: string, platform: string | undefined): Data {
	if (platform === undefined) return { platform };
	switch (choice) {
		case 'LINKEDIN':
		case 'FACEBOOK':
			return { platform: platform.toUpperCase() };
		case 'linkedin_page':
			return { platform: `${platform}_page` };
		case 'object':
			return { platform: { key: `p_${platform.length}`, label: platform } };
		default:
			return as(choice, 'platform', platform);
	}
}

/** An answer as the layer leaves it. */
interface Said {
	answer: Answer;
	/** Beside `data` in the envelope. */
	beside?: Data;
	headers?: Record<string, string>;
}

/** Between the service and the outside: speaks a dialect, and understands it. */
export class Speaker {
	/** Numbers of what has other IDs inside, and back. */
	private readonly numbers = new Map<string, number>();
	private readonly counts = new Map<string, number>();

	constructor(
		private readonly service: Service,
		readonly dialect: Dialect,
	) {
		const { store } = service;
		store.rangeEnds = /exclusive/.test(dialect.range) ? 'exclusive' : 'inclusive';
		store.precisionMs = /seconds/.test(dialect.range) ? 1_000 : 1;
		store.acceptCallerSecret = dialect['own secret'] !== 'refused';
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
		const isCreation = path === '/posts' && method === 'POST' && isPlainObject(body);
		return {
			params: kind && params.id ? { ...params, id: this.named(kind, params.id) } : params,
			query: {
				...(isListed ? omit(query, 'page', 'limit', 'cursor') : query),
				...(waiting ? { status: 'pending_approval' } : {}),
			},
			body: isCreation ? this.postIn(body as Data) : this.webhookIn(method, path, body),
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

	private postIn(body: Data): Data {
		if (body.account_id === undefined) return body;
		const platform = body.platform ?? body.platforms?.[0];
		const account_id = this.named(this.accountScope(platform), body.account_id);
		return { ...body, account_id };
	}

	private webhookIn(method: string, path: string, body: unknown): unknown {
		const isIgnored = method === 'POST' && path === '/webhooks' && this.dialect['own secret'] === 'ignored';
		return isIgnored && isPlainObject(body) ? omit(body as Data, 'secret') : body;
	}

	/** A number for an ID, where the dialect has them. */
	private numbered(scope: string, id: string): number {
		const key = `${scope}\n${id}`;
		const number = this.numbers.get(key) ?? (this.counts.get(scope) ?? 0) + 1;
		this.numbers.set(key, number);
		this.counts.set(scope, Math.max(number, this.counts.get(scope) ?? 0));
		return number;
	}

	/** The ID behind a number; any other ID as it is. */
	private named(scope: string, given: unknown): string {
		// Numbers are given in the order of the store, whatever was asked for first.
		const { accounts, inbox, webhooks } = this.service.store;
		for (const one of accounts.values()) this.accountId(one);
		for (const id of inbox.keys()) this.numbered('item', id);
		for (const id of webhooks.keys()) this.numbered('webhook', id);
		const start = `${scope}\n`;
		const found = [...this.numbers].find(([key, n]) => key.startsWith(start) && String(n) === String(given));
		return found ? found[0].slice(start.length) : String(given);
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
		const own = this.ofPart[kind](one);
		const used = [...shown, ...own.of];
		return { ...pick(one, shown), ...own.fields, ...this.rest(omit(one, used)) };
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
		if (Number.isNaN(ms)) return value;
		const { precisionMs } = this.service.store;
		if (way === AS_TODAY && precisionMs === 1) return value;
		const known = Math.floor(ms / precisionMs) * precisionMs;
		if (way === 'ms' || way === 's') return way === 'ms' ? known : Math.floor(known / 1_000);
		const iso = new Date(known).toISOString();
		return way === 'whole seconds' ? iso.replace(/\.\d+/, '') : iso;
	}

	/** By kind: the fields that a part of the dialect decides on, and what becomes of them. */
	private readonly ofPart: Record<Kind, (one: any) => { of: string[]; fields: Data }> = {
		workspace: (one) => ({ of: ['id'], fields: as(this.dialect['workspace id'], 'id', one.id) }),
		account: (one) => {
			const d = this.dialect;
			const id = d['account id'].startsWith('number') ? AS_TODAY : d['account id'];
			return {
				of: ['id', 'platform', 'status', 'name', 'username'],
				fields: {
					...as(id, 'id', this.accountId(one)),
					...platformAs(d['account platform'], one.platform),
					...this.stateOf(one.status),
					...as(d['account name'], 'name', one.name),
					...(d['account name'] === AS_TODAY ? { username: one.username } : {}),
				},
			};
		},
		connection: (one) => ({ of: ['account_id'], fields: { account_id: this.accountRef(one.account_id) } }),
		item: (one) => {
			const d = this.dialect;
			const word = d['inbox kind'] === 'DM' && one.type === 'direct_message' ? 'DM' : one.type;
			return {
				of: ['id', 'platform', 'type', 'text'],
				fields: {
					...this.idAs('item', d['inbox id'], one.id),
					...platformAs(d['inbox platform'], one.platform),
					...as(d['inbox kind'] === 'DM' ? AS_TODAY : d['inbox kind'], 'type', word),
					...as(d['inbox text'], 'text', one.text),
				},
			};
		},
		webhook: (one) => {
			const d = this.dialect;
			const state = d['webhook state'];
			const isActive = one.status === 'active';
			return {
				of: ['id', 'url', 'status'],
				fields: {
					...this.idAs('webhook', d['webhook id'], one.id),
					...as(d['webhook url'], 'url', one.url),
					...(state === 'enabled'
						? { enabled: isActive }
						: as(
								state === 'DISABLED' ? AS_TODAY : state,
								'status',
								state === 'DISABLED' ? one.status.toUpperCase() : one.status,
							)),
				},
			};
		},
		delivery: (one) => this.delivery(one),
		batch: (one) => {
			const choice = this.dialect['batch state'];
			const word = {
				PENDING: one.status.toUpperCase(),
				to_do: one.status === 'pending' ? 'to_do' : one.status,
			};
			const status = word[choice as 'PENDING'] ?? one.status;
			return { of: ['status'], fields: as(choice in word ? AS_TODAY : choice, 'status', status) };
		},
		post: (one) => this.post(one),
	};

	/** Of an account. */
	private stateOf(status: string): Data {
		const is = status === 'connected';
		switch (this.dialect['account state']) {
			case 'ACTIVE':
				return { status: is ? 'ACTIVE' : 'REVOKED' };
			case 'not_expired':
				return { status: is ? 'not_expired' : 'expired' };
			case 'is_connected':
				return { is_connected: is };
			case 'object':
				return { status: { code: is ? 1 : 2 } };
			default:
				return as(this.dialect['account state'], 'status', status);
		}
	}

	/** Spec: "a status, an attempt count, the last error and the next attempt time". */
	private delivery(one: Data): { of: string[]; fields: Data } {
		const facts = pick(one, ['status', 'attempts', 'last_error', 'next_attempt_at']);
		const all = Object.keys(one);
		switch (this.dialect['delivery record']) {
			case 'event in payload':
				return { of: ['event', ...Object.keys(facts)], fields: { ...facts, payload: one.event } };
			case 'event as text':
				return {
					of: ['event', ...Object.keys(facts)],
					fields: { ...facts, body: JSON.stringify(one.event) },
				};
			case 'four facts':
				return { of: all, fields: facts };
			case 'four facts under other names':
				return { of: all, fields: mapKeys(facts, (_, name) => otherName(name)) };
			default:
				return { of: ['event', ...Object.keys(facts)], fields: { ...facts, event: one.event } };
		}
	}

	private post(one: Data): { of: string[]; fields: Data } {
		const d = this.dialect;
		const [time, platform] = [d['post time'], d['post platform']];
		const times = pick(one, ['scheduled_at', 'schedule_at']);
		const states: Data[] = one.platforms.map((state: any) =>
			typeof state === 'string' ? { platform: state } : state,
		);
		const given = ['ms', 's'].includes(time)
			? mapValues(times, (value) => this.time(value, time))
			: time === AS_TODAY
				? mapValues(times, (value) => this.time(value))
				: as(time, '', this.time(one.scheduled_at));
		const named = {
			[AS_TODAY]: { platform: one.platform, platforms: one.platforms },
			...Object.fromEntries(
				['object', 'LINKEDIN', 'linkedin_page'].map((way) => [
					way,
					{ platforms: states.map((state) => ({ ...state, ...platformAs(way, state.platform) })) },
				]),
			),
			map: {
				platforms: Object.fromEntries(states.map((state) => [state.platform, omit(state, 'platform')])),
			},
			channel: { channel: one.platform, channels: one.platforms },
		}[platform];
		const isOfToday = (OPEN_STATUSES as readonly string[]).includes(one.status);
		const waits = isOfToday && one.status === 'pending_approval' && d['post waiting'] !== AS_TODAY;
		return {
			of: ['scheduled_at', 'schedule_at', 'platform', 'platforms', 'account_id', 'status'],
			fields: {
				status: waits ? d['post waiting'] : one.status,
				...given,
				...(named ?? {}),
				...as(d['post account'], 'account_id', one.account_id && this.accountRef(one.account_id)),
			},
		};
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
				const { id } = webhook;
				if (d['webhook answer'] === 'only the secret') return { webhook: { secret } };
				if (d['webhook answer'] === 'ID beside')
					return { ...this.idAs('webhook', d['webhook id'], id), webhook: { secret } };
				return { webhook: { ...this.record('webhook', webhook), secret } };
			}
			case 'POST /media/upload-url': {
				const { upload_url, read_url, ...others } = data;
				return { ...as(d['upload address'], 'upload_url', upload_url), read_url, ...this.rest(others) };
			}
			case 'POST /media': {
				const { read_url, id, ...others } = data;
				return { ...as(d['media address'], 'read_url', read_url), ...this.rest({ id, ...others }) };
			}
			case 'POST /inbox/:id/reply':
				return { id: data.id, ...this.rest(omit(data, 'id')) };
			case 'GET /analytics':
				return this.overview(data.platforms);
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

	private overview(list: Data[]): unknown {
		const byName = Object.fromEntries(list.map(({ platform, ...figures }) => [platform, figures]));
		switch (this.dialect.overview) {
			case 'by_platform':
				return { by_platform: byName };
			case 'keys':
				return byName;
			case 'bare':
				return list;
			case 'names':
				return { platforms: Object.keys(byName), figures: Object.values(byName) };
			case 'left out':
				return { figures: list.map((one) => omit(one, 'platform')) };
			default:
				return { platforms: list };
		}
	}

	/** One of the lists without a shown shape: its records, its form, and how it goes on. */
	private sayList(path: string, query: Data, answer: Answer, { name, kind }: (typeof LISTS)[string]): Said {
		const { dialect: d, service } = this;
		const { [name]: all, ...others } = answer.data as Data;
		const isThere = (one: Data) => d.late !== 'webhooks' || kind !== 'webhook' || !this.isNew(one.created_at);
		const found: Data[] = all.filter(isThere);
		const fits = (size: number, page: number) => found.slice((page - 1) * size, page * size);
		const isStuck = d.more === 'has_more alone' || d.more === 'address elsewhere' || d.more === 'unsaid';
		const size =
			d.more === AS_TODAY ? Infinity : d.more === 'unsaid' ? 10 : Math.min(Number(query.limit ?? PAGE), PAGE);
		const page = isStuck ? 1 : Number(query.cursor?.replace(/^after-/, '') ?? query.page ?? 1);
		const shown = size === Infinity ? found : fits(size, page);
		const hasNext = page * size < found.length;
		const said = d.more === AS_TODAY ? {} : this.more(path, page, size, found.length, hasNext);
		const listed = shown.map((one) => this.record(kind, one));
		const next = `${service.apiUrl}${path}?page=${page + 1}`;
		const headers = d.more === 'Link' && hasNext ? { Link: `<${next}>; rel="next"` } : undefined;
		if (d.lists === 'bare') return { answer: { ...answer, data: listed }, beside: said, headers };
		const box = d.lists === AS_TODAY ? { [name]: listed, ...others } : { [otherName(name)]: listed };
		return { answer: { ...answer, data: { ...box, ...said } }, headers };
	}

	/** What a page says of the next one. */
	private more(path: string, page: number, size: number, total: number, hasNext: boolean): Data {
		const host =
			this.dialect.more === 'address elsewhere' ? 'https://elsewhere.invalid' : this.service.apiUrl;
		switch (this.dialect.more) {
			case 'hasNext':
				return { pagination: { page, limit: size, total, hasNext, hasPrev: page > 1 } };
			case 'has_more':
			case 'has_more alone':
				return { has_more: hasNext };
			case 'next_cursor':
				return { next_cursor: hasNext ? `after-${page + 1}` : null };
			case 'next_page':
				return { next_page: hasNext ? page + 1 : null };
			case 'next address':
			case 'address elsewhere':
				return { links: { next: hasNext ? `${host}${path}?page=${page + 1}` : null } };
			default:
				return {};
		}
	}
}
