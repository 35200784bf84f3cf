import fc from 'fast-check';

import { startService, type Service } from '../../../support/service';
import {
	courseOf,
	figures,
	sequence,
	sequenceOf,
	violations,
	type Settings,
	type Step,
} from '../../../support/writesModel';

const a = { label: 0, file: 0 };
const b = { label: 1, file: 0 };
const otherFile = { label: 0, file: 1 };

const c = { label: 2, file: 0 };
const retryWith = (change: Partial<Settings>) => [{}, { change }];
const afterLoss = (change: Partial<Settings> = {}) => [{ faults: ['lostAfter' as const] }, { change }];
const afterRefusal = (change: Partial<Settings>) => [{ faults: ['forbidden' as const] }, { change }];

const reconnected = [{ faults: ['rejected' as const] }, { meanwhile: 'reconnect' as const }];
const otherPlatforms = [
	{},
	...([['linkedin', 'x'], ['instagram', 'linkedin', 'x'], ['linkedin']] as const).map((platforms) => ({
		how: 'again' as const,
		change: { platforms },
	})),
];
/** The last of the writes is rejected, then *Execute step* is pressed again. */
const pressAgain = (writes: number, ...presses: Array<Partial<Step>>) => [
	{ faults: [...Array<'none'>(writes - 1).fill('none'), 'rejected' as const] },
	...presses,
];

/** Sequences that sent something twice, or never, in some state of the code; and how they go. */
const named: Record<string, [given: Parameters<typeof sequenceOf>[0], course: string | RegExp]> = {
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
	'a crash leaves the key; another text is a conflict then': [
		{ steps: [{ crash: true }, { crash: true }, { change: { word: 1 } }] },
		'done, done, failed; 3 sent: word 0',
	],
	'another item is another upload, though its file is the same': [
		{
			operation: 'uploadDirect',
			items: [otherFile, a],
			steps: [{}, { items: 'dropFirst' }, { items: 'addFront' }],
		},
		'done, done, done; 3 sent: 3 × /media',
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
	'by hand: a webhook that was made is made once, whatever the service answers when it is asked for again': [
		{
			...{ operation: 'webhookCreate', as: 'byHand', continueOnFail: true, concurrency: 1 },
			...{ rateLimitTimeout: 0, items: [a, a] },
			steps: [{ tries: 2, faults: ['limited', 'none', 'none', 'keptAsFailed'] }, {}],
		},
		'partly, done; 6 sent: 2 × word 0',
	],
	'Quick Start: platforms that share a request are refused with others, and given back as they were': [
		{
			settings: { format: 'quickStart', platforms: ['x', 'linkedin', 'instagram'] },
			steps: [
				{ faults: ['lostAfter'] },
				{ change: { ownText: true } },
				{ change: { ownText: false, platforms: ['x', 'linkedin'] } },
				{ change: { platforms: ['linkedin', 'instagram', 'x'] } },
			],
		},
		'failed, failed, failed, done; 2 sent: word 0',
	],
	'Quick Start: other platforms after a refusal are sent': [
		{ settings: { format: 'quickStart' }, steps: afterRefusal({ platforms: ['x', 'linkedin'] }) },
		'failed, done; 2 sent: word 0',
	],
	'Quick Start, Same Text and Time: each platform once over all executions': [
		{
			settings: { format: 'quickStart', mode: 'content', platforms: ['x', 'linkedin'] },
			steps: otherPlatforms,
		},
		'done, done, done, done; 8 sent: 3 × word 0',
	],
	'Quick Start: only accounts that are added are sent': [
		{
			settings: { format: 'quickStart', postTo: 'ids' },
			steps: afterLoss({ platforms: ['x', 'linkedin', 'instagram'] }),
		},
		'failed, done; 4 sent: 3 × word 0',
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
	'a model that repeats a post with a file behind an address': [
		{ as: 'tool', operation: 'createWithFile', files: 'remote', items: [a, a], steps: [{}, {}] },
		'done, done; 2 sent: /media/upload-url, word 0',
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
	'uploadDirect: another mode sends no file again': [
		{ operation: 'uploadDirect', settings: { mode: 'custom' }, steps: afterLoss({ mode: 'content' }) },
		'failed, done; 2 sent: /media',
	],
	'an item that is put in front has an upload of its own, though its bytes are those of the next': [
		{ operation: 'upload', items: [a, b, { label: 2, file: 1 }], steps: [{}, { items: 'repeatFirst' }] },
		'done, done; 4 sent: 4 × /media/upload-url',
	],
	'Delete without an answer, then Update': [
		{ operation: 'delete', steps: [{ faults: ['lostBefore'] }, { change: { operation: 'update' } }] },
		'failed, done; 2 sent: word 0',
	],
	'by hand: a time that counts from now is not another post': [
		{ as: 'byHand', items: [a, b], settings: { when: 'delay' }, steps: pressAgain(2, {}) },
		'failed, done; 3 sent: 2 × word 0',
	],
	'by hand, Quick Start: platforms in another order are the same post': [
		{
			as: 'byHand',
			settings: { format: 'quickStart', platforms: ['linkedin', 'x'] },
			steps: [{ faults: ['lostAfter'] }, { change: { platforms: ['x', 'linkedin'] } }],
		},
		'failed, done; 2 sent: word 0',
	],
	'by hand: a lost answer, and then a refusal of the same': [
		{ as: 'byHand', steps: [{ faults: ['lostAfter'] }, { faults: ['unauthorized'] }, {}, {}] },
		'failed, failed, done, done; 4 sent: 2 × word 0',
	],
	'by hand: an upload is one': [
		{ as: 'byHand', operation: 'upload', items: [a, otherFile], steps: pressAgain(2, {}) },
		'failed, done; 3 sent: 2 × /media/upload-url',
	],
	'by hand: files count by their bytes, whatever ID n8n gives them': [
		{
			as: 'byHand',
			operation: 'createWithFile',
			files: 'filesystem',
			items: [a, b],
			steps: pressAgain(4, {}),
		},
		/^failed, done; \d sent: 2 × \/media\/upload-url, 2 × word 0$/,
	],
	'by hand: a row that is a preview changes nothing': [
		{ as: 'byHand', items: [a, { ...b, preview: true }, c], steps: pressAgain(2, {}) },
		'failed, done; 3 sent: 2 × word 0',
	],
	'a model that repeats itself with a time that counts from now': [
		{ as: 'tool', settings: { when: 'delay' }, items: [a, a, a, a, a], mostPosts: 1, steps: [{}] },
		'done; 1 sent: word 0',
	],
	'a sub-workflow with a time that counts from now, whose caller is retried': [
		{ as: 'subWorkflow', settings: { when: 'delay' }, steps: [{}, {}, {}] },
		/^done, done, (done|failed); \d sent: word 0$/,
	],
	'an account that was connected anew under its name: only what is missing goes there': [
		{ settings: { postTo: 'names', platforms: ['x', 'linkedin'] }, steps: reconnected },
		'failed, done; 3 sent: 2 × word 0',
	],
	'an account that was connected anew, and a model whose execution is retried': [
		{ as: 'tool', settings: { postTo: 'names' }, steps: [{}, { meanwhile: 'reconnect' }] },
		'done, done; 1 sent: word 0',
	],
	'by hand: an account that was connected anew under its name': [
		{
			as: 'byHand',
			settings: { postTo: 'names' },
			items: [a, b],
			steps: pressAgain(2, { meanwhile: 'reconnect' }),
		},
		'failed, done; 3 sent: 2 × word 0',
	],
	'an account that is named another way in each try is one': [
		{
			steps: (['entries', 'ids', 'handles', 'platforms'] as const).map((postTo) => ({ change: { postTo } })),
		},
		'done, done, done, done; 1 sent: word 0',
	],
	'a model that names an account another way': [
		{ as: 'tool', steps: (['ids', 'entries'] as const).map((postTo) => ({ change: { postTo } })) },
		'done, done; 1 sent: word 0',
	],
	'by hand: an account that is named another way': [
		{ as: 'byHand', items: [a, b], steps: pressAgain(2, { change: { postTo: 'names' } }) },
		'failed, done; 3 sent: 2 × word 0',
	],
	'an account that is named twice in one post gets it once': [
		{ settings: { isTwice: true, platforms: ['x', 'linkedin'] }, steps: [{}] },
		'done; 2 sent: 2 × word 0',
	],
	'Quick Start: an account that is named twice in one post gets it once': [
		{ settings: { isTwice: true, format: 'quickStart', platforms: ['x', 'linkedin'] }, steps: [{}, {}] },
		'done, done; 1 sent: word 0',
	],
	'Quick Start by hand: it gets it once also after a lost answer and with another text': [
		{
			as: 'byHand',
			settings: { isTwice: true, format: 'quickStart', platforms: ['x', 'linkedin'], texts: 97 },
			steps: [{ faults: ['lostAfter'] }, { tries: 2, faults: ['failedAfter'] }],
		},
		'failed, done; 3 sent: 2 × word 0',
	],
	'by hand: of three equal rows two were sent, and only the third needs a code': [
		{
			as: 'byHand',
			items: [c, c],
			continueOnFail: true,
			steps: [{ faults: ['none', 'lostAfter'] }, { items: 'addEnd', approval: 'wrong' }],
		},
		'partly, partly; 3 sent: 2 × word 0',
	],
	'Quick Start: accounts that had a request each have it in a retry that names their platforms': [
		{
			settings: { format: 'quickStart', platforms: ['x', 'linkedin'], postTo: 'entries' },
			steps: [{}, { change: { postTo: 'platforms' } }],
		},
		'done, done; 2 sent: 2 × word 0',
	],
	'by hand: a loop that ends with a wrong row; the next press sends nothing that the rounds before sent': [
		{ as: 'byHand', steps: [{}, { how: 'loop', approval: 'wrong' }, {}] },
		'done, failed, done; 1 sent: word 0',
	],
	'a tool that cancels: a lost answer is reported as something that may have been sent': [
		{ as: 'tool', operation: 'cancel', steps: [{ faults: ['lostAfter'] }] },
		'failed; 1 sent: /posts/cancel',
	],
	'a tool that replies: what one call left in doubt stays so after a refusal in the next': [
		{
			as: 'tool',
			operation: 'reply',
			steps: [{}, { change: { workspace: 'ws_second' }, faults: ['emptyAfter'] }, {}],
		},
		'done, failed, failed; 3 sent: word 0',
	],
	'a row whose text is gone in a retry: what was sent is given back, the rest is refused': [
		{ items: [a, b], steps: [{ faults: ['none', 'rejected'] }, { change: { isEmpty: true } }] },
		'failed, done; 3 sent: 2 × word 0',
	],
	'a preview that names a workspace where none was named: refused, and what was sent is reported': [
		{
			operation: 'cancel',
			continueOnFail: true,
			steps: [{}, { previewOnly: true, change: { workspace: 'ws_main' } }],
		},
		'done, failed; 1 sent: /posts/cancel',
	],
	'only what was approved is sent': [
		{ items: [a, b], steps: [{ approval: 'wrong' }, { approval: 'approved', change: { ownField: true } }] },
		'failed, done; 2 sent: 2 × word 0',
	],
	'after a crash another workspace is another write, and going back is none': [
		{
			settings: { workspace: 'ws_main' },
			steps: [
				{ crash: true },
				{ change: { workspace: 'ws_second' }, crash: true },
				{ change: { workspace: 'ws_main' } },
			],
		},
		'done, done, done; 3 sent: word 0, word 0 in ws_second',
	],
	'a sub-workflow that is called again cancels again, also what others have undone': [
		{ as: 'subWorkflow', operation: 'cancel', steps: [{}, {}, { meanwhile: 'undo' }] },
		'done, failed, done; 3 sent: 2 × /posts/cancel',
	],
	'a file behind an address is uploaded once': [
		{ operation: 'createWithFile', files: 'remote', steps: [{ faults: ['none', 'rejected'] }, {}] },
		'failed, done; 3 sent: /media/upload-url, word 0',
	],
	'Most Posts: all rounds of a loop count, and what a retry asks for again does not': [
		{ mostPosts: 2, items: [a, b], steps: [{ faults: ['lostAfter'] }, {}, { how: 'loop' }] },
		'failed, done, failed; 3 sent: 2 × word 0',
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
		const went = await courseOf(service, sequenceOf(given));
		const expected = typeof course === 'string' ? course : expect.stringMatching(course);
		expect(went).toEqual({ wrong: [], course: expected });
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
