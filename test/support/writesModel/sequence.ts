import fc from 'fast-check';
import { isEqual, pickBy, without } from 'lodash';

import type { Fault } from '../../service';
import { withinReach } from './reach';

/** What is drawn: a node, its input items and settings, and its runs one after the other. */

/** Where each operation stands in the node, and what its request does at the service, see `Effect.does`. */
export const OPERATIONS = {
	create: ['post', 'create', 'POST /posts'],
	createWithFile: ['post', 'create', 'POST /posts'],
	update: ['post', 'update', 'PATCH /posts'],
	cancel: ['post', 'cancel', 'POST /posts/cancel'],
	delete: ['post', 'delete', 'DELETE /posts'],
	reply: ['inbox', 'reply', 'POST /inbox/reply'],
	webhookCreate: ['webhook', 'create', 'POST /webhooks'],
	upload: ['media', 'upload', 'POST /media/upload-url'],
	createUploadUrl: ['media', 'createUploadUrl', 'POST /media/upload-url'],
} as const;
export type Operation = keyof typeof OPERATIONS;
export const UPLOAD = OPERATIONS.upload[2];

/** What a request that writes may meet. */
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
	failedBefore: { kind: 'error', code: 'PUBLIC_API_POST_CREATE_FAILED' },
	failedAfter: { kind: 'errorAfter', code: 'PUBLIC_API_POST_CREATE_FAILED' },
	gatewayBefore: { kind: 'status', status: 503 },
	gatewayAfter: { kind: 'status', status: 504, act: true },
	emptyAfter: { kind: 'empty' },
	garbledAfter: { kind: 'malformed' },
	/** Only in sequences by hand: the key is said to have been used. */
	conflict: { kind: 'error', code: 'PUBLIC_API_IDEMPOTENCY_CONFLICT' },
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

/** Plain objects: they are shown as they are. */
const record = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
	fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** The first in so many of seven, or of ten, times; else one of the others. */
const weighted =
	(usually: number, otherwise: number) =>
	<const T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
		fc.oneof(
			{ weight: usually, arbitrary: fc.constant(usual) },
			{ weight: otherwise, arbitrary: fc.constantFrom(...others) },
		);
const mostly = weighted(4, 3);
const rarely = weighted(9, 1);

/** Items with the same label are equal; a person who corrects them by hand gives them another number. */
const item = record({ label: fc.nat(2), number: fc.constant<number>(0) });
export type InputItem = Drawn<typeof item>;

/** `x2`: the second account of X. */
export type Target = 'x' | 'x2' | 'linkedin' | 'instagram';

/** What the user sets, and may change between executions. */
const changeable = {
	word: fc.nat(2),
	/** '': the credential's, which has none. */
	workspace: fc.constantFrom('', 'ws_main', 'ws_second'),
	targets: fc.constantFrom<readonly Target[]>(
		['linkedin'],
		['x'],
		['x', 'linkedin'],
		['linkedin', 'x'],
		['linkedin', 'instagram'],
		['x', 'linkedin', 'instagram'],
	),
	/** How a target is named: by its platform, or as an account. */
	named: mostly('platform', 'accountId', 'handle'),
	/** Items with the label 0 have no text: a check refuses them. */
	isEmpty: fc.boolean(),
	mode: mostly('execution', 'content', 'custom'),
	customTag: fc.nat(1),
	format: fc.constantFrom('integrationGuide', 'quickStart'),
	/** `moving`: a time in *Scheduled At* that is another one each time it is evaluated, as `$now.plus(1, 'hour')` is. */
	when: mostly('at', 'now', 'delay', 'moving', 'slot'),
};
const settings = record({
	...changeable,
	isEmpty: rarely<boolean>(false, true),
	/** How many different texts an expression gives in turn; 1: the same each time. */
	texts: mostly<number>(1, 2, 97),
});
export type Settings = Drawn<typeof settings>;

const change: fc.Arbitrary<Partial<Settings>> = fc.oneof(
	{ weight: 6, arbitrary: fc.constant({}) },
	...Object.entries(changeable).map(([name, arbitrary]) => ({
		weight: name === 'word' || name === 'targets' ? 2 : 1,
		arbitrary: record({ [name]: arbitrary as fc.Arbitrary<unknown> }),
	})),
);

const step = record({
	/** `again`: a new execution. `retryFirst`: the first try is retried once more. By hand each step is a press of *Execute step*. */
	how: fc.oneof(
		{ weight: 6, arbitrary: fc.constant('retry') },
		fc.constantFrom('loop', 'again', 'retryFirst'),
	),
	/** The process dies in the end: what this execution stored is lost. */
	crash: mostly<boolean>(false, true),
	/** After a crash n8n counts the run that is lost, so that the retry is the node's second one. */
	counted: fc.boolean(),
	/** *Preview* is on: nothing is sent, and nothing changes. */
	preview: rarely<boolean>(false, true),
	/** *Retry On Fail*. */
	tries: mostly(1, 2, 3),
	faults: fc.array(
		fc.oneof(
			fc.constant<FaultName>('none'),
			fc.constantFrom<FaultName>('lostAfter', 'failedAfter', 'rejected'),
			fc.constantFrom(...without(Object.keys(FAULTS) as FaultName[], 'conflict')),
		),
		{ maxLength: 5 },
	),
	storeFaults: fc.array(mostly<StoreFaultName>('none', 'expired', 'lostAfter', 'failed'), { maxLength: 3 }),
	/** No connection to the service. */
	offline: rarely<boolean>(false, true),
	/** The file server has nothing. */
	filesGone: rarely<boolean>(false, true),
	/** How the items change between two presses by hand. */
	items: mostly('same', 'reverse', 'dropFirst', 'addFront', 'addEnd', 'correctFirst'),
	change,
	/** Which rows come back from the error output in a round, or that they are led to a second node of the package. */
	back: mostly('none', 'all', 'first', 'last', 'withNew', 'split', 'secondNode'),
});
export type Step = Drawn<typeof step>;

const unbounded = record({
	operation: fc.oneof(
		{ weight: 8, arbitrary: fc.constant<Operation>('create') },
		{ weight: 7, arbitrary: fc.constantFrom(...(Object.keys(OPERATIONS) as Operation[])) },
	),
	/** How n8n runs the node; `callPerItem`: as a sub-workflow that is called once for each item. */
	as: mostly('node', 'tool', 'subWorkflow', 'callPerItem', 'byHand'),
	/** n8n gives executions a token (2.14 and later). */
	token: mostly<boolean>(true, false),
	onError: mostly('stop', 'continue', 'errorOutput'),
	/** In seconds: above 0 the node tries again by itself. */
	maxRetryWait: mostly<number>(0, 12),
	/** Where the files of items are: in memory, in n8n's file system (moved before a retry), behind an address. */
	files: mostly('memory', 'filesystem', 'remote'),
	/** X has two accounts: each is named, and posts to X go to both. */
	twoAccounts: rarely<boolean>(false, true),
	items: fc.array(item, { minLength: 1, maxLength: 3 }),
	settings,
	steps: fc.array(step, { minLength: 1, maxLength: 5 }),
});
export type Sequence = Drawn<typeof unbounded>;
export const sequence = unbounded.map(withinReach);

const usualStep: Step = {
	...{ how: 'retry', crash: false, counted: false, preview: false, tries: 1, faults: [], storeFaults: [] },
	...{ offline: false, filesGone: false, items: 'same', change: {}, back: 'none' },
};
const usualSettings: Settings = {
	...{ word: 0, workspace: '', targets: ['linkedin'], named: 'platform', isEmpty: false, mode: 'execution' },
	...{ customTag: 0, format: 'integrationGuide', when: 'at', texts: 1 },
};
const usual: Omit<Sequence, 'settings' | 'steps'> = {
	...{ operation: 'create', as: 'node', token: true, onError: 'stop', maxRetryWait: 0, files: 'memory' },
	...{ twoAccounts: false, items: [{ label: 0, number: 0 }] },
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

const unusual = <T extends object>(one: T, usual: T): Partial<T> =>
	pickBy(one, (value, name) => !isEqual(value, usual[name as keyof T])) as Partial<T>;

/** A sequence as a test by hand would have it: what is as usual is left out. */
export const givenOf = ({ settings, steps, ...more }: Sequence): Given => ({
	...unusual(more, usual),
	settings: unusual(settings, usualSettings),
	steps: steps.map((one) => unusual(one, usualStep)),
});
