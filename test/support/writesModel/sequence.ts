import fc from 'fast-check';
import type { INodeExecutionData } from 'n8n-workflow';

import type { Fault } from '../../service';
import { withinReach } from './reach';

/** What is drawn: a node, its input items and settings, and the executions one after the other. */

/** Where each operation stands in the node, and what its request does at the service, see `Effect.does`. */
export const OPERATIONS = {
	create: ['post', 'create', '/posts posts'],
	createWithFile: ['post', 'create', '/posts posts'],
	update: ['post', 'update', 'update posts'],
	cancel: ['post', 'cancel', '/posts/cancel posts'],
	delete: ['post', 'delete', 'delete posts'],
	reply: ['inbox', 'reply', '/inbox/reply inbox'],
	webhookCreate: ['webhook', 'create', '/webhooks webhooks'],
	webhookDelete: ['webhook', 'delete', 'delete webhooks'],
	upload: ['media', 'upload', '/media/upload-url media'],
	uploadDirect: ['media', 'uploadDirect', '/media media'],
	createUploadUrl: ['media', 'createUploadUrl', '/media/upload-url media'],
} as const;
export type Operation = keyof typeof OPERATIONS;

export const FAULTS = {
	none: { kind: 'headers' },
	lostBefore: { kind: 'dropBefore' },
	lostAfter: { kind: 'dropAfter' },
	rejected: { kind: 'error', code: 'PUBLIC_API_BODY_INVALID' },
	unauthorized: { kind: 'error', code: 'PUBLIC_API_KEY_INVALID' },
	forbidden: { kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN' },
	limited: { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '1' },
	/** Only posts are kept. */
	keptAsFailed: { kind: 'errorAfter', code: 'PUBLIC_API_PUBLISH_FAILED', path: '^/posts$' },
	unprocessable: { kind: 'status', status: 422 },
	failedBefore: { kind: 'error', code: 'PUBLIC_API_POST_CREATE_FAILED' },
	failedAfter: { kind: 'errorAfter', code: 'PUBLIC_API_POST_CREATE_FAILED' },
	gatewayBefore: { kind: 'status', status: 503 },
	gatewayAfter: { kind: 'status', status: 504, act: true },
	emptyAfter: { kind: 'empty' },
	garbledAfter: { kind: 'malformed' },
} satisfies Record<string, Fault>;
export type FaultName = keyof typeof FAULTS;

/** What goes wrong with the bytes of a file; `expired`: the store takes the address for one that is no longer valid. */
export const STORE_FAULTS = {
	none: { kind: 'headers' },
	expired: { kind: 'status', status: 403 },
	lostAfter: { kind: 'dropAfter' },
	failed: { kind: 'status', status: 503 },
} satisfies Record<string, Fault>;
type StoreFaultName = keyof typeof STORE_FAULTS;

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** One value in so many of seven, or of ten, times; else one of the others. */
const weighted =
	(usually: number, otherwise: number) =>
	<const T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
		fc.oneof(
			{ weight: usually, arbitrary: fc.constant(usual) },
			{ weight: otherwise, arbitrary: fc.constantFrom(...others) },
		);
const mostly = weighted(4, 3);
const rarely = weighted(9, 1);

/** An input item; two of the same are equal in everything that n8n shows of them. */
const item = fc.record({
	label: fc.nat(2),
	/** Which file it has, where the operation takes one. */
	file: fc.nat(1),
	/** Of the time of its post, where that is a column: equal posts may go out on several days. */
	day: rarely<number>(0, 1, 2),
	/** That time has passed. */
	past: rarely<boolean>(false, true),
	/** *Preview Only* is an expression on the item. */
	preview: rarely<boolean>(false, true),
});
export type InputItem = Pick<Drawn<typeof item>, 'label' | 'file'> &
	Partial<Drawn<typeof item>> &
	Partial<ComesBack>;

/** An item that failed comes back from the error output. */
interface ComesBack {
	/** Which row it was first. */
	row: string;
	/** Until now it was only previewed. */
	isFirst: boolean;
	/** As n8n hands it out; the workflow has put its file back. */
	back: INodeExecutionData;
}

export type Platform = 'x' | 'linkedin' | 'instagram';

/** What the user sets, and may change between executions. */
const changeable = {
	word: fc.nat(2),
	additional: fc.nat(2),
	/** '': the credential's, which has none. */
	workspace: fc.constantFrom('', 'ws_main', 'ws_second'),
	platforms: fc.constantFrom<readonly Platform[]>(
		['linkedin'],
		['x'],
		['x', 'linkedin'],
		['linkedin', 'x'],
		['linkedin', 'instagram'],
		['x', 'linkedin', 'instagram'],
		['instagram', 'linkedin', 'x'],
	),
	/** How the user says where posts go: the same account has six names. */
	postTo: mostly('platforms', 'entries', 'handleEntries', 'ids', 'names', 'handles'),
	/** The first of the platforms stands there twice, the second time by its ID. */
	isTwice: fc.boolean(),
	/** LinkedIn and Instagram have a text of their own. */
	ownText: fc.boolean(),
	/** LinkedIn has a field of its own. */
	ownField: fc.boolean(),
	/** Items with the label 0 have no text: nothing can be sent for them. */
	isEmpty: fc.boolean(),
	mode: mostly('execution', 'content', 'custom'),
	customTag: fc.nat(1),
	format: fc.constantFrom('integrationGuide', 'quickStart'),
	/** `moving`: a time in *Scheduled At* that is another one each time it is evaluated, as `$now.plus(1, 'hour')` is. */
	when: mostly('at', 'now', 'delay', 'moving', 'column', 'slot'),
	apiKey: fc.constantFrom('full', 'other'),
	ifPast: fc.constantFrom('fail', 'skip', 'publish'),
	/** *Wait for Publication*, where posts go out at once. */
	wait: fc.boolean(),
};
const settings = fc.record({
	...changeable,
	/** How many different texts an expression gives in turn; 1: the same each time. */
	texts: fc.constantFrom(1, 2, 97),
	isTwice: rarely<boolean>(false, true),
	ownField: rarely<boolean>(false, true),
	isEmpty: rarely<boolean>(false, true),
	apiKey: fc.constant<Drawn<typeof changeable.apiKey>>('full'),
	wait: rarely<boolean>(false, true),
});
/** The user changes the operation: works on posts only. */
const otherOperation = fc.constantFrom<Operation>('cancel', 'delete', 'update');
export type Settings = Drawn<typeof settings> & { operation?: Operation };

const OFTEN = ['word', 'platforms', 'postTo', 'operation'];
const change: fc.Arbitrary<Partial<Settings>> = fc.oneof(
	{ weight: 6, arbitrary: fc.constant({}) },
	...Object.entries({ ...changeable, operation: otherOperation }).map(([name, arbitrary]) => ({
		weight: OFTEN.includes(name) ? 2 : 1,
		arbitrary: fc.record({ [name]: arbitrary as fc.Arbitrary<unknown> }),
	})),
);

const step = fc.record({
	/** `retryFirst`: the first execution is retried once more. By hand all but a round are a press of *Execute step*. */
	how: fc.oneof(
		{ weight: 6, arbitrary: fc.constant('retry') },
		fc.constantFrom('loop', 'again', 'retryFirst'),
	),
	/** The process dies in the end: what this execution stored is lost. */
	crash: mostly<boolean>(false, true),
	/** After a crash n8n counts the run that is lost, so that the retry is the node's second one. */
	counted: fc.boolean(),
	/** *Preview Only* is on: nothing is sent, and nothing changes. */
	previewOnly: rarely<boolean>(false, true),
	tries: mostly(1, 2, 3),
	faults: fc.array(
		fc.oneof(
			fc.constant<FaultName>('none'),
			fc.constantFrom<FaultName>('lostAfter', 'failedAfter', 'rejected'),
			fc.constantFrom(...(Object.keys(FAULTS) as FaultName[])),
		),
		{ maxLength: 5 },
	),
	storeFaults: fc.array(mostly<StoreFaultName>('none', 'expired', 'lostAfter', 'failed'), { maxLength: 3 }),
	items: mostly('same', 'reverse', 'dropFirst', 'addFront', 'addEnd', 'repeatFirst'),
	change,
	/** Which failures come back in a round, where they are connected with the node; the others may come later. */
	back: mostly('none', 'all', 'first', 'last', 'withNew'),
	/** Accounts are connected anew (same name, new ID), what was done is undone, or the file server has nothing. */
	meanwhile: mostly('nothing', 'reconnect', 'undo', 'filesGone'),
});
/** What is in doubt is refused, and then corrected. */
const corrected = fc
	.tuple(fc.tuple(step, step, step), fc.constantFrom<FaultName>('lostBefore', 'lostAfter'), fc.nat(2))
	.map(([[first, second, third], lost, word]) => {
		const plain = { how: 'retry', crash: false, previewOnly: false, tries: 1 } as const;
		return [
			{ ...first, ...plain, faults: [lost] },
			{ ...second, ...plain, faults: ['rejected' as const], change: {} },
			{ ...third, ...plain, faults: [], change: { word } },
		];
	});

/** `retries`: by hand, the run of this press is retried from the list of executions, as it was. */
export type Step = Drawn<typeof step> & { retries?: { execution: number; step: number } };

const unbounded = fc.record({
	operation: fc.oneof(
		{ weight: 6, arbitrary: fc.constant<Operation>('create') },
		{ weight: 8, arbitrary: fc.constantFrom(...(Object.keys(OPERATIONS) as Operation[])) },
	),
	/** How n8n runs the node; `byHand`: *Execute step*, each press an execution of its own. */
	as: mostly('node', 'tool', 'subWorkflow', 'byHand'),
	/** n8n gives executions a token (2.14 and later). */
	token: mostly<boolean>(true, false),
	continueOnFail: mostly<boolean>(false, true),
	/** It goes on, and what failed goes through the error output back to the node. */
	errorOutput: mostly<boolean>(false, true),
	concurrency: mostly(1, 5),
	/** In seconds: above 0 the node tries again by itself. */
	rateLimitTimeout: mostly(0, 60),
	filler: mostly<number>(0, 0, 0, 40_000),
	/** Where the files of items are: in memory, in n8n's file system (a new ID in each execution, and moved before a retry), behind an address. */
	files: mostly('memory', 'filesystem', 'remote'),
	/** Items say when they were made: they are others at each press, and in each call of a sub-workflow. */
	stamped: mostly<boolean>(false, true),
	/** X has two accounts, and posts to X go to both. */
	twoAccounts: rarely<boolean>(false, true),
	/** Each item has another file besides. */
	twoFiles: rarely<boolean>(false, true),
	/** Options are expressions on the item, see `ofRow` in parameters.ts. */
	byRow: rarely<boolean>(false, true),
	/** *Max Posts per Execution*; 0: no limit. */
	maxPosts: rarely(0, 1, 2, 4),
	items: fc.array(item as fc.Arbitrary<InputItem>, { minLength: 1, maxLength: 3 }),
	settings: settings as fc.Arbitrary<Settings>,
	steps: fc.oneof(
		{ weight: 9, arbitrary: fc.array(step, { minLength: 1, maxLength: 5 }) },
		{ weight: 1, arbitrary: corrected },
	),
});
export type Sequence = Omit<Drawn<typeof unbounded>, 'steps'> & { steps: Step[] };
export const sequence = unbounded.map(withinReach);

export const usualStep: Step = {
	...{ how: 'retry', crash: false, counted: false, previewOnly: false, tries: 1 },
	...{ faults: [], storeFaults: [], items: 'same', change: {}, back: 'none', meanwhile: 'nothing' },
};
const usualSettings: Settings = {
	...{ texts: 1, word: 0, additional: 0, workspace: '', platforms: ['linkedin'], postTo: 'platforms' },
	...{ isTwice: false, ownText: false, ownField: false, isEmpty: false, mode: 'execution', customTag: 0 },
	...{ format: 'integrationGuide', when: 'at', apiKey: 'full' },
	...{ ifPast: 'fail', wait: false },
};
const usual: Omit<Sequence, 'settings' | 'steps'> = {
	...{ operation: 'create', as: 'node', token: true, continueOnFail: false, errorOutput: false },
	...{ concurrency: 1, rateLimitTimeout: 0, filler: 0, files: 'memory', stamped: false },
	...{ twoAccounts: false, twoFiles: false, byRow: false, maxPosts: 0, items: [{ label: 0, file: 0 }] },
};

/** A sequence by hand: what is not given is as usual. */
export type Given = Partial<Omit<Sequence, 'settings' | 'steps'>> & {
	settings?: Partial<Settings>;
	steps: ReadonlyArray<Readonly<Partial<Step>>>;
};

export const sequenceOf = ({ settings, steps, ...more }: Given): Sequence => ({
	...{ ...usual, ...more, settings: { ...usualSettings, ...settings } },
	steps: steps.map((one) => ({ ...usualStep, ...one })),
});
