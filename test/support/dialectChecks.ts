import { isEqual } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Service } from '../service';
import { AS_TODAY, type Dialect, today } from '../service/dialect';
import { credentialFor } from '../n8n/examples';
import { loadOptions } from './engine';
import { items, operations } from './operations';
import {
	addPost,
	addWebhook,
	asked,
	createPost,
	credentialOf,
	DAY,
	fill as fillAsToday,
	posts,
	retryOf,
	run,
	runOperation,
} from './service';
import { Instance } from './triggerContexts';

/** Whether the nodes keep to the rule in a dialect: facts act, guesses warn; the facts are those of docs/spec-gaps.md. */

const isOneOf = (choice: string, ...choices: string[]): boolean => [AS_TODAY, ...choices].includes(choice);
const lacks = (d: Dialect, path: string): boolean => d.missing.endsWith(` ${path}`);
/** The service says that a list goes on, but not how. */
const isStuck = (d: Dialect): boolean => ['has_more alone', 'address elsewhere'].includes(d.more);
const hasAccountId = (d: Dialect): boolean => isOneOf(d['account id'], 'number', 'number per platform');
/** Every record of `/accounts` has an ID and a platform, and the list is whole. */
const knowsAccounts = (d: Dialect): boolean =>
	hasAccountId(d) && isOneOf(d['account platform'], 'LINKEDIN') && !isStuck(d) && !lacks(d, '/accounts');
const saysConnected = (d: Dialect): boolean => isOneOf(d['account state'], 'ACTIVE', 'is_connected');
/** `not_expired` is no known word, `expired` is one. */
const saysLost = (d: Dialect): boolean => saysConnected(d) || d['account state'] === 'not_expired';
const isSilent = (d: Dialect): boolean => ['health', 'left out'].includes(d['account state']);
const hasWebhookId = (d: Dialect): boolean => isOneOf(d['webhook id'], 'number');

/** What an operation can't do without: the error that says so. Nothing else may end in one. */
const unavoidable: Array<[operation: string, isSo: (d: Dialect) => boolean]> = [
	['media:upload', (d) => d['upload address'] === 'put_to'],
	[
		'webhook:check',
		(d) =>
			(lacks(d, '/webhooks/{id}/deliveries') && (!hasWebhookId(d) || d.late === 'webhooks')) ||
			// The number that was asked for is given when the list first shows it.
			(d['webhook id'] === 'number' && d.late === 'webhooks'),
	],
];
/** The endpoint that an operation asks for, where a plan may lack it. */
const endpoints: Record<string, string> = {
	'account:getAll': '/accounts',
	'approval:getAll': '/approvals',
	'analytics:getOverview': '/analytics',
	'inbox:getAll': '/inbox',
	'socialConnection:getAll': '/social-connections',
	'usage:get': '/usage',
	'webhook:getDeliveries': '/webhooks/{id}/deliveries',
	'workspace:getAll': '/workspaces',
};

/** Posts, a webhook with a delivery that failed, a batch to approve. */
async function fill(service: Service, dialect: Dialect): Promise<void> {
	service.reset();
	service.speak(dialect);
	await fillAsToday(service);
	// An entry's own ID is that of another post.
	for (const { items: entries } of service.store.approvals.values())
		for (const one of entries) one.id = 'post_x';
}

const isMore = ({ message }: any): boolean => /more than these \d+ results/.test(message);
/** Pages of records that nothing tells apart look like one page that is given again and again. */
async function hasEqualPages(service: Service, path: string): Promise<boolean> {
	const pages = [1, 2, 3].map(async (page) => {
		const headers = { authorization: `Bearer ${service.keys.full}`, 'x-service-workspace-id': 'ws_main' };
		const answer: any = await (await fetch(`${service.apiUrl}${path}?page=${page}`, { headers })).json();
		const { data } = answer;
		const list = Array.isArray(data) ? data : Object.values(data ?? {}).find(Array.isArray);
		return JSON.stringify(list ?? page);
	});
	const [first, second, third] = await Promise.all(pages);
	return first !== '[]' && (first === second || (second !== '[]' && second === third));
}

function demand(holds: unknown, otherwise: string): void {
	if (!holds) throw new Error(otherwise);
}

/** How many items each operation gives today. */
const usual = new Map<string, number>();

async function operation(service: Service, dialect: Dialect, name: string): Promise<void> {
	await fill(service, dialect);
	const parameters =
		name === 'webhook:check' && dialect['webhook id'] === 'number' ? { webhookId: '1' } : operations[name]!;
	const { json, error, hints } = await runOperation(service, name, parameters, { items });
	if (error) {
		const isAllowed =
			lacks(dialect, endpoints[name] ?? '-') ||
			unavoidable.some(([of, isSo]) => of === name && isSo(dialect));
		return demand(isAllowed, `${name} ends in "${error.message}" (${error.description})`);
	}
	const isPart = hints.some(isMore);
	const isPaged = !isOneOf(dialect.more, 'unsaid') && !isStuck(dialect);
	const areAlike = isPaged && (await hasEqualPages(service, endpoints[name] ?? '/accounts'));
	demand(!isPart || isStuck(dialect) || areAlike, `${name} says that there is more`);
	const isOther =
		(name === 'webhook:getAll' && dialect.late === 'webhooks') ||
		(name === 'analytics:getOverview' && json.length > 0 && !isOneOf(dialect.overview));
	const count = usual.get(name);
	demand(json.length === count || isPart || isOther, `${name} gives ${json.length} items, not ${count}`);
	if (name === 'account:getAll')
		for (const { connected } of json)
			demand(
				connected === (saysConnected(dialect) || null),
				`${name} states connected: ${String(connected)}`,
			);
	if (name === 'approval:getAll')
		demand(asked(service, 'GET', /\/posts\/post_x$/).length === 0, `${name} reads a post that isn't in it`);
	if (name !== 'workspace:checkHealth') return;
	const [accounts, webhooks, approvals] = ['accounts', 'webhooks', 'approvals'].map((what) =>
		json.find(({ check }) => check === what),
	);
	const batch = dialect['batch state'];
	const isPending =
		isOneOf(batch, 'PENDING') || (batch !== 'to_do' && isOneOf(dialect['batch posts'], 'content_id'));
	const isHeld = isPending && isOneOf(dialect['batch posts'], 'without status', 'post_ids');
	const { count: pending, post_ids: held = [] } = (approvals?.facts ?? {}) as any;
	demand(
		lacks(dialect, '/approvals') || isEqual([pending, held.length], [isPending, isHeld].map(Number)),
		`${name} states ${JSON.stringify(approvals)}`,
	);
	const isHealthy = saysConnected(dialect) && !isStuck(dialect) && !lacks(dialect, '/accounts');
	demand(areAlike || (accounts?.status === 'ok') === isHealthy, `${name} states ${JSON.stringify(accounts)}`);
	// One disabled webhook, or one that doesn't say whether it is, is no "ok".
	const isKnown = isOneOf(dialect['webhook state'], 'enabled', 'DISABLED') || dialect.late === 'webhooks';
	demand(isKnown || webhooks?.status !== 'ok', `${name} states ${JSON.stringify(webhooks)}`);
}

/** Where no account of Bluesky is listed, and the one of TikTok is disconnected. */
async function fillAccounts(service: Service, dialect: Dialect): Promise<void> {
	await fill(service, dialect);
	service.store.accounts.delete('acc_main_bluesky');
	service.store.accounts.get('acc_main_tiktok')!.status = 'expired';
}

/** What the list of accounts says: `refused`, for a fact; `warned`, where something could not be read. */
type Verdict = { refused?: string; warned?: boolean };

/** Post: Create where one account is there, where two are, where none is, and where it is disconnected. */
async function creates(service: Service, dialect: Dialect): Promise<void> {
	const isWhole = knowsAccounts(dialect);
	const warned = !isWhole || !(saysConnected(dialect) || isSilent(dialect));
	const missing = isWhole && saysConnected(dialect) ? { refused: 'is not connected' } : { warned: true };
	const isNamed =
		hasAccountId(dialect) &&
		!lacks(dialect, '/accounts') &&
		saysLost(dialect) &&
		(dialect['account id'] !== 'number per platform' || isOneOf(dialect['account platform'], 'LINKEDIN'));
	const tiktok = { number: '2', 'number per platform': '1' }[dialect['account id']] ?? 'acc_main_tiktok';
	const isNumber = dialect['account id'].startsWith('number');
	await fillAccounts(service, dialect);
	const number = [...service.store.accounts.keys()].indexOf('acc_main_instagram') + 1;
	const instagram = { number, 'number per platform': '1' }[dialect['account id']] ?? 'acc_main_instagram';
	const cases: Record<string, Verdict> = {
		x: { warned },
		instagram: isWhole ? { refused: 'Instagram accounts' } : { warned },
		bluesky: missing,
		tiktok: isWhole && isSilent(dialect) ? { warned: false } : missing,
		[`tiktok:${tiktok}`]: isNamed ? { refused: 'is not connected' } : {},
		[`instagram:${instagram}`]: {},
	};
	// A number can't be told from a text where no list has it.
	const isSendable = !isNumber || !(lacks(dialect, '/accounts') || isStuck(dialect));
	const accepted = ['x', 'instagram', ...(isSendable ? [`instagram:${instagram}`] : [])];
	for (const [platform, { refused, warned: isUnsure }] of Object.entries(cases)) {
		await fillAccounts(service, dialect);
		const post = { platforms: [platform], when: 'at', scheduledAt: '2126-01-01T10:00' };
		const preview = createPost({ ...post, options: { preview: 'rows' } });
		const { json } = await run(service, preview, { items });
		const { error } = await run(service, createPost(post), { items });
		const warnings = String(json[0]?.warnings);
		const sent = asked(service, 'POST', /\/posts$/).length;
		// The service itself refuses a platform without a connected account.
		const isRight = refused ? error?.message.includes(refused) && sent === 0 : sent === 1;
		const isFailed = error && accepted.includes(platform) && !refused;
		const areRight =
			warnings.includes('not connected') === (refused === 'is not connected') &&
			(isUnsure === undefined || warnings.includes('whichever account') === isUnsure);
		demand(
			isRight && !isFailed && areRight,
			`Create on ${platform}: ${sent} sent, ${error?.message ?? 'no error'}, ${warnings}`,
		);
	}
}

/** The editor's lists of platforms and accounts say that one is not connected where that is a fact, and are never empty. */
async function lookUps(service: Service, dialect: Dialect): Promise<void> {
	await fillAccounts(service, dialect);
	const isWhole = knowsAccounts(dialect);
	const off = isWhole && saysConnected(dialect) ? ['bluesky', 'tiktok'] : [];
	for (const name of ['getPlatforms', 'getTargets']) {
		const options = await loadOptions(name, credentialOf(service));
		const said = options.filter((one) => one.name.endsWith('(not connected)')).map(({ value }) => value);
		const ofInstagram = options.filter(({ value }) => String(value).startsWith('instagram')).length;
		const isRight =
			said.sort().join() === off.join() &&
			ofInstagram === (name === 'getTargets' && isWhole ? 2 : 1) &&
			options.length === 6 + ofInstagram;
		demand(isRight, `${name}: ${JSON.stringify(options)}`);
	}
	const accounts = await loadOptions('getAccounts', credentialOf(service)).catch((error: Error) => error);
	if (accounts instanceof Error) return demand(lacks(dialect, '/accounts'), accounts.message);
	const lost = accounts.filter(({ name }) => name.endsWith('(not connected)'));
	const count = hasAccountId(dialect) ? (isStuck(dialect) ? 3 : 7) : 0;
	const isRight = accounts.length === count && lost.length === (count > 0 && saysLost(dialect) ? 1 : 0);
	// Records that nothing tells apart may be one.
	const areAlike = dialect['account id'] === 'number per platform' && !isWhole;
	demand(isRight || areAlike, `getAccounts: ${JSON.stringify(accounts)}`);
}

/** Inbox: Get Many with filters: what they are for, less what a hint names, or an error where nothing can be read. */
async function inboxFilters(service: Service, dialect: Dialect): Promise<void> {
	const hasTimes = isOneOf(dialect.fields) && isOneOf(dialect.times, 'whole seconds');
	const cases: Array<[filters: IDataObject, isReadable: boolean]> = [
		[{ platform: 'facebook' }, isOneOf(dialect['inbox platform'], 'FACEBOOK')],
		[{ kind: 'message' }, isOneOf(dialect['inbox kind'], 'kind', 'DM')],
		[{ since: 'the second latest' }, hasTimes],
	];
	for (const [filters, isReadable] of cases) {
		await fill(service, dialect);
		// By the items' own times: the service's clock may be ahead.
		const times = [...service.store.inbox.values()].map(({ createdAt }) => Date.parse(createdAt)).sort();
		if (filters.since) filters.since = new Date(times.at(-2)! - 60_000).toISOString();
		const { json, error, hints } = await runOperation(service, 'inbox:getAll', { returnAll: true, filters });
		if (lacks(dialect, '/inbox')) continue;
		const isRight = isReadable
			? !error && (json.length === (filters.since ? 2 : 1) || hints.some(isMore))
			: error?.message.includes("Can't filter by");
		demand(isRight, `Inbox ${JSON.stringify(filters)}: ${json.length}, ${error?.message}`);
	}
}

/** An answer is lost, a platform is refused, then the execution is retried: each platform gets its post once. */
async function retries(service: Service, dialect: Dialect): Promise<void> {
	await fill(service, dialect);
	const ofPosts = { method: 'POST', path: '^/posts$' };
	service.faults.add({ kind: 'dropAfter', ...ofPosts });
	service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', ...ofPosts, skip: 2 });
	const platforms = ['x', 'linkedin', 'tiktok'];
	const parameters = createPost({ platforms, text: 'Once', when: 'at', scheduledAt: '2126-01-01T10:00' });
	const first = await run(service, parameters, { items });
	const second = await run(service, parameters, { items, ...retryOf(first) });
	service.faults.clear();
	const sent = posts(service).filter(({ text }) => text === 'Once');
	const on = sent.flatMap((post) => post.platforms.map(({ platform }: IDataObject) => platform)).sort();
	demand(first.error, 'a retry: no error at first');
	demand(!second.error, `a retry: ${second.error?.message}`);
	demand(isEqual(on, [...platforms].sort()), `a retry: sent to ${on.join()}`);
}

/** The next free slot is none that a listed post has. */
async function slots(service: Service, dialect: Dialect): Promise<void> {
	await fill(service, dialect);
	const nine = (days: number) => new Date(Date.now() + days * DAY).setUTCHours(9, 0, 0, 0);
	const taken = [0, 1, 2].map(nine).filter((at) => at > Date.now());
	for (const at of taken) addPost(service, { id: `taken_${at}`, platforms: ['x'], at });
	const slotDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
	const parameters = createPost({ when: 'nextSlot', slotDays, slotTimes: '09:00', text: 'Slot' });
	const { error } = await run(service, parameters, { items, timezone: 'UTC' });
	const isReadable =
		isOneOf(dialect['post time']) &&
		isOneOf(dialect.times, 'whole seconds') &&
		isOneOf(dialect['post platform'], 'LINKEDIN', 'linkedin_page');
	if (error)
		return demand(!isReadable && /which slots are free/.test(error.message), `a slot: ${error.message}`);
	const got = posts(service).find(({ text }) => text === 'Slot');
	demand(!taken.includes(Date.parse(got.scheduledAt)), `a slot: ${got.scheduledAt} was taken`);
}

/** Return All gives all posts, each once. */
async function returnAll(service: Service, dialect: Dialect): Promise<void> {
	await fill(service, dialect);
	const start = Math.floor(Date.now() / 1_000 + 1e6) * 1_000;
	for (let i = 0; i < 150; i++)
		addPost(service, { id: `many_${i}`, at: start + Math.floor(i / 30) * 1_000 + (i % 30) * 7 });
	const { json, error } = await runOperation(service, 'post:getAll', { returnAll: true });
	const ids = new Set(json.map(({ id }) => id));
	const all = posts(service).length;
	const isRight = !error && ids.size === json.length && ids.size === all;
	demand(isRight, `Return All: ${ids.size} of ${all} posts, ${error?.message ?? ''}`);
}

const OTHERS = ['wh_other_1', 'wh_other_2', 'wh_other_3'];

/** The trigger's life: published, an event, disabled, repaired, another event, unpublished. */
async function trigger(service: Service, dialect: Dialect): Promise<void> {
	service.reset();
	service.speak(dialect);
	// Others' come first: where lists have pages, the trigger's is on the second one.
	for (const id of OTHERS) service.store.webhooks.get(addWebhook(service, id))!.events = [];
	const own = () => [...service.store.webhooks.values()].filter(({ id }) => !OTHERS.includes(id));
	const [now, monotonic] = [Date.now, performance.now.bind(performance)];
	let shift = 0;
	Date.now = () => now() + shift;
	performance.now = () => monotonic() + shift;
	const n8n = await Instance.start({
		credential: credentialFor(service, service.addKey()) as IDataObject,
	});
	const settled = async () => {
		await service.deliveries.idle();
		await n8n.idle();
	};
	const check = async () => {
		await service.clock.advance(2_000);
		shift += 16 * 60_000;
		await n8n.tick();
		await settled();
	};
	const event = async (text: string) => {
		const { post } = service.lifecycle.create({
			...{ workspaceId: 'ws_main', brandId: 'brand_main', shape: 'integrationGuide', text, media: [] },
			...{ platforms: ['linkedin'], scheduledAt: service.clock.iso(), extra: {} },
		});
		service.lifecycle.publish(post);
		await settled();
		await check();
		const count = n8n.behind.filter(({ data }) => (data as IDataObject).post_id === post.id).length;
		demand(count === 1, `the event "${text}" came ${count} times`);
	};
	try {
		await n8n.publish();
		await n8n.startTrigger();
		await event('published');
		const isListed =
			(dialect['webhook url'] === AS_TODAY ||
				(hasWebhookId(dialect) && dialect['webhook answer'] !== 'only the secret')) &&
			!isStuck(dialect);
		const isSeen = isOneOf(dialect['webhook state'], 'enabled', 'DISABLED') && isListed;
		for (const one of own()) one.status = 'disabled';
		await check();
		if (isSeen) await event('repaired');
		else for (const one of own()) one.status = 'active';
		const active = own().filter(({ status }) => status === 'active').length;
		demand(active === 1, `${active} active subscriptions`);
		await n8n.unpublish();
		const left = own().length;
		demand(service.store.webhooks.size === left + OTHERS.length, 'a subscription of others was deleted');
		demand(left === 0 || isUntold(dialect), `${left} subscriptions left when unpublished`);
	} finally {
		[Date.now, performance.now] = [now, monotonic];
		await n8n.stop();
	}
}

/** Neither the answer to its creation nor the list tells which subscription is the trigger's. */
const isUntold = (d: Dialect): boolean =>
	!hasWebhookId(d) ||
	(d['webhook answer'] === 'only the secret' && (d['webhook url'] !== AS_TODAY || isStuck(d)));

/** @throws what goes wrong in a dialect; nothing does where the nodes keep to the rule */
export async function keepToTheRule(service: Service, dialect: Dialect): Promise<void> {
	const names = Object.keys(operations);
	if (usual.size === 0)
		for (const name of names) {
			await fill(service, today);
			usual.set(name, (await runOperation(service, name, operations[name]!, { items })).json.length);
		}
	for (const name of names) await operation(service, dialect, name);
	for (const check of [creates, lookUps, inboxFilters, retries, slots, returnAll, trigger])
		await check(service, dialect);
}
