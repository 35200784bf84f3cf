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

/** Whether the nodes keep to the rule in a dialect: nothing is refused, skipped, deleted, left behind or posted twice by a guess. */

const isOneOf = (choice: string, ...choices: string[]): boolean => [AS_TODAY, ...choices].includes(choice);
const lacks = (d: Dialect, path: string): boolean => d.missing.endsWith(` ${path}`);
/** All of a list is read: the service says nothing of more, or says it as the specification shows it. */
const isWhole = (d: Dialect): boolean => isOneOf(d.more, 'hasNext');
const hasWebhookId = (d: Dialect): boolean => isOneOf(d['webhook id'], 'number');

/** What an operation can't do without: the error that says so. Nothing else may end in one. */
const unavoidable: Array<[operation: string, isSo: (d: Dialect) => boolean]> = [
	['media:upload', (d) => d['upload address'] === 'put_to'],
	// A number is given when the list first shows it.
	['webhook:check', (d) => d['webhook id'] === 'number' && d.late === 'webhooks'],
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

const isMore = ({ message }: any): boolean => /more than these \d+ results/.test(message);

function demand(holds: unknown, otherwise: string): void {
	if (!holds) throw new Error(otherwise);
}

/** How many items each operation gives today. */
const usual = new Map<string, number>();

/** It ends in no error, and gives all that it gives today, or says that there is more. */
async function operation(service: Service, dialect: Dialect, name: string): Promise<void> {
	await fill(service, dialect);
	const { json, error, hints } = await runOperation(service, name, operations[name]!, { items });
	if (error) {
		const isAllowed =
			lacks(dialect, endpoints[name] ?? '-') ||
			unavoidable.some(([of, isSo]) => of === name && isSo(dialect));
		return demand(isAllowed, `${name} ends in "${error.message}" (${error.description})`);
	}
	const isOther =
		(name === 'webhook:getAll' && dialect.late === 'webhooks') ||
		(name === 'analytics:getOverview' && !isOneOf(dialect.overview)) ||
		dialect.more === 'unsaid';
	const count = usual.get(name);
	const isAll = json.length === count || hints.some(isMore) || isOther;
	demand(isAll, `${name} gives ${json.length} items, not ${count}`);
}

/** Post: Create: one post goes out, unless the list has two accounts of the platform and none was named. */
async function creates(service: Service, dialect: Dialect): Promise<void> {
	for (const platform of ['x', 'instagram', 'bluesky', 'tiktok', 'x:acc_new']) {
		await fill(service, dialect);
		service.store.accounts.delete('acc_main_bluesky');
		service.store.accounts.get('acc_main_tiktok')!.status = 'expired';
		const post = createPost({ platforms: [platform], when: 'at', scheduledAt: '2126-01-01T10:00' });
		const { error } = await run(service, post, { items });
		const sent = asked(service, 'POST', /\/posts$/).length;
		const isRefused = error?.message.includes('Instagram accounts') && sent === 0;
		const isRight = {
			sent: sent === 1,
			refused: isRefused,
			either: sent === 1 || isRefused,
		}[platform === 'instagram' ? withTwoAccounts(dialect) : 'sent'];
		demand(isRight, `Create on ${platform}: ${sent} sent, ${error?.message ?? 'no error'}`);
	}
}

/** What becomes of a post where the service has two accounts of its platform, and none was named. */
function withTwoAccounts(dialect: Dialect): 'sent' | 'refused' | 'either' {
	const isNumber = dialect['account id'].startsWith('number');
	const hasAccounts =
		(isOneOf(dialect['account id']) || isNumber) &&
		isOneOf(dialect['account platform'], 'LINKEDIN') &&
		!lacks(dialect, '/accounts');
	if (!hasAccounts) return 'sent';
	// Of a list that isn't whole, both may be on the first page.
	return isWhole(dialect) || dialect.more === 'unsaid' ? 'refused' : 'either';
}

/** The editor's lists of platforms are never empty. */
async function lookUps(service: Service, dialect: Dialect): Promise<void> {
	await fill(service, dialect);
	for (const name of ['getPlatforms', 'getTargets']) {
		const options = await loadOptions(name, credentialOf(service));
		const platforms = new Set(options.map(({ value }) => String(value).split(':')[0]).filter(Boolean));
		demand(platforms.size === 7, `${name}: ${JSON.stringify(options)}`);
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
		isOneOf(dialect['post platform'], 'LINKEDIN');
	if (error)
		return demand(!isReadable && /which slots are free/.test(error.message), `a slot: ${error.message}`);
	if (!isReadable) return;
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
			hasWebhookId(dialect) &&
			(dialect['webhook url'] === AS_TODAY || dialect['webhook answer'] !== 'only the secret') &&
			isWhole(dialect);
		const isSeen = isOneOf(dialect['webhook state'], 'enabled') && isListed;
		for (const one of own()) one.status = 'disabled';
		await check();
		if (isSeen) await event('repaired');
		else for (const one of own()) one.status = 'active';
		// However often it looks, it makes no others.
		await check();
		await check();
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
	(d['webhook answer'] === 'only the secret' && (d['webhook url'] !== AS_TODAY || !isWhole(d)));

/** @throws what goes wrong in a dialect; nothing does where the nodes keep to the rule */
export async function keepToTheRule(service: Service, dialect: Dialect): Promise<void> {
	const names = Object.keys(operations);
	if (usual.size === 0)
		for (const name of names) {
			await fill(service, today);
			usual.set(name, (await runOperation(service, name, operations[name]!, { items })).json.length);
		}
	for (const name of names) await operation(service, dialect, name);
	for (const check of [creates, lookUps, retries, slots, returnAll, trigger]) await check(service, dialect);
}
