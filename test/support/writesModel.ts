import fc from 'fast-check';
import countBy from 'lodash/countBy';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { createRequire } from 'node:module';

import type { Fault, RecordedRequest, Service } from '../service';
import { runNode, runTool, type RunResult } from './engine';
import { credentialOf } from './writes';

/**
 * Random sequences of executions, faults, retries and changes of a node that writes, in n8n's engine against the embedded
 * service, and the rule that all of them have to keep: (1) a request that may have been carried out is never followed
 * by another key for the same wish; (2) a wish that was not sent is never reported as done; (3) what is reported is what
 * was sent. docs/idempotency.md says what is covered and what is not.
 */

/** The node's clock and its waits go so much faster than real ones: it tries again by itself, too. */
const HASTE = 20;
const start = Date.now();
const realNow = Date.now.bind(Date);
Date.now = () => start + (realNow() - start) * HASTE;
Object.defineProperty(createRequire(__filename)('n8n-workflow'), 'sleep', {
	value: async (ms: number) => await new Promise((done) => setTimeout(done, ms / HASTE)),
});

export const OPERATIONS = [
	'create',
	'createWithFile',
	'update',
	'cancel',
	'delete',
	'reply',
	'webhookCreate',
	'webhookDelete',
	'upload',
	'uploadDirect',
	'createUploadUrl',
] as const;
type Operation = (typeof OPERATIONS)[number];

const FAULTS = {
	none: { kind: 'headers' },
	lostBefore: { kind: 'dropBefore' },
	lostAfter: { kind: 'dropAfter' },
	refused: { kind: 'error', code: 'PUBLIC_API_BODY_INVALID' },
	unauthorized: { kind: 'error', code: 'PUBLIC_API_KEY_INVALID' },
	forbidden: { kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN' },
	limited: { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '1' },
	persisted: { kind: 'errorAfter', code: 'PUBLIC_API_PUBLISH_FAILED' },
	failedBefore: { kind: 'error', code: 'PUBLIC_API_POST_CREATE_FAILED' },
	failedAfter: { kind: 'errorAfter', code: 'PUBLIC_API_POST_CREATE_FAILED' },
	gatewayBefore: { kind: 'status', status: 503 },
	gatewayAfter: { kind: 'status', status: 504, act: true },
	emptyAfter: { kind: 'empty' },
	garbledAfter: { kind: 'malformed' },
} satisfies Record<string, Fault>;
type FaultName = keyof typeof FAULTS;

/** What goes wrong with the bytes of a file; `expired`: the store takes the address for one that is no longer valid. */
const STORE_FAULTS = {
	none: { kind: 'headers' },
	expired: { kind: 'status', status: 403 },
	lostAfter: { kind: 'dropAfter' },
	failed: { kind: 'status', status: 503 },
} satisfies Record<string, Fault>;
type StoreFaultName = keyof typeof STORE_FAULTS;

/** What an input item is; two of the same are equal in everything n8n shows of them. */
export interface Thing {
	label: number;
	/** Which file it has, where the operation takes one. */
	file: number;
}

/** What the user set, as far as it changes between executions. */
export interface Settings {
	/** How many different texts an expression gives in turn; 1: the same each time. */
	moves: 1 | 2 | 97;
	/** A word in the text that the user changes. */
	word: number;
	additional: number;
	/** '' : the credential's, which has none. */
	workspace: '' | 'ws_main' | 'ws_second';
	platforms: ReadonlyArray<'x' | 'linkedin' | 'instagram'>;
	/** Platforms with a text of their own. */
	ownText: boolean;
	mode: 'execution' | 'content' | 'custom';
	customTag: number;
	format: 'integrationGuide' | 'quickStart';
	/** The user changes the operation: works on posts only. */
	operation?: 'cancel' | 'delete' | 'update';
	/** The platforms' accounts are chosen instead: in sequences by hand only. */
	accounts?: boolean;
}

export interface Step {
	/** `retry` of what came before or of the first execution once more, the next round of a loop, or a new execution. */
	how: 'retry' | 'retryFirst' | 'loop' | 'again';
	/** The process dies in the end: what this execution stored is lost. */
	crash: boolean;
	/** Tries of Retry On Fail. */
	tries: 1 | 2 | 3;
	faults: FaultName[];
	storeFaults: StoreFaultName[];
	items: 'same' | 'reverse' | 'dropFirst' | 'addFront' | 'addEnd' | 'repeatFirst';
	change: Partial<Settings>;
}

export interface Sequence {
	operation: Operation;
	/** How n8n runs the node. */
	as: 'node' | 'tool' | 'subWorkflow';
	/** n8n gives executions a token (2.14 and later). */
	token: boolean;
	continueOnFail: boolean;
	concurrency: 1 | 5;
	/** *Wait at the Rate Limit* in seconds: above 0 the node tries again by itself. */
	patience: 0 | 60;
	/** Length of a filler in the texts. */
	filler: number;
	things: Thing[];
	settings: Settings;
	steps: Step[];
}

const thing = fc.record({ label: fc.nat(2), file: fc.nat(1) });
const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
	fc.oneof(
		{ weight: 4, arbitrary: fc.constant(usual) },
		{ weight: 3, arbitrary: fc.constantFrom(...others) },
	);
const workspace = fc.constantFrom<Settings['workspace']>('', 'ws_main', 'ws_second');
const platforms = fc.constantFrom<Settings['platforms']>(
	['linkedin'],
	['x', 'linkedin'],
	['linkedin', 'instagram'],
	['x', 'linkedin', 'instagram'],
);
const mode = mostly<Settings['mode']>('execution', 'content', 'custom');
const moves = fc.constantFrom<Settings['moves']>(1, 2, 97);
const format = fc.constantFrom<Settings['format']>('integrationGuide', 'quickStart');

const change: fc.Arbitrary<Partial<Settings>> = fc.oneof(
	{ weight: 6, arbitrary: fc.constant({}) },
	{ weight: 2, arbitrary: fc.record({ word: fc.nat(2) }) },
	fc.record({ additional: fc.nat(2) }),
	fc.record({ workspace }),
	fc.record({ platforms }),
	fc.record({ mode }),
	fc.record({ customTag: fc.nat(1) }),
	fc.record({ ownText: fc.boolean() }),
	fc.record({ format }),
	fc.record({ operation: fc.constantFrom<Settings['operation']>('cancel', 'delete', 'update') }),
);

const step: fc.Arbitrary<Step> = fc.record({
	how: fc.oneof(
		{ weight: 6, arbitrary: fc.constant<Step['how']>('retry') },
		fc.constantFrom<Step['how']>('loop', 'again', 'retryFirst'),
	),
	crash: mostly(false, true),
	tries: mostly<Step['tries']>(1, 2, 3),
	faults: fc.array(
		fc.oneof(
			fc.constant<FaultName>('none'),
			fc.constantFrom<FaultName>('lostAfter', 'failedAfter', 'refused'),
			fc.constantFrom<FaultName>(...(Object.keys(FAULTS) as FaultName[])),
		),
		{ maxLength: 5 },
	),
	storeFaults: fc.array(mostly<StoreFaultName>('none', 'expired', 'lostAfter', 'failed'), { maxLength: 3 }),
	items: mostly<Step['items']>('same', 'reverse', 'dropFirst', 'addFront', 'addEnd', 'repeatFirst'),
	change,
});

export const sequence: fc.Arbitrary<Sequence> = fc
	.record({
		operation: fc.oneof(
			{ weight: 6, arbitrary: fc.constant<Operation>('create') },
			{ weight: 8, arbitrary: fc.constantFrom<Operation>(...OPERATIONS) },
		),
		as: mostly<Sequence['as']>('node', 'tool', 'subWorkflow'),
		token: mostly(true, false),
		continueOnFail: mostly(false, true),
		concurrency: mostly<Sequence['concurrency']>(1, 5),
		patience: mostly<Sequence['patience']>(0, 60),
		filler: mostly<Sequence['filler']>(0, 0, 0, 40_000),
		things: fc.array(thing, { minLength: 1, maxLength: 3 }),
		settings: fc.record({
			moves,
			word: fc.nat(2),
			additional: fc.nat(2),
			workspace,
			platforms,
			ownText: fc.boolean(),
			mode,
			customTag: fc.nat(1),
			format,
		}),
		steps: fc.array(step, { minLength: 1, maxLength: 5 }),
	})
	.map(withinReach);

/** Takes out of a sequence what docs/idempotency.md ("Limits") says the node can't promise. */
function withinReach(one: Sequence): Sequence {
	const { as, settings } = one;
	// What n8n forgets: in a crash, and where an older execution is retried once more.
	const crashes = one.steps.some(({ crash, how }) => crash || how === 'retryFirst');
	// Only the content tells the calls of a tool, or of a sub-workflow, apart: it is the wish, and doesn't move by itself.
	const contentIsWish = as !== 'node' || one.operation === 'reply';
	const contentIsKey = contentIsWish || settings.mode === 'content';
	const fixed = new Set<keyof Settings>([
		...(contentIsWish ? (['format', 'ownText', 'mode', 'customTag'] as const) : []),
		// A sub-workflow that is called with other content, or other items, is another call.
		...(as === 'subWorkflow' ? (['word', 'additional', 'workspace'] as const) : []),
		...(as === 'subWorkflow' && settings.format === 'quickStart' ? (['platforms'] as const) : []),
		// Without a memory of what was sent, only the same wishes in the same places have the same keys.
		...(crashes ? (['mode', 'customTag', 'format', 'ownText', 'platforms', 'workspace'] as const) : []),
		...(crashes && contentIsKey ? (['word', 'additional'] as const) : []),
	]);
	const steps = one.steps.map((each): Step => {
		const names = Object.keys(each.change) as Array<keyof Settings>;
		const change = Object.fromEntries(
			names.filter((name) => !fixed.has(name)).map((name) => [name, each.change[name]]),
		);
		const items = as === 'subWorkflow' || (crashes && each.items !== 'addEnd') ? 'same' : each.items;
		return { ...each, change, items, how: as === 'tool' && each.how === 'loop' ? 'retry' : each.how };
	});
	return {
		...one,
		settings: { ...settings, ...(contentIsWish || (crashes && contentIsKey) ? { moves: 1 as const } : {}) },
		steps,
	};
}

/** A sequence by hand: what is not given is as in runs of a node with one item and nothing unusual about them. */
export function sequenceOf({
	settings,
	steps,
	...more
}: Partial<Omit<Sequence, 'settings' | 'steps'>> & {
	settings?: Partial<Settings>;
	steps: Array<Partial<Step>>;
}): Sequence {
	return {
		operation: 'create',
		as: 'node',
		token: true,
		continueOnFail: false,
		concurrency: 1,
		patience: 0,
		filler: 0,
		things: [{ label: 0, file: 0 }],
		settings: {
			moves: 1,
			word: 0,
			additional: 0,
			workspace: '',
			platforms: ['linkedin'],
			ownText: false,
			mode: 'execution',
			customTag: 0,
			format: 'integrationGuide',
			...settings,
		},
		steps: steps.map((step) => ({
			how: 'retry',
			crash: false,
			tries: 1,
			faults: [],
			storeFaults: [],
			items: 'same',
			change: {},
			...step,
		})),
		...more,
	};
}

const OPERATION: Record<Operation, [resource: string, operation: string]> = {
	create: ['post', 'create'],
	createWithFile: ['post', 'create'],
	update: ['post', 'update'],
	cancel: ['post', 'cancel'],
	delete: ['post', 'delete'],
	reply: ['inbox', 'reply'],
	webhookCreate: ['webhook', 'create'],
	webhookDelete: ['webhook', 'delete'],
	upload: ['media', 'upload'],
	uploadDirect: ['media', 'uploadDirect'],
	createUploadUrl: ['media', 'createUploadUrl'],
};
const ON_POSTS = new Set<Operation>(['update', 'cancel', 'delete']);
const WITH_FILE = new Set<Operation>(['createWithFile', 'upload', 'uploadDirect']);
const INBOX = ['inb_seed_1', 'inb_seed_2', 'inb_seed_3'];

/** A text that is another one each time it is evaluated, in a circle of `moves`. */
const text = ({ word, moves: circle }: Settings, filler: number, name = ''): string =>
	`={{ 'thing-' + $json.label + '. ${name} word ${word}, ' + ($vars.tick % ${circle}) + '${'.'.repeat(filler)}' }}`;

function parametersOf(one: Sequence, settings: Settings, operation: Operation): IDataObject {
	const [resource, name] = OPERATION[operation];
	const body = ['create', 'createWithFile', 'update', 'reply', 'webhookCreate'].includes(operation);
	const options: IDataObject = {
		maxRetryWait: one.patience,
		...(settings.workspace ? { workspaceId: settings.workspace } : {}),
		...(settings.mode === 'execution' ? {} : { idempotencyKeyMode: settings.mode }),
		...(settings.mode === 'custom'
			? { idempotencyKey: `={{ 'own-' + $json.label + '-' + $json.file + '-${settings.customTag}' }}` }
			: {}),
		...(body && settings.additional > 0 ? { additionalFields: `{"note": ${settings.additional}}` } : {}),
		...(operation.startsWith('create') || operation === 'upload' ? { concurrency: one.concurrency } : {}),
	};
	const words = text(settings, one.filler);
	const all: Partial<Record<Operation, IDataObject>> = {
		create: {
			...(settings.accounts
				? { postTo: 'accounts', accounts: settings.platforms.map((one) => `acc_main_${one}`) }
				: { postTo: 'platforms', platforms: settings.platforms }),
			text: words,
			when: 'at',
			scheduledAt: '2126-01-01T10:00:00Z',
		},
		update: { updateFields: { text: words } },
		reply: { inboxItemId: '={{ $json.inbox }}', text: words },
		webhookCreate: {
			url: '={{ "https://example.com/thing-" + $json.label }}',
			events: ['post.published'],
			description: text(settings, 0),
		},
		webhookDelete: { webhookId: '={{ $json.webhook }}' },
		upload: { mediaFrom: 'binary', binaryFields: 'data' },
		uploadDirect: { binaryFields: 'data' },
		createUploadUrl: {
			fileName: '={{ "thing-" + $json.label + ".png" }}',
			contentType: 'image/png',
			size: 9,
		},
	};
	all.createWithFile = { ...all.create, mediaFrom: 'binary', binaryFields: 'data' };
	if (settings.ownText && operation.startsWith('create') && resource === 'post')
		options.platformText = {
			texts: [
				{ platform: 'linkedin', text: text(settings, one.filler) },
				{ platform: 'instagram', text: text(settings, one.filler, 'gram') },
			],
		};
	const target = ON_POSTS.has(operation) ? { postId: '={{ $json.post }}' } : {};
	return { resource, operation: name, ...target, ...all[operation], options };
}

/** What a request is for, as far as the service sees it: everything but its words. */
interface Effect {
	request: RecordedRequest;
	key: string;
	/** `create`, `update`, …: what it does. */
	does: string;
	workspace: string;
	/** Of which thing it tells, as it says itself. */
	about: string;
	platforms: string[];
	body: string;
	/** What the one who sent it knows: refused for certain, or it may have been carried out. */
	refused: boolean;
	/** In which mode it was sent. */
	mode: Settings['mode'];
}

const REFUSALS = new Set([400, 401, 403, 404, 429]);

function effectOf(request: RecordedRequest, service: Service, mode: Settings['mode']): Effect | undefined {
	if (!/^(POST|PATCH|DELETE)$/.test(request.method)) return undefined;
	const path = request.path.replace(/^\/api\/public\/v1/, '');
	const body = (request.body ?? (request.file ? { filename: request.file } : {})) as Record<string, any>;
	// Of a multipart request that did not arrive, nothing is known.
	if (path === '/media' && !body.filename) return undefined;
	const said = JSON.stringify(body);
	const url: string | undefined = body.content?.media?.[0] ?? body.media?.[0];
	const file = url ? service.store.mediaByUrl.get(url)?.filename : undefined;
	const words = /thing-\d+/.exec(said)?.[0] ?? '';
	const does =
		request.method === 'PATCH'
			? 'update'
			: request.method === 'DELETE'
				? 'delete'
				: path.replace(/\/[a-z]+_[^/]+/, '');
	return {
		request,
		key: String(request.headers['idempotency-key']),
		does: `${does} ${path.split('/')[1]}`,
		workspace: request.workspace ?? String(request.headers['x-service-workspace-id'] ?? 'ws_main'),
		about:
			path.startsWith('/media') && body.filename
				? String(body.filename)
				: `${/\/((post|inb|wh)_[^/]+)/.exec(path)?.[1] ?? ''}${file ?? ''}${words}`,
		platforms: body.platform ? [body.platform] : (body.platforms ?? ['']),
		body: said,
		refused: REFUSALS.has(request.status),
		mode,
	};
}

interface World {
	posts: string[];
	webhooks: string[];
}

/** Posts and webhooks that operations may work on, made anew for each sequence. */
function prepare({ lifecycle, store, clock }: Service): World {
	// One account of each platform: which of two is meant is refused, not guessed.
	store.accounts.delete('acc_main_cafe');
	const at = { workspaceId: 'ws_main', createdAt: clock.iso() };
	const three = [0, 1, 2];
	const posts = three.map(() => {
		const content = { text: 'Old', media: [], extra: {}, draft: false };
		const { post } = lifecycle.create({
			...content,
			shape: 'integrationGuide',
			platforms: ['x'],
			scheduledAt: '2126-01-01T00:00:00Z',
			workspaceId: 'ws_main',
			brandId: 'brand_main',
		});
		return post.id;
	});
	const webhooks = three.map((n) => {
		const id = `wh_${n}old`;
		const url = 'https://example.com/old';
		const more = { description: null, status: 'active' as const, secret: 'x'.repeat(24) };
		store.webhooks.set(id, { ...at, ...more, id, url, events: ['inbox.lead.captured'] });
		return id;
	});
	return { posts, webhooks };
}

function itemOf({ label, file }: Thing, operation: Operation, world: World): INodeExecutionData {
	const json = {
		label,
		post: world.posts[label]!,
		inbox: INBOX[label]!,
		webhook: world.webhooks[label]!,
		file: 0,
	};
	if (!WITH_FILE.has(operation)) return { json };
	const bytes = Buffer.from(`file-${file}!`);
	return {
		json,
		binary: {
			data: {
				fileName: `file-${file}.png`,
				mimeType: 'image/png',
				data: bytes.toString('base64'),
				bytes: bytes.length,
			},
		},
	};
}

/** What an item's effects are about, see {@link Effect.about}. */
function aboutOf({ label, file }: Thing, operation: Operation, world: World): string {
	if (operation === 'upload' || operation === 'uploadDirect') return `file-${file}.png`;
	if (operation === 'createUploadUrl') return `thing-${label}.png`;
	if (operation === 'createWithFile') return `file-${file}.pngthing-${label}`;
	const id = ON_POSTS.has(operation)
		? world.posts[label]
		: operation === 'reply'
			? INBOX[label]
			: operation === 'webhookDelete'
				? world.webhooks[label]
				: '';
	const said = operation === 'cancel' || operation === 'delete' || operation === 'webhookDelete';
	return `${id}${said ? '' : `thing-${label}`}`;
}

const DOES: Record<Operation, string> = {
	create: '/posts posts',
	createWithFile: '/posts posts',
	update: 'update posts',
	cancel: '/posts/cancel posts',
	delete: 'delete posts',
	reply: '/inbox/reply inbox',
	webhookCreate: '/webhooks webhooks',
	webhookDelete: 'delete webhooks',
	upload: '/media/upload-url media',
	uploadDirect: '/media media',
	createUploadUrl: '/media/upload-url media',
};

/** One execution of the sequence, as it went. */
interface Ran {
	step: number;
	/** Which wish it belongs to, see {@link scopeOf}. */
	scope: string;
	operation: Operation;
	settings: Settings;
	things: Thing[];
	/** Output items by input item; undefined where the run failed. */
	outputs?: Array<{ item: number; json: IDataObject }>;
	requests: Effect[];
	/** The node can't know what the execution before has sent, and the keys depend on it. */
	blind: boolean;
	asNode: boolean;
	hints: string[];
	error?: string;
}

const counter = (): { readonly tick: number } => {
	let n = 0;
	return {
		get tick() {
			return n++;
		},
	};
};

let number = 0;

/**
 * Runs a sequence.
 * @returns what was wrong, and in words how each execution ended (`partly`: some items failed and the node went on), how
 * many writes reached the service and what it carried out: the number of the word in a text, or what else it did
 */
export async function courseOf(
	service: Service,
	one: Sequence,
): Promise<{ wrong: string[]; course: string }> {
	service.reset();
	const world = prepare(service);
	const ran = await play(service, one, world);
	const effects = ran.flatMap(({ requests }) => requests);
	const ended = ran.map(({ outputs = [] }) => {
		const failed = outputs.filter(({ json }) => 'error' in json).length;
		return outputs.length === failed ? 'failed' : failed > 0 ? 'partly' : 'done';
	});
	const carriedOut = effects
		.filter(({ request }) => request.acted)
		.map(({ body, does, workspace }) => {
			const what = /word \d/.exec(body)?.[0] ?? does.split(' ')[0];
			const [, note = ''] = /"note":(\d)/.exec(body) ?? [];
			return `${what}${note && ` note ${note}`}${workspace === 'ws_main' ? '' : ` in ${workspace}`}`;
		});
	const times = Object.entries(countBy(carriedOut)).map(([what, n]) => (n > 1 ? `${n} × ${what}` : what));
	return {
		wrong: check(one, ran, world),
		course: `${ended.join(', ')}; ${effects.length} sent: ${times.join(', ')}`,
	};
}

/** Runs a sequence; gives what was wrong. */
export const violations = async (service: Service, one: Sequence): Promise<string[]> =>
	(await courseOf(service, one)).wrong;

/** What the sequences so far had: node runs, writes that reached the service and that it carried out, items told as done. */
export const figures = { sequences: 0, runs: 0, requests: 0, carriedOut: 0, told: 0 };

async function play(service: Service, one: Sequence, world: World): Promise<Ran[]> {
	const ran: Ran[] = [];
	const variables = counter();
	figures.sequences++;
	let execution = { scope: 0, id: String(++number), token: `token-${number}`, retry: false };
	let context: IDataObject = {};
	/** As the execution found it: what a crash leaves. */
	let before = { context, round: 0 };
	let round = 0;
	let crashed = false;
	/** What the first execution of the wish left behind. */
	let first: { context: IDataObject; round: number } | undefined;
	let blindScope = 0;
	let things = one.things;
	let settings = one.settings;

	for (const [index, step] of one.steps.entries()) {
		const how = index === 0 ? 'again' : step.how;
		if (index > 0) {
			settings = { ...settings, ...step.change };
			if (how === 'again') things = [...things];
			else things = changed(things, step.items);
		}
		let blind = false;
		if (how === 'again' && index > 0) {
			execution = {
				scope: execution.scope + 1,
				id: String(++number),
				token: `token-${number}`,
				retry: false,
			};
			before = { context: {}, round: 0 };
			context = {};
			round = 0;
			first = undefined;
		} else if (index > 0 && (crashed || how !== 'loop')) {
			first ??= crashed ? before : { context, round };
			if (how === 'retryFirst') ({ context, round } = first);
			else if (crashed) ({ context, round } = before);
			// A sub-workflow is called again when its caller is retried: a new execution with the caller's token.
			if (one.as === 'subWorkflow' && index % 2 === 0) context = {};
			execution = { ...execution, id: String(++number), retry: true };
			before = { context, round };
			blind = !one.token && one.as !== 'subWorkflow' && Object.keys(context).length === 0;
			if (blind) blindScope++;
		} else if (index > 0) {
			round++;
		}
		crashed = step.crash;

		const operation: Operation =
			settings.operation && ON_POSTS.has(one.operation) ? settings.operation : one.operation;
		service.faults.clear();
		for (const name of step.faults)
			service.faults.add({ ...FAULTS[name], method: 'POST|PATCH|DELETE' } as Fault);
		for (const name of step.storeFaults)
			service.faults.add({ ...STORE_FAULTS[name], method: 'PUT' } as Fault);
		const from = service.requests.length;
		const contextData = JSON.parse(JSON.stringify(context)) as IDataObject;
		const input = things.map((each) => itemOf(each, operation, world));
		const credential = { ...credentialOf(service), workspaceId: '', postFormat: settings.format };
		const parameters = parametersOf(one, settings, operation);
		const shared = {
			credential,
			contextData,
			executionId: execution.id,
			variables,
			...(one.token && one.as !== 'subWorkflow' ? { resumeToken: execution.token } : {}),
		};
		figures.runs++;
		const result =
			one.as === 'tool'
				? await asTool(shared, parameters, things, operation, world)
				: await asNode({
						...shared,
						parameters,
						items: input,
						mode: execution.retry ? 'retry' : 'trigger',
						runIndex: round,
						...(one.as === 'subWorkflow' ? { callersToken: execution.token } : {}),
						node: {
							...(step.tries > 1 ? { retryOnFail: true, maxTries: step.tries, waitBetweenTries: 1 } : {}),
							...(one.continueOnFail ? { onError: 'continueRegularOutput' as const } : {}),
						},
					});
		context = result.context;
		const requests = service.requests
			.slice(from)
			.flatMap((request) => effectOf(request, service, settings.mode) ?? []);
		figures.requests += requests.length;
		figures.carriedOut += requests.filter(({ request }) => request.acted).length;
		figures.told += result.outputs?.filter(({ json }) => !('error' in json)).length ?? 0;
		ran.push({
			step: index,
			scope: `${execution.scope}.${settings.mode === 'execution' ? blindScope : ''}/${round}`,
			operation,
			settings,
			things,
			outputs: result.outputs,
			requests,
			blind: blind && settings.mode === 'execution',
			asNode: one.as === 'node',
			hints: result.hints,
			error: result.error,
		});
	}
	return ran;
}

interface Result {
	outputs?: Ran['outputs'];
	context: IDataObject;
	hints: string[];
	error?: string;
}

async function asNode(options: Parameters<typeof runNode>[0]): Promise<Result> {
	const result: RunResult = await runNode(options);
	const context = JSON.parse(JSON.stringify(result.run.data.executionData!.contextData)) as IDataObject;
	const hints = result.hints.map(({ message }) => String(message));
	if (result.error) return { context, hints, error: String(result.error.message) };
	return {
		context,
		hints,
		outputs: result.items.map(({ json, pairedItem }) => ({
			item: (pairedItem as { item: number }).item,
			json,
		})),
	};
}

/** Each thing is a call of its own; n8n gives a model's calls no input item. */
async function asTool(
	shared: Omit<Parameters<typeof runTool>[0], 'calls'>,
	parameters: IDataObject,
	things: Thing[],
	operation: Operation,
	world: World,
): Promise<Result> {
	const calls = things.map((each, runIndex) => ({
		runIndex,
		parameters: filledIn(parameters, itemOf(each, operation, world).json) as IDataObject,
	}));
	const results = await runTool({ ...shared, calls });
	return {
		context: JSON.parse(JSON.stringify(shared.contextData)) as IDataObject,
		hints: [],
		outputs: results.flatMap((one, item) =>
			Array.isArray(one)
				? one.map((json: IDataObject) => ({ item, json }))
				: [{ item, json: { error: true } }],
		),
	};
}

/** Expressions on the item, filled in as a model does. */
const filledIn = (parameters: unknown, json: IDataObject): unknown =>
	JSON.parse(
		JSON.stringify(parameters, (_name, value: unknown) =>
			typeof value === 'string' && value.startsWith('={{')
				? value.replace(/\$json\.(\w+)/g, (_all, name: string) => JSON.stringify(json[name]))
				: value,
		),
	);

function changed(things: Thing[], how: Step['items']): Thing[] {
	if (how === 'reverse') return [...things].reverse();
	if (how === 'dropFirst') return things.length > 1 ? things.slice(1) : things;
	if (how === 'addFront') return [{ label: 2, file: 1 }, ...things];
	if (how === 'addEnd') return [...things, { label: 2, file: 0 }];
	if (how === 'repeatFirst') return [things[0]!, ...things];
	return things;
}

/** Everything that is not as the rule says. */
function check(one: Sequence, ran: Ran[], world: World): string[] {
	const wrong: string[] = [];
	const contentIsWish = one.as !== 'node' || one.operation === 'reply';
	const expired = one.steps
		.flatMap(({ storeFaults }) => storeFaults)
		.filter((name) => name === 'expired').length;
	const acted = ran.flatMap(({ requests }) => requests.filter(({ request }) => request.acted));

	for (const run of ran) {
		const isDone = run.asNode && run.outputs?.some(({ json }) => !('error' in json));
		const isHinted = run.hints.some((hint) => /Same Text and Time/.test(hint));
		if (isDone && run.blind && !isHinted)
			wrong.push(`step ${run.step}: a retry without memory gives no hint`);
		if (isHinted && one.token) wrong.push(`step ${run.step}: a hint that says nothing`);
		if (!run.outputs) continue;
		checkReport(one, run, acted, world, wrong);
	}

	// (1) At the service: no wish more often than it was made.
	const wishes = new Map<string, { asked: number; tags: Set<number>; done: Effect[]; all: Effect[] }>();
	for (const run of ran) {
		const counts = new Map<string, number>();
		const wishesOf = (effect: Effect, platform: string): string =>
			[
				run.scope,
				effect.does,
				effect.workspace,
				effect.about,
				platform,
				contentIsWish ? effect.body : '',
			].join(' | ');
		for (const effect of run.requests)
			for (const platform of effect.platforms) {
				const name = wishesOf(effect, platform);
				const wish = wishes.get(name) ?? { asked: 0, tags: new Set(), done: [], all: [] };
				wishes.set(name, wish);
				wish.all.push(effect);
				if (effect.request.acted) wish.done.push(effect);
				if (run.settings.mode === 'custom') wish.tags.add(run.settings.customTag);
				counts.set(name, 0);
			}
		for (const name of counts.keys()) {
			const equal = run.things.filter((each) =>
				name.includes(` | ${aboutOf(each, run.operation, world)} | `),
			).length;
			const uploads = run.operation === 'createWithFile' && name.includes('/media/upload-url media');
			const files = uploads ? run.things.filter(({ file }) => name.includes(`file-${file}.png`)).length : 0;
			// For each address that the store takes for expired another one is asked for.
			const fresh =
				name.includes('/media/upload-url media') && run.operation !== 'createUploadUrl' ? expired : 0;
			const wish = wishes.get(name)!;
			wish.asked = Math.max(wish.asked, equal + fresh, files + fresh, 1);
		}
	}
	for (const [name, { asked, tags, done, all }] of wishes) {
		const once = contentIsWish && one.as === 'tool' ? 1 : asked;
		const most = Math.max(once, 1) * Math.max(1, tags.size);
		if (done.length > most) wrong.push(`carried out ${done.length} times instead of ${most}: ${name}`);
		// (1) As the sender sees it: after what may have been carried out, no other key.
		if (most === 1) {
			const open = all.findIndex(({ refused }) => !refused);
			const key = all[open]?.key;
			const other = open < 0 ? undefined : all.slice(open + 1).find((effect) => effect.key !== key);
			if (other) wrong.push(`another key after a request that may have been carried out: ${name}`);
		}
	}
	return [...new Set(wrong)];
}

/** (2) and (3) of one run that did not fail: each wish is there, each that is called done was sent as it is told. */
function checkReport(one: Sequence, run: Ran, acted: Effect[], world: World, wrong: string[]): void {
	const { operation, settings, things } = run;
	const wanted =
		operation.startsWith('create') && operation !== 'createUploadUrl' ? settings.platforms : [''];
	const told = new Map<Effect, string>();
	for (const [index, each] of things.entries()) {
		const mine = run.outputs!.filter(({ item }) => item === index);
		const about = aboutOf(each, operation, world);
		const at = `step ${run.step}, item ${index}`;
		const failed = mine.some(({ json }) => 'error' in json);
		const covered = new Set<string>();
		for (const { json } of mine) {
			if ('error' in json) continue;
			const key = String(json.idempotency_key);
			const effect = acted.find(
				(candidate) =>
					candidate.key === key &&
					candidate.does === DOES[operation] &&
					candidate.workspace === (settings.workspace || 'ws_main') &&
					candidate.about === about,
			);
			if (!effect) {
				wrong.push(`${at}: reported as done, but not sent: ${JSON.stringify(json).slice(0, 200)}`);
				continue;
			}
			for (const platform of effect.platforms) covered.add(platform);
			const other = told.get(effect);
			// In the other modes equal items are one post, and remain one when the mode is changed.
			const shared =
				[settings.mode, effect.mode].some((mode) => mode !== 'execution') ||
				one.as === 'tool' ||
				operation === 'reply';
			if (other !== undefined && !shared) wrong.push(`${at}: told as done by ${other}, too`);
			told.set(effect, at);
			const sent = JSON.parse(effect.body);
			const time = sent.scheduled_at ?? sent.schedule_at;
			if (time !== undefined && Date.parse(String(json.scheduled_at)) !== Date.parse(time))
				wrong.push(`${at}: another time than was sent`);
			const words = typeof sent.content === 'string' ? sent.content : sent.content?.text;
			if (words !== undefined && json.text !== words) wrong.push(`${at}: another text than was sent`);
			if (sent.platform && json.platform !== sent.platform)
				wrong.push(`${at}: another platform than was sent`);
		}
		if (!failed)
			for (const platform of wanted)
				if (!covered.has(platform)) wrong.push(`${at}: nothing is told of ${platform || 'it'}`);
	}
}
