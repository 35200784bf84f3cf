import fc from 'fast-check';

import { startService, type Service } from '../../../support/writes';
import {
	courseOf,
	figures,
	sequence,
	sequenceOf,
	violations,
	type Course,
} from '../../../support/writesModel';

const a = { label: 0, file: 0 };
const b = { label: 1, file: 0 };
const otherFile = { label: 0, file: 1 };

/** One after the other: how each execution ends, how many writes reach the service, what of them is carried out. */
type Named = [
	what: string,
	given: Parameters<typeof sequenceOf>[0],
	ended: Course['ended'],
	sent: number,
	carriedOut: string[],
];

/** Sequences that sent something twice, or never, in some state of the code; and one for each promise. */
const named: Named[] = [
	[
		'a retry sends what was refused, and asks nothing for what was answered',
		{ things: [a, b], steps: [{ faults: ['none', 'refused'] }, {}] },
		['failed', 'done'],
		3,
		['0', '0'],
	],
	[
		'a text that moved on is sent as it was first',
		{ settings: { moves: 97 }, steps: [{ faults: ['lostAfter'] }, {}] },
		['failed', 'done'],
		2,
		['0'],
	],
	[
		'Retry On Fail with a text that moves and lost answers',
		{ settings: { moves: 97 }, steps: [{ tries: 3, faults: ['lostAfter', 'lostAfter'] }] },
		['done'],
		3,
		['0'],
	],
	[
		'corrections keep the key, also where an older execution is retried once more',
		{
			steps: [
				{ faults: ['refused'] },
				{ change: { word: 1 }, faults: ['refused'] },
				{ change: { word: 2 } },
				{ how: 'retryFirst', change: { word: 0 } },
			],
		},
		['failed', 'failed', 'done', 'failed'],
		4,
		['2'],
	],
	[
		'a refusal after a lost answer does not unfreeze the request',
		{
			steps: [
				{ faults: ['lostAfter'] },
				{ change: { word: 1 }, faults: ['unauthorized'] },
				{ change: { word: 2 } },
			],
		},
		['failed', 'failed', 'done'],
		3,
		['0'],
	],
	[
		'a post that the service kept with 422 is final',
		{ steps: [{ faults: ['persisted'] }, { change: { word: 1 } }] },
		['failed', 'failed'],
		1,
		['0'],
	],
	[
		'items in another order keep their posts',
		{
			things: [a, b, { label: 2, file: 0 }, a],
			steps: [{ faults: ['none', 'none', 'refused'] }, { items: 'reverse' }],
		},
		['failed', 'done'],
		5,
		['0', '0', '0', '0'],
	],
	[
		'a crash leaves the key; another text is a conflict then',
		{ steps: [{ crash: true }, { crash: true }, { change: { word: 1 } }] },
		['done', 'done', 'failed'],
		3,
		['0'],
	],
	[
		'each new execution sends anew, and each of its equal items',
		{ things: [a, a], steps: [{}, { how: 'again' }, { how: 'loop' }] },
		['done', 'done', 'done'],
		6,
		['0', '0', '0', '0', '0', '0'],
	],
	[
		'in mode Same Text and Time a new execution sends nothing, but other text and other fields',
		{
			settings: { mode: 'content' },
			steps: [
				{},
				{ how: 'again' },
				{ how: 'again', change: { word: 1 } },
				{ how: 'again', change: { additional: 1 } },
			],
		},
		['done', 'done', 'done', 'done'],
		4,
		['0', '1', '1 note 1'],
	],
	[
		'in mode My Own ID another ID is another write, and another text with the same ID a conflict',
		{
			settings: { mode: 'custom', platforms: ['x', 'linkedin'] },
			steps: [{}, { change: { customTag: 1 } }, { how: 'again', change: { word: 1 } }],
		},
		['done', 'done', 'failed'],
		6,
		['0', '0', '0', '0'],
	],
	...(['execution', 'content'] as const).map((mode): Named => [
		`a webhook, of which no answer is kept, stays one after a refusal and with other words, in mode ${mode}`,
		{
			operation: 'webhookCreate',
			settings: { mode },
			steps: [{}, { faults: ['unauthorized'], change: { word: 1 } }, { change: { word: 2 } }],
		},
		['done', 'failed', 'failed'],
		3,
		['0'],
	]),
	[
		'large requests are kept like any other',
		{
			things: [a, b],
			filler: 900_000,
			steps: [{ faults: ['none', 'failedAfter'] }, { change: { word: 1 } }, { faults: ['unauthorized'] }],
		},
		['failed', 'done', 'done'],
		3,
		['0', '0'],
	],
	[
		'Quick Start: platforms that shared a request stay together, whichever texts are equal later',
		{
			settings: { format: 'quickStart', platforms: ['x', 'linkedin', 'instagram'] },
			steps: [
				{ faults: ['lostAfter'] },
				{ change: { ownText: true }, faults: ['lostBefore'] },
				{ change: { ownText: false } },
			],
		},
		['failed', 'failed', 'done'],
		3,
		['0'],
	],
	...[false, true].map((accounts): Named => [
		`Quick Start: only ${accounts ? 'accounts' : 'platforms'} that are added are sent`,
		{
			settings: { format: 'quickStart', platforms: ['linkedin'], accounts },
			steps: [{ faults: ['lostAfter'] }, { change: { platforms: ['x', 'linkedin', 'instagram'] } }],
		},
		['failed', 'done'],
		accounts ? 4 : 3,
		accounts ? ['0', '0', '0'] : ['0', '0'],
	]),
	[
		'a correction of the additional fields takes effect',
		{ settings: { additional: 1 }, steps: [{ faults: ['refused'] }, { change: { additional: 2 } }] },
		['failed', 'done'],
		2,
		['0 note 2'],
	],
	...(['execution', 'custom'] as const).map((mode): Named => [
		`a correction of the workspace takes effect, in mode ${mode}`,
		{ settings: { mode }, steps: [{ faults: ['forbidden'] }, { change: { workspace: 'ws_second' } }] },
		['failed', 'done'],
		2,
		['0 in ws_second'],
	]),
	[
		"a model's calls are told apart by what they send, and where to",
		{
			as: 'tool',
			things: [a, b],
			steps: [
				{},
				{ change: { workspace: 'ws_second' } },
				{ change: { additional: 1 } },
				{ change: { additional: 2 } },
				{},
				{ how: 'again' },
			],
		},
		['done', 'done', 'done', 'done', 'done', 'done'],
		10,
		['', ' in ws_second', ' note 1 in ws_second', ' note 2 in ws_second', ' note 2 in ws_second'].flatMap(
			(more) => [`0${more}`, `0${more}`],
		),
	],
	[
		'a model that repeats itself',
		{ as: 'tool', things: [a, a, a], steps: [{ faults: ['lostAfter'] }] },
		['partly'],
		2,
		['0'],
	],
	[
		'a model that calls in another order after a crash',
		{ as: 'tool', things: [a, b], steps: [{ crash: true }, { items: 'reverse' }] },
		['done', 'done'],
		4,
		['0', '0'],
	],
	[
		'an item whose file never arrived stood in front, and is gone',
		{
			operation: 'createWithFile',
			continueOnFail: true,
			things: [b, { label: 0, file: 1 }],
			steps: [
				{ faults: ['none', 'none', 'lostAfter'], storeFaults: ['failed', 'none'] },
				{ items: 'dropFirst' },
			],
		},
		['failed', 'done'],
		4,
		['/media/upload-url', '/media/upload-url', '0'],
	],
	[
		'of two equal items each is sent once, also where another one comes in front',
		{ things: [a, a], steps: [{ faults: ['none', 'lostBefore'] }, { items: 'addFront' }] },
		['failed', 'done'],
		4,
		['0', '0', '0'],
	],
	[
		'one of two equal items comes to the place of another one',
		{
			continueOnFail: true,
			things: [b, a],
			steps: [
				{ faults: ['lostAfter', 'lostAfter'] },
				{ items: 'dropFirst', faults: ['lostBefore'] },
				{ items: 'repeatFirst' },
			],
		},
		['failed', 'failed', 'done'],
		5,
		['0', '0', '0'],
	],
	[
		'the same data with another file is another item',
		{
			operation: 'uploadDirect',
			things: [a, otherFile],
			steps: [{ faults: ['none', 'lostBefore'] }, { items: 'reverse' }],
		},
		['failed', 'done'],
		2,
		['/media', '/media'],
	],
	...(['upload', 'uploadDirect'] as const).map((operation): Named => [
		`${operation}: another mode sends no file again`,
		{
			operation,
			settings: { mode: 'custom' },
			steps: [{ faults: ['lostAfter'] }, { change: { mode: 'content' } }],
		},
		['failed', 'done'],
		2,
		[operation === 'upload' ? '/media/upload-url' : '/media'],
	]),
	[
		'an item that is put in front has an upload of its own, though its bytes are those of the next',
		{
			operation: 'upload',
			things: [a, b, { label: 2, file: 1 }],
			steps: [{}, { items: 'repeatFirst' }],
		},
		['done', 'done'],
		4,
		Array(4).fill('/media/upload-url'),
	],
	[
		'another workspace has an upload of its own',
		{ operation: 'upload', steps: [{}, { change: { workspace: 'ws_second' } }] },
		['done', 'done'],
		2,
		['/media/upload-url', '/media/upload-url in ws_second'],
	],
	[
		'Cancel, then Delete, which the service refuses for a canceled post',
		{ operation: 'cancel', steps: [{}, { change: { operation: 'delete' } }] },
		['done', 'failed'],
		2,
		['/posts/cancel'],
	],
	[
		'Delete without an answer, then Update',
		{ operation: 'delete', steps: [{ faults: ['lostBefore'] }, { change: { operation: 'update' } }] },
		['failed', 'done'],
		2,
		['0'],
	],
	[
		'n8n without tokens: a retry without memory says so',
		{ token: false, steps: [{ crash: true }, {}] },
		['done', 'done'],
		2,
		['0', '0'],
	],
];

/**
 * The rule of docs/idempotency.md over random sequences. `MODEL_RUNS=20000 MODEL_SEED=…` runs more, or the same again;
 * `MODEL_PATH` goes to the shrunk sequence at once.
 */
describe('the record of writes, over random sequences', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	afterAll(async () => await service.close());

	test.each(named)('%s', async (_what, given, ended, sent, carriedOut) => {
		const course = await courseOf(service, sequenceOf(given));
		expect(course).toEqual({ wrong: [], ended, sent, carriedOut });
	});

	const { MODEL_RUNS, MODEL_SEED, MODEL_PATH } = process.env;
	const numRuns = Number(MODEL_RUNS ?? 200);
	const seed = MODEL_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(MODEL_SEED);

	test(
		`${numRuns} sequences (MODEL_SEED=${seed})`,
		async () => {
			await fc.assert(
				fc.asyncProperty(sequence, async (one) => {
					expect(await violations(service, one)).toEqual([]);
				}),
				{ numRuns, seed, path: MODEL_PATH, endOnFailure: false },
			);
			if (MODEL_PATH !== undefined) return;
			// A node that does nothing keeps the rule, too.
			expect(figures.sequences).toBeGreaterThanOrEqual(numRuns);
			for (const count of [figures.runs, figures.carriedOut, figures.told])
				expect(count).toBeGreaterThan(numRuns);
		},
		60_000 + numRuns * 500,
	);
});
