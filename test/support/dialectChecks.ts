import type { IDataObject } from 'n8n-workflow';

import type { Service } from '../service';
import { AS_TODAY, type Dialect, today } from '../service/dialect';
import { credentialFor } from '../n8n/examples';
import { items, operations } from './operations';
import {
	addPost,
	asked,
	createPost,
	fill as fillAsToday,
	posts,
	retryOf,
	run,
	runOperation,
} from './service';
import { Instance } from './triggerContexts';

/**
 * Whether the nodes keep to the rule in a dialect: facts act, guesses warn. What may be refused, and what has to be, is worked
 * out from the dialect and what the service holds, in the words of docs/spec-gaps.md.
 */

const isOneOf = (choice: string, ...choices: string[]): boolean => [AS_TODAY, ...choices].includes(choice);
const lacks = (d: Dialect, path: string): boolean => d.missing.endsWith(` ${path}`);
/** The service says that a list goes on, but not how. */
const isStuck = (d: Dialect): boolean => ['has_more alone', 'address elsewhere'].includes(d.more);
/** Every record of `/accounts` has an ID, a platform and no unknown state, and the list is whole. */
const knowsAccounts = (d: Dialect): boolean =>
	isOneOf(d['account id'], 'number', 'number per platform') &&
	isOneOf(d['account platform'], 'LINKEDIN') &&
	isOneOf(d['account state'], 'ACTIVE', 'is_connected', 'health', 'left out') &&
	!isStuck(d) &&
	!lacks(d, '/accounts');
const saysConnected = (d: Dialect): boolean => isOneOf(d['account state'], 'ACTIVE', 'is_connected');
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
}

const warningsOf = (hints: any[]): string[] => hints.map(({ message }) => String(message));
const isMore = (hint: string) => /more than these \d+ results/.test(hint);
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

/** How many items an operation gives today. */
const usual = new Map<string, number>();

async function operation(service: Service, dialect: Dialect, name: string): Promise<string[]> {
	await fill(service, dialect);
	const parameters =
		name === 'webhook:check' && dialect['webhook id'] === 'number' ? { webhookId: '1' } : operations[name]!;
	const { json, error, hints } = await runOperation(service, name, parameters, { items });
	if (error) {
		if (lacks(dialect, endpoints[name] ?? '-')) return [];
		const isAllowed = unavoidable.some(([of, isSo]) => of === name && isSo(dialect));
		return isAllowed ? [] : [`${name} ends in "${error.message}" (${error.description})`];
	}
	const wrong: string[] = [];
	const isPart = warningsOf(hints).some(isMore);
	const isPaged = !isOneOf(dialect.more, 'unsaid') && !isStuck(dialect);
	const areAlike = isPaged && (await hasEqualPages(service, endpoints[name] ?? '/accounts'));
	if (isPart && !isStuck(dialect) && !areAlike) wrong.push(`${name} says that there is more`);
	const isOther =
		(name === 'webhook:getAll' && dialect.late === 'webhooks') ||
		(name === 'analytics:getOverview' &&
			json.length > 0 &&
			!isOneOf(dialect.overview, 'by_platform', 'keys', 'bare'));
	if (json.length !== usual.get(name) && !isPart && !isOther)
		wrong.push(`${name} gives ${json.length} items, not ${usual.get(name)}`);
	if (name === 'account:getAll')
		for (const { connected } of json)
			if (connected !== (saysConnected(dialect) ? true : null))
				wrong.push(`${name} states connected: ${String(connected)}`);
	const health = json.find(({ check }) => check === 'accounts');
	const isHealthy = saysConnected(dialect) && !isStuck(dialect) && !lacks(dialect, '/accounts');
	if (name === 'workspace:checkHealth' && !areAlike && (health?.status === 'ok') !== isHealthy)
		wrong.push(`${name} states ${JSON.stringify(health)}`);
	return wrong;
}

/** Post: Create where one account is there, where two are, and where none is. */
async function creates(service: Service, dialect: Dialect): Promise<string[]> {
	const wrong: string[] = [];
	const isKnown = knowsAccounts(dialect);
	const areTwo =
		isOneOf(dialect['account id'], 'number', 'number per platform') &&
		isOneOf(dialect['account platform'], 'LINKEDIN') &&
		!isStuck(dialect) &&
		!lacks(dialect, '/accounts');
	const cases: Array<[platform: string, refused: string | undefined]> = [
		['x', undefined],
		['instagram', areTwo ? 'accounts are connected' : undefined],
		['bluesky', isKnown ? 'is not connected' : undefined],
	];
	for (const [platform, refused] of cases) {
		await fill(service, dialect);
		for (const [id, account] of service.store.accounts)
			if (account.platform === 'bluesky') service.store.accounts.delete(id);
		const { error, hints } = await run(
			service,
			createPost({ platforms: [platform], when: 'at', scheduledAt: '2126-01-01T10:00' }),
			{ items },
		);
		// The service itself refuses a platform without an account.
		const sent = asked(service, 'POST', /\/posts$/).length;
		const isWarned = warningsOf(hints).some((one) => one.includes('whichever account'));
		if (
			refused
				? !error?.message.includes(refused) || sent > 0
				: sent !== 1 || (error && platform !== 'bluesky')
		)
			wrong.push(`Create on ${platform}: ${sent} sent, ${error?.message ?? 'no error'}`);
		if (!error && isWarned === isKnown)
			wrong.push(`Create on ${platform}: warnings ${JSON.stringify(warningsOf(hints))}`);
	}
	return wrong;
}

/** An answer is lost, a platform is refused, then the execution is retried: each platform gets its post once. */
async function retries(service: Service, dialect: Dialect): Promise<string[]> {
	await fill(service, dialect);
	service.faults.add({ kind: 'dropAfter', method: 'POST', path: '^/posts$' });
	service.faults.add({
		kind: 'error',
		code: 'PUBLIC_API_SCOPE_FORBIDDEN',
		method: 'POST',
		path: '^/posts$',
		skip: 2,
	});
	const platforms = ['x', 'linkedin', 'tiktok'];
	const parameters = createPost({ platforms, text: 'Once', when: 'at', scheduledAt: '2126-01-01T10:00' });
	const first = await run(service, parameters, { items });
	const second = await run(service, parameters, { items, ...retryOf(first) });
	service.faults.clear();
	const sent = posts(service).flatMap(({ text, platforms: on }) =>
		text === 'Once' ? on.map(({ platform }: IDataObject) => platform) : [],
	);
	const isOnce = platforms.every((one) => sent.filter((other) => other === one).length === 1);
	if (isOnce && first.error && !second.error) return [];
	return [
		`a retry: sent to ${sent.join()}; ${second.error?.message ?? (first.error ? '' : 'no error at first')}`,
	];
}

/** The next free slot is none that a listed post has. */
async function slots(service: Service, dialect: Dialect): Promise<string[]> {
	await fill(service, dialect);
	const nine = (days: number) =>
		new Date(new Date(Date.now() + days * 86_400_000).setUTCHours(9, 0, 0, 0)).getTime();
	const taken = [0, 1, 2].map(nine).filter((at) => at > Date.now());
	for (const at of taken) addPost(service, { id: `taken_${at}`, platforms: ['x'], at });
	const slotDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
	const parameters = createPost({ when: 'nextSlot', slotDays, slotTimes: '09:00', text: 'Slot' });
	const { error } = await run(service, parameters, { items, timezone: 'UTC' });
	const isReadable =
		isOneOf(dialect['post time']) &&
		isOneOf(dialect.times, 'whole seconds') &&
		isOneOf(dialect['post platform'], 'LINKEDIN');
	const got = posts(service).find(({ text }) => text === 'Slot');
	if (error)
		return isReadable || !/which slots are free/.test(error.message) ? [`a slot: ${error.message}`] : [];
	return taken.includes(Date.parse(got.scheduledAt)) ? [`a slot: ${got.scheduledAt} was taken`] : [];
}

/** Return All gives all posts, each once. */
async function returnAll(service: Service, dialect: Dialect): Promise<string[]> {
	await fill(service, dialect);
	const start = Math.floor(Date.now() / 1_000 + 1e6) * 1_000;
	for (let i = 0; i < 150; i++)
		addPost(service, { id: `many_${i}`, at: start + Math.floor(i / 30) * 1_000 + (i % 30) * 7 });
	const { json, error } = await runOperation(service, 'post:getAll', { returnAll: true });
	const ids = new Set(json.map(({ id }) => id));
	return error || ids.size !== json.length || ids.size !== posts(service).length
		? [`Return All: ${ids.size} of ${posts(service).length} posts, ${error?.message ?? ''}`]
		: [];
}

/** The trigger's life: published, an event, disabled, repaired, another event, unpublished. */
async function trigger(service: Service, dialect: Dialect): Promise<string[]> {
	service.reset();
	service.speak(dialect);
	const [now, monotonic] = [Date.now, performance.now.bind(performance)];
	let shift = 0;
	Date.now = () => now() + shift;
	performance.now = () => monotonic() + shift;
	const n8n = await Instance.start({
		credential: credentialFor(service, service.addKey({ plan: 'enterprise' })) as IDataObject,
	});
	const wrong: string[] = [];
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
		if (count !== 1) wrong.push(`the event "${text}" came ${count} times`);
	};
	try {
		await n8n.publish();
		await n8n.startTrigger();
		await event('published');
		const isListed =
			dialect['webhook url'] === AS_TODAY ||
			(hasWebhookId(dialect) && dialect['webhook answer'] !== 'only the secret');
		const isSeen = isOneOf(dialect['webhook state'], 'enabled', 'DISABLED') && isListed;
		for (const one of service.store.webhooks.values()) one.status = 'disabled';
		await check();
		if (isSeen) await event('repaired');
		else for (const one of service.store.webhooks.values()) one.status = 'active';
		const active = [...service.store.webhooks.values()].filter(({ status }) => status === 'active').length;
		if (active !== 1) wrong.push(`${active} active subscriptions`);
		await n8n.unpublish();
		const left = service.store.webhooks.size;
		if (left > 0 && !isUntold(dialect)) wrong.push(`${left} subscriptions left when unpublished`);
	} catch (error) {
		wrong.push(`the trigger ends in "${(error as Error).message}" (${String((error as any).description)})`);
	} finally {
		[Date.now, performance.now] = [now, monotonic];
		await n8n.stop();
	}
	return wrong;
}

/** Neither the answer to its creation nor the list tells which subscription is the trigger's. */
const isUntold = (d: Dialect): boolean =>
	!hasWebhookId(d) || (d['webhook answer'] === 'only the secret' && d['webhook url'] !== AS_TODAY);

/** What goes wrong in a dialect; nothing, where the nodes keep to the rule. */
export async function wrongIn(service: Service, dialect: Dialect): Promise<string[]> {
	const names = Object.keys(operations);
	if (usual.size === 0)
		for (const name of names) {
			await fill(service, today);
			usual.set(name, (await runOperation(service, name, operations[name]!, { items })).json.length);
		}
	const wrong: string[] = [];
	for (const name of names) wrong.push(...(await operation(service, dialect, name)));
	for (const check of [creates, retries, slots, returnAll, trigger])
		wrong.push(...(await check(service, dialect)));
	return wrong;
}
