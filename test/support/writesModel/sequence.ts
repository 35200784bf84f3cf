import fc from 'fast-check';

import type { Fault } from '../../service';
import { withinReach } from './reach';

/** What is drawn: a node, its input items and settings, and the executions one after the other. */

const OPERATIONS = [
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
/** `toDraft`, `toScheduled`: an update of the status only. */
export type Operation = (typeof OPERATIONS)[number] | 'toDraft' | 'toScheduled';

export const FAULTS = {
	none: { kind: 'headers' },
	lostBefore: { kind: 'dropBefore' },
	lostAfter: { kind: 'dropAfter' },
	rejected: { kind: 'error', code: 'PUBLIC_API_BODY_INVALID' },
	unauthorized: { kind: 'error', code: 'PUBLIC_API_KEY_INVALID' },
	forbidden: { kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN' },
	limited: { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '1' },
	keptAsFailed: { kind: 'errorAfter', code: 'PUBLIC_API_PUBLISH_FAILED' },
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

/** An input item; two of the same are equal in everything that n8n shows of them. */
export interface InputItem {
	label: number;
	/** Which file it has, where the operation takes one. */
	file: number;
	/** *Preview Only* is an expression on the item. */
	preview?: boolean;
}

export type Platform = 'x' | 'linkedin' | 'instagram';

/** What the user set, as far as it changes between executions. */
export interface Settings {
	/** How many different texts an expression gives in turn; 1: the same each time. */
	texts: 1 | 2 | 97;
	/** A word in the text that the user changes. */
	word: number;
	additional: number;
	/** '' : the credential's, which has none. */
	workspace: '' | 'ws_main' | 'ws_second';
	platforms: readonly Platform[];
	/** How the user says where posts go: the same account has six names. */
	postTo: 'platforms' | 'entries' | 'handleEntries' | 'ids' | 'names' | 'handles';
	/** The first of the platforms stands there twice, the second time by its ID. */
	isTwice: boolean;
	/** LinkedIn and Instagram have a text of their own. */
	ownText: boolean;
	/** LinkedIn has a field of its own. */
	ownField: boolean;
	/** Items with the label 0 have no text: nothing can be sent for them. */
	isEmpty: boolean;
	mode: 'execution' | 'content' | 'custom';
	customTag: number;
	format: 'integrationGuide' | 'quickStart';
	/** `moving`: a time in *Scheduled At* that is another one each time it is evaluated, as `$now.plus(1, 'hour')` is. */
	when: 'at' | 'now' | 'delay' | 'moving';
	/** Which API key the credential holds. */
	apiKey: 'full' | 'other';
	/** The user changes the operation: works on posts only. */
	operation?: 'cancel' | 'delete' | 'update' | 'toDraft' | 'toScheduled';
}

export interface Step {
	/**
	 * `retry` of what came before or of the first execution once more, the next round of a loop, or a new execution.
	 * By hand all but a round are a press of *Execute step*.
	 */
	how: 'retry' | 'retryFirst' | 'loop' | 'again';
	/** The process dies in the end: what this execution stored is lost. */
	crash: boolean;
	/** *Preview Only* is on: nothing is sent, and nothing changes. */
	previewOnly: boolean;
	/** *Approved Code* has the codes of a preview before it, or one of another post. */
	approval: 'none' | 'approved' | 'wrong';
	/** Tries of Retry On Fail. */
	tries: 1 | 2 | 3;
	faults: FaultName[];
	storeFaults: StoreFaultName[];
	items: 'same' | 'reverse' | 'dropFirst' | 'addFront' | 'addEnd' | 'repeatFirst';
	change: Partial<Settings>;
	/**
	 * What others do before it: all accounts are connected anew, under the same name with a new ID, or what was done to
	 * posts is undone; or the server with the files has none of them for this execution.
	 */
	meanwhile: 'nothing' | 'reconnect' | 'undo' | 'filesGone';
}

export interface Sequence {
	operation: Operation;
	/** How n8n runs the node; `byHand`: *Execute step*, each press an execution of its own. */
	as: 'node' | 'tool' | 'subWorkflow' | 'byHand';
	/** n8n gives executions a token (2.14 and later). */
	token: boolean;
	continueOnFail: boolean;
	concurrency: 1 | 5;
	/** In seconds: above 0 the node tries again by itself. */
	rateLimitTimeout: 0 | 60;
	/** Length of a filler in the texts. */
	filler: number;
	/** Where the files of items are: in memory, in n8n's file system (a new ID in each execution), behind an address. */
	files: 'memory' | 'filesystem' | 'remote';
	/** *Max Posts per Execution*; 0: no limit. */
	mostPosts: 0 | 1 | 2 | 4;
	items: InputItem[];
	settings: Settings;
	steps: Step[];
}

const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
	fc.oneof(
		{ weight: 4, arbitrary: fc.constant(usual) },
		{ weight: 3, arbitrary: fc.constantFrom(...others) },
	);
const rarely = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
	fc.oneof(
		{ weight: 9, arbitrary: fc.constant(usual) },
		{ weight: 1, arbitrary: fc.constantFrom(...others) },
	);

const item = fc.record({ label: fc.nat(2), file: fc.nat(1), preview: rarely(false, true) });
const workspace = fc.constantFrom<Settings['workspace']>('', 'ws_main', 'ws_second');
const platforms = fc.constantFrom<Settings['platforms']>(
	['linkedin'],
	['x'],
	['x', 'linkedin'],
	['linkedin', 'x'],
	['linkedin', 'instagram'],
	['x', 'linkedin', 'instagram'],
	['instagram', 'linkedin', 'x'],
);
const postTo = mostly<Settings['postTo']>(
	'platforms',
	...(['entries', 'handleEntries', 'ids', 'names', 'handles'] as const),
);
const mode = mostly<Settings['mode']>('execution', 'content', 'custom');
const when = mostly<Settings['when']>('at', 'now', 'delay', 'moving');

const change: fc.Arbitrary<Partial<Settings>> = fc.oneof(
	{ weight: 6, arbitrary: fc.constant({}) },
	{ weight: 2, arbitrary: fc.record({ word: fc.nat(2) }) },
	fc.record({ additional: fc.nat(2) }),
	fc.record({ workspace }),
	{ weight: 2, arbitrary: fc.record({ platforms }) },
	fc.record({ mode }),
	fc.record({ customTag: fc.nat(1) }),
	fc.record({ ownText: fc.boolean() }),
	fc.record({ ownField: fc.boolean() }),
	{ weight: 2, arbitrary: fc.record({ postTo }) },
	fc.record({ isTwice: fc.boolean() }),
	fc.record({ isEmpty: fc.boolean() }),
	fc.record({ format: fc.constantFrom<Settings['format']>('integrationGuide', 'quickStart') }),
	fc.record({ when }),
	fc.record({ apiKey: fc.constantFrom<Settings['apiKey']>('full', 'other') }),
	{
		weight: 2,
		arbitrary: fc.record({
			operation: fc.constantFrom<Settings['operation']>(
				'cancel',
				'delete',
				'update',
				'toDraft',
				'toScheduled',
			),
		}),
	},
);

const step: fc.Arbitrary<Step> = fc.record({
	how: fc.oneof(
		{ weight: 6, arbitrary: fc.constant<Step['how']>('retry') },
		fc.constantFrom<Step['how']>('loop', 'again', 'retryFirst'),
	),
	crash: mostly(false, true),
	previewOnly: rarely(false, true),
	approval: rarely<Step['approval']>('none', 'approved', 'wrong'),
	tries: mostly<Step['tries']>(1, 2, 3),
	faults: fc.array(
		fc.oneof(
			fc.constant<FaultName>('none'),
			fc.constantFrom<FaultName>('lostAfter', 'failedAfter', 'rejected'),
			fc.constantFrom<FaultName>(...(Object.keys(FAULTS) as FaultName[])),
		),
		{ maxLength: 5 },
	),
	storeFaults: fc.array(mostly<StoreFaultName>('none', 'expired', 'lostAfter', 'failed'), { maxLength: 3 }),
	items: mostly<Step['items']>('same', 'reverse', 'dropFirst', 'addFront', 'addEnd', 'repeatFirst'),
	change,
	meanwhile: mostly<Step['meanwhile']>('nothing', 'reconnect', 'undo', 'filesGone'),
});

export const sequence: fc.Arbitrary<Sequence> = fc
	.record({
		operation: fc.oneof(
			{ weight: 6, arbitrary: fc.constant<Operation>('create') },
			{ weight: 8, arbitrary: fc.constantFrom<Operation>(...OPERATIONS) },
		),
		as: mostly<Sequence['as']>('node', 'tool', 'subWorkflow', 'byHand'),
		token: mostly(true, false),
		continueOnFail: mostly(false, true),
		concurrency: mostly<Sequence['concurrency']>(1, 5),
		rateLimitTimeout: mostly<Sequence['rateLimitTimeout']>(0, 60),
		filler: mostly<Sequence['filler']>(0, 0, 0, 40_000),
		files: mostly<Sequence['files']>('memory', 'filesystem', 'remote'),
		mostPosts: rarely<Sequence['mostPosts']>(0, 1, 2, 4),
		items: fc.array(item, { minLength: 1, maxLength: 3 }),
		settings: fc.record({
			texts: fc.constantFrom<Settings['texts']>(1, 2, 97),
			word: fc.nat(2),
			additional: fc.nat(2),
			workspace,
			platforms,
			postTo,
			isTwice: rarely(false, true),
			ownText: fc.boolean(),
			ownField: rarely(false, true),
			isEmpty: rarely(false, true),
			mode,
			customTag: fc.nat(1),
			format: fc.constantFrom<Settings['format']>('integrationGuide', 'quickStart'),
			when,
			apiKey: fc.constant<Settings['apiKey']>('full'),
		}),
		steps: fc.array(step, { minLength: 1, maxLength: 5 }),
	})
	.map(withinReach);

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
		rateLimitTimeout: 0,
		filler: 0,
		files: 'memory',
		mostPosts: 0,
		items: [{ label: 0, file: 0 }],
		settings: {
			texts: 1,
			word: 0,
			additional: 0,
			workspace: '',
			platforms: ['linkedin'],
			postTo: 'platforms',
			isTwice: false,
			ownText: false,
			ownField: false,
			isEmpty: false,
			mode: 'execution',
			customTag: 0,
			format: 'integrationGuide',
			when: 'at',
			apiKey: 'full',
			...settings,
		},
		steps: steps.map((step) => ({
			how: 'retry',
			crash: false,
			previewOnly: false,
			approval: 'none',
			tries: 1,
			faults: [],
			storeFaults: [],
			items: 'same',
			change: {},
			meanwhile: 'nothing',
			...step,
		})),
		...more,
	};
}
