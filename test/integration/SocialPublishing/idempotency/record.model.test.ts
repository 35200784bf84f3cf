import fc from 'fast-check';

import { startService, type Service } from '../../../support/writes';
import {
	courseOf,
	figures,
	sequence,
	sequenceOf,
	violations,
	type Settings,
} from '../../../support/writesModel';

const a = { label: 0, file: 0 };
const b = { label: 1, file: 0 };
const otherFile = { label: 0, file: 1 };

const c = { label: 2, file: 0 };
const retryWith = (change: Partial<Settings>) => [{}, { change }];
const afterLoss = (change: Partial<Settings> = {}) => [{ faults: ['lostAfter' as const] }, { change }];
const afterRefusal = (change: Partial<Settings>) => [{ faults: ['forbidden' as const] }, { change }];

/** Sequences that sent something twice, or never, in some state of the code; and how they go. */
const named: Record<string, [given: Parameters<typeof sequenceOf>[0], course: string]> = {
	'a retry sends what was refused, and nothing that was answered': [
		{ items: [a, b], steps: [{ faults: ['none', 'rejected'] }, {}] },
		'failed, done; 3 sent: 2 × word 0',
	],
	'a text that moved on is sent as it was first': [
		{ settings: { texts: 97 }, steps: afterLoss() },
		'failed, done; 2 sent: word 0',
	],
	'Retry On Fail with a text that moves and lost answers': [
		{ settings: { texts: 97 }, steps: [{ tries: 3, faults: ['lostAfter', 'lostAfter'] }] },
		'done; 3 sent: word 0',
	],
	'corrections keep the key, also where an older execution is retried once more': [
		{
			steps: [
				{ faults: ['rejected'] },
				{ change: { word: 1 }, faults: ['rejected'] },
				{ change: { word: 2 } },
				{ how: 'retryFirst', change: { word: 0 } },
			],
		},
		'failed, failed, done, failed; 4 sent: word 2',
	],
	'a refusal after a lost answer does not unfreeze the request': [
		{
			steps: [
				{ faults: ['lostAfter'] },
				{ change: { word: 1 }, faults: ['unauthorized'] },
				{ change: { word: 2 } },
			],
		},
		'failed, failed, done; 3 sent: word 0',
	],
	'a post that the service kept with 422 is final': [
		{ steps: [{ faults: ['keptAsFailed'] }, { change: { word: 1 } }] },
		'failed, failed; 1 sent: word 0',
	],
	'items in another order keep their posts': [
		{ items: [a, b, c, a], steps: [{ faults: ['none', 'none', 'rejected'] }, { items: 'reverse' }] },
		'failed, done; 5 sent: 4 × word 0',
	],
	'a crash leaves the key; another text is a conflict then': [
		{ steps: [{ crash: true }, { crash: true }, { change: { word: 1 } }] },
		'done, done, failed; 3 sent: word 0',
	],
	'each execution and each round of a loop sends anew, each of its equal items': [
		{ items: [a, a], steps: [{}, { how: 'again' }, { how: 'loop' }] },
		'done, done, done; 6 sent: 6 × word 0',
	],
	'in mode Same Text and Time a new execution sends only other text and other fields': [
		{
			settings: { mode: 'content' },
			steps: [{}, { word: 1 }, { additional: 1 }].map((change) => ({ how: 'again', change })),
		},
		'done, done, done; 3 sent: word 0, word 1, word 1 note 1',
	],
	'in mode My Own ID another ID is another write, another text with the same ID a conflict': [
		{
			settings: { mode: 'custom', platforms: ['x', 'linkedin'] },
			steps: [{}, { change: { customTag: 1 } }, { how: 'again', change: { word: 1 } }],
		},
		'done, done, failed; 6 sent: 4 × word 0',
	],
	'a webhook, of which no answer is kept, stays one after a refusal and with other words': [
		{
			operation: 'webhookCreate',
			settings: { mode: 'content' },
			steps: [{}, { faults: ['unauthorized'], change: { word: 1 } }, { change: { word: 2 } }],
		},
		'done, failed, failed; 3 sent: word 0',
	],
	'large requests are kept like any other': [
		{
			items: [a, b],
			filler: 900_000,
			steps: [{ faults: ['none', 'failedAfter'] }, { change: { word: 1 } }, { faults: ['unauthorized'] }],
		},
		'failed, done, done; 3 sent: 2 × word 0',
	],
	'Quick Start: platforms that shared a request stay together, whichever texts are equal later': [
		{
			settings: { format: 'quickStart', platforms: ['x', 'linkedin', 'instagram'] },
			steps: [
				{ faults: ['lostAfter'] },
				{ change: { ownText: true }, faults: ['lostBefore'] },
				{ change: { ownText: false } },
			],
		},
		'failed, failed, done; 3 sent: word 0',
	],
	'Quick Start: only platforms that are added are sent': [
		{ settings: { format: 'quickStart' }, steps: afterLoss({ platforms: ['x', 'linkedin', 'instagram'] }) },
		'failed, done; 3 sent: 2 × word 0',
	],
	'Quick Start: only accounts that are added are sent': [
		{
			postTo: 'ids',
			settings: { format: 'quickStart' },
			steps: afterLoss({ platforms: ['x', 'linkedin', 'instagram'] }),
		},
		'failed, done; 4 sent: 3 × word 0',
	],
	'a correction of the additional fields takes effect': [
		{ settings: { additional: 1 }, steps: afterRefusal({ additional: 2 }) },
		'failed, done; 2 sent: word 0 note 2',
	],
	'a correction of the workspace takes effect': [
		{ steps: afterRefusal({ workspace: 'ws_second' }) },
		'failed, done; 2 sent: word 0 in ws_second',
	],
	'a correction of the workspace takes effect in mode My Own ID': [
		{ settings: { mode: 'custom' }, steps: afterRefusal({ workspace: 'ws_second' }) },
		'failed, done; 2 sent: word 0 in ws_second',
	],
	"a model's calls are told apart by what they send, and where to": [
		{
			as: 'tool',
			items: [a, b],
			steps: [...retryWith({ workspace: 'ws_second' }), { change: { additional: 1 } }, {}, { how: 'again' }],
		},
		'done, done, done, done, done; 8 sent: 2 × word 0, 2 × word 0 in ws_second, 4 × word 0 note 1 in ws_second',
	],
	'a model that repeats itself': [
		{ as: 'tool', items: [a, a, a], steps: [{ faults: ['lostAfter'] }] },
		'partly; 2 sent: word 0',
	],
	'a model that calls in another order after a crash': [
		{ as: 'tool', items: [a, b], steps: [{ crash: true }, { items: 'reverse' }] },
		'done, done; 4 sent: 2 × word 0',
	],
	'an item whose file never arrived stood in front, and is gone': [
		{
			operation: 'createWithFile',
			continueOnFail: true,
			items: [b, otherFile],
			steps: [
				{ faults: ['none', 'none', 'lostAfter'], storeFaults: ['failed', 'none'] },
				{ items: 'dropFirst' },
			],
		},
		'failed, done; 4 sent: 2 × /media/upload-url, word 0',
	],
	'of two equal items each is sent once, also where another one comes in front': [
		{ items: [a, a], steps: [{ faults: ['none', 'lostBefore'] }, { items: 'addFront' }] },
		'failed, done; 4 sent: 3 × word 0',
	],
	'one of two equal items comes to the place of another one': [
		{
			continueOnFail: true,
			items: [b, a],
			steps: [
				{ faults: ['lostAfter', 'lostAfter'] },
				{ items: 'dropFirst', faults: ['lostBefore'] },
				{ items: 'repeatFirst' },
			],
		},
		'failed, failed, done; 5 sent: 3 × word 0',
	],
	'the same data with another file is another item': [
		{
			operation: 'uploadDirect',
			items: [a, otherFile],
			steps: [{ faults: ['none', 'lostBefore'] }, { items: 'reverse' }],
		},
		'failed, done; 2 sent: 2 × /media',
	],
	'upload: another mode sends no file again': [
		{ operation: 'upload', settings: { mode: 'custom' }, steps: afterLoss({ mode: 'content' }) },
		'failed, done; 2 sent: /media/upload-url',
	],
	'uploadDirect: another mode sends no file again': [
		{ operation: 'uploadDirect', settings: { mode: 'custom' }, steps: afterLoss({ mode: 'content' }) },
		'failed, done; 2 sent: /media',
	],
	'an item that is put in front has an upload of its own, though its bytes are those of the next': [
		{ operation: 'upload', items: [a, b, { label: 2, file: 1 }], steps: [{}, { items: 'repeatFirst' }] },
		'done, done; 4 sent: 4 × /media/upload-url',
	],
	'another workspace has an upload of its own': [
		{ operation: 'upload', steps: retryWith({ workspace: 'ws_second' }) },
		'done, done; 2 sent: /media/upload-url, /media/upload-url in ws_second',
	],
	'Cancel, then Delete, which the service refuses for a canceled post': [
		{ operation: 'cancel', steps: retryWith({ operation: 'delete' }) },
		'done, failed; 2 sent: /posts/cancel',
	],
	'Delete without an answer, then Update': [
		{ operation: 'delete', steps: [{ faults: ['lostBefore'] }, { change: { operation: 'update' } }] },
		'failed, done; 2 sent: word 0',
	],
	'n8n without tokens: a retry without memory says so': [
		{ token: false, steps: [{ crash: true }, {}] },
		'done, done; 2 sent: 2 × word 0',
	],
};

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

	test.each(Object.entries(named))('%s', async (_what, [given, course]) => {
		expect(await courseOf(service, sequenceOf(given))).toEqual({ wrong: [], course });
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
			for (const count of [figures.runs, figures.carriedOut, figures.reported])
				expect(count).toBeGreaterThan(numRuns);
		},
		// A machine with much else to do takes seconds for one.
		60_000 + numRuns * 5_000,
	);
});
