import fc from 'fast-check';

import { runsUnless, seed } from '../../../support/property';
import { startService, type Service } from '../../../support/service';
import {
	courseOf,
	figures,
	sequence,
	sequenceOf,
	violations,
	type Given,
	type Settings,
	type Step,
} from '../../../support/writesModel';

const a = { label: 0, file: 0 };
const c = { label: 2, file: 0 };
const two = [a, { label: 1, file: 0 }];
const platforms = ['x', 'linkedin'] as const;
const quickStart = { format: 'quickStart', platforms } as const;
const changes = (...all: Array<Partial<Settings>>) => all.map((change) => ({ change }));
const postTo = (...all: Array<Settings['postTo']>) => changes(...all.map((one) => ({ postTo: one })));
/** The last of the writes is rejected, then it is tried again. */
const secondFails: Partial<Step> = { faults: ['none', 'rejected'] };

/** Sequences that sent something twice, or never, in some state of the code; and how they go. */
const named: Record<string, [given: Given, course: string]> = {
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
	'after a crash n8n may count the run that is lost: what went out is found again, in rounds of a loop, too':
		[
			{ steps: [{ crash: true, counted: true }, {}, { how: 'loop' }, {}] },
			'done, done, done, done; 3 sent: 2 × word 0',
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
	'in mode My Own ID another ID is another write once nothing was sent, another text with the same ID a conflict':
		[
			{
				settings: { mode: 'custom', platforms },
				steps: [{}, { change: { customTag: 1 } }, { how: 'again' }, { how: 'again', change: { word: 1 } }],
			},
			'done, done, done, failed; 6 sent: 4 × word 0',
		],
	...Object.fromEntries(
		(['slot', 'delay', 'moving'] as const).map((when): [string, [Given, string]] => [
			`in mode My Own ID, a second run with a time that moves (${when})`,
			[
				{ settings: { mode: 'custom', when }, steps: [{}, { how: 'again', change: { word: 1 } }, {}] },
				`done, ${when === 'moving' ? 'failed, failed' : 'done, done'}; 3 sent: word 0`,
			],
		]),
	),
	'in mode Same Text and Time, a second run that would get another slot': [
		{ settings: { mode: 'content', when: 'slot' }, steps: [{}, { how: 'again' }, {}] },
		'done, done, done; 3 sent: word 0',
	],
	'in mode Same Text and Time, a second run with a delay posts again': [
		{ settings: { mode: 'content', when: 'delay' }, steps: [{}, {}, { how: 'again' }] },
		'done, done, done; 2 sent: 2 × word 0',
	],
	'a cancellation that others have undone stays done in a retry, and is made in a new run': [
		{ operation: 'cancel', steps: [{}, { meanwhile: 'undo' }, { how: 'again' }] },
		'done, done, done; 2 sent: 2 × /posts/cancel',
	],
	'a sub-workflow in another workspace is another post, and back in the first one none': [
		{
			...{ as: 'subWorkflow', settings: { workspace: 'ws_main' } },
			steps: [{}, ...changes({ workspace: 'ws_second' }, { workspace: 'ws_main' })],
		},
		'done, done, done; 3 sent: word 0, word 0 in ws_second',
	],
	'by hand: a row that was refused goes out also where an equal one, sent before, is gone': [
		{
			...{ as: 'byHand', continueOnFail: true, items: [{ label: 2, file: 1 }, c] },
			steps: [{ faults: ['lostAfter', 'rejected'] }, { items: 'dropFirst' }],
		},
		'failed, done; 3 sent: 2 × word 0',
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
			...{ operation: 'webhookCreate', as: 'byHand', continueOnFail: true, items: [a, a] },
			steps: [{ tries: 2, faults: ['limited', 'none', 'none', 'unprocessable'] }, {}],
		},
		'partly, done; 6 sent: 2 × word 0',
	],
	'Quick Start: platforms that share a request are given back as they were, and refused without one of them':
		[
			{
				settings: quickStart,
				steps: [
					{ faults: ['lostAfter'] },
					...changes({ ownText: true }, { ownText: false, platforms: ['linkedin'] }),
					...changes({ platforms: ['x', 'linkedin', 'instagram'] }, { platforms: ['linkedin', 'x'] }),
				],
			},
			'failed, done, failed, done, done; 3 sent: 2 × word 0',
		],
	"a model's calls are told apart by what they send, and where to": [
		{
			...{ as: 'tool', items: two },
			steps: [...changes({}, { workspace: 'ws_second' }, { additional: 1 }, {}), { how: 'again' }],
		},
		'done, done, done, done, done; 8 sent: 2 × word 0, 2 × word 0 in ws_second, 4 × word 0 note 1 in ws_second',
	],
	'a model that repeats a post with a file behind an address': [
		{ as: 'tool', operation: 'createWithFile', files: 'remote', items: [a, a], steps: [{}, {}] },
		'done, done; 2 sent: /media/upload-url, word 0',
	],
	'a model that repeats itself with a time that counts from now': [
		{ as: 'tool', settings: { when: 'delay' }, items: [a, a, a, a, a], maxPosts: 1, steps: [{}] },
		'done; 1 sent: word 0',
	],
	'by hand: a lost answer, and then a refusal of the same': [
		{ as: 'byHand', steps: [{ faults: ['lostAfter'] }, { faults: ['unauthorized'] }, {}, {}] },
		'failed, failed, done, done; 4 sent: 2 × word 0',
	],
	'by hand: files count by their bytes, whatever ID n8n gives them': [
		{
			...{ as: 'byHand', operation: 'createWithFile', files: 'filesystem', items: two },
			steps: [{ faults: ['none', 'none', 'none', 'rejected'] }, {}],
		},
		'failed, done; 5 sent: 2 × /media/upload-url, 2 × word 0',
	],
	'by hand: a file with the same bytes stays the row that has it': [
		{
			...{ as: 'byHand', operation: 'uploadDirect', files: 'filesystem', items: [a, a, c] },
			...{ continueOnFail: true, steps: [{ faults: ['none', 'rejected'] }, {}] },
		},
		'partly, done; 3 sent: 3 × /media',
	],
	'by hand: a file with the same bytes and another name is another file, also of an item that is another at each press':
		[
			{
				...{ as: 'byHand', operation: 'uploadDirect', files: 'filesystem', stamped: true },
				...{ items: [a, c], continueOnFail: true, steps: [{ faults: ['rejected'] }, {}] },
			},
			'partly, done; 2 sent: 2 × /media',
		],
	'by hand: five equal rows on five days, of which one was refused: only that one goes out': [
		{
			...{ as: 'byHand', settings: { when: 'column' } },
			items: [0, 1, 2, 3, 4].map((day) => ({ label: 0, file: 0, day })),
			steps: [{ faults: ['none', 'rejected'] }, { faults: ['rejected'] }, {}],
		},
		'failed, failed, done; 7 sent: 5 × word 0',
	],
	'by hand: the same, with items that are others at each press: their times tell': [
		{
			...{ as: 'byHand', stamped: true, settings: { when: 'column' } },
			items: [0, 1, 2].map((day) => ({ label: 0, file: 0, day })),
			steps: [{ faults: ['none', 'rejected'] }, {}],
		},
		'failed, done; 4 sent: 3 × word 0',
	],
	'by hand: a loop that sent an equal row twice, then one of them beside an equal row that is new: refused': [
		{
			...{ as: 'byHand', continueOnFail: true, items: [c] },
			steps: [{}, { how: 'loop', items: 'addEnd', faults: ['none', 'rejected'] }, { items: 'addFront' }],
		},
		'done, partly, partly; 4 sent: 3 × word 0',
	],
	'by hand: from a slot to a time, to now, and back, between presses': [
		{
			...{ as: 'byHand', settings: { when: 'slot' }, items: two },
			steps: [
				{ faults: ['none', 'rejected'] },
				...changes({ when: 'at' }, { when: 'now' }, { when: 'slot' }),
			],
		},
		'failed, done, done, done; 7 sent: 6 × word 0',
	],
	'a sub-workflow whose inputs are others when its caller is retried': [
		{
			as: 'subWorkflow',
			stamped: true,
			items: [a, a, c],
			steps: [{ faults: ['none', 'rejected'] }, {}, { items: 'dropFirst' }],
		},
		'failed, done, done; 6 sent: 3 × word 0',
	],
	'a sub-workflow whose files n8n stores anew when its caller is retried': [
		{
			...{ as: 'subWorkflow', stamped: true, operation: 'createWithFile', files: 'filesystem' },
			steps: [{}, {}, {}],
		},
		'done, done, done; 4 sent: /media/upload-url, word 0',
	],
	'what is in doubt and then refused goes out as it is corrected, under its key': [
		{ steps: [{ faults: ['lostBefore'] }, { faults: ['rejected'] }, ...changes({ word: 1 }, {})] },
		'failed, failed, done, done; 3 sent: word 1',
	],
	'the same, refused at once': [
		{
			...{ rateLimitTimeout: 60, settings: { mode: 'custom' } },
			steps: [{ faults: ['gatewayBefore', 'rejected'] }, ...changes({ word: 1 })],
		},
		'failed, done; 3 sent: word 1',
	],
	'the same, where the first attempt was carried out after all: a conflict': [
		{ steps: [{ faults: ['lostAfter'] }, { faults: ['rejected'] }, ...changes({ word: 1 }, {})] },
		'failed, failed, failed, failed; 4 sent: word 0',
	],
	'in mode My Own ID the conflict leaves it in doubt: no other key follows': [
		{
			settings: { mode: 'custom' },
			steps: [{ faults: ['lostAfter'] }, { faults: ['rejected'] }, ...changes({ word: 1 }, { word: 2 })],
		},
		'failed, failed, failed, failed; 4 sent: word 0',
	],
	'in mode Same Text and Time the key is made of the text: it goes out as it was': [
		{
			settings: { mode: 'content' },
			steps: [{ faults: ['lostBefore'] }, { faults: ['rejected'] }, ...changes({ word: 1 })],
		},
		'failed, failed, done; 3 sent: word 0',
	],
	'an update that is in doubt and then refused is corrected, too': [
		{
			operation: 'update',
			steps: [{ faults: ['lostBefore'] }, { faults: ['rejected'] }, ...changes({ word: 1 })],
		},
		'failed, failed, done; 3 sent: word 1',
	],
	'Quick Start: a shared request that is in doubt and then refused is corrected as a whole, or refused': [
		{
			settings: quickStart,
			steps: [
				{ faults: ['lostBefore'] },
				{ faults: ['rejected'] },
				...changes({ platforms: ['linkedin'] }, { platforms, word: 1 }),
			],
		},
		'failed, failed, failed, done; 3 sent: word 1',
	],
	'a loop: what an earlier round left in doubt goes on when an equal item comes back': [
		{ continueOnFail: true, steps: [{ faults: ['lostAfter'] }, { how: 'loop' }] },
		'failed, done; 2 sent: word 0',
	],
	'a loop: an equal item that says something else is another row': [
		{ continueOnFail: true, steps: [{ faults: ['lostAfter'] }, { how: 'loop', change: { word: 1 } }] },
		'failed, done; 2 sent: word 0, word 1',
	],
	'a sub-workflow: a platform that was refused, came back and was sent; then its caller is retried': [
		{
			...{ as: 'subWorkflow', errorOutput: true, settings: { platforms } },
			steps: [secondFails, { how: 'loop', back: 'all' }, {}],
		},
		'partly, done, done; 5 sent: 2 × word 0',
	],
	'a post that the service kept as failed is sent anew when it comes back, and not in a retry': [
		{
			errorOutput: true,
			steps: [{ faults: ['keptAsFailed'] }, {}, { how: 'loop', back: 'all' }],
		},
		'failed, failed, done; 2 sent: 2 × word 0',
	],
	'a row comes back whose upload URL had expired, then its execution is retried: the post goes out once': [
		{
			...{ operation: 'createWithFile', errorOutput: true },
			steps: [
				{ storeFaults: ['expired', 'failed'] },
				{ how: 'loop', back: 'all', storeFaults: ['expired'] },
				{},
			],
		},
		'failed, done, done; 5 sent: 2 × /media/upload-url, word 0',
	],
	'sub-workflow: a new row takes the key of one that was refused, which comes back beside it: each goes out once':
		[
			{
				...{ as: 'subWorkflow', errorOutput: true, settings: { platforms: ['instagram', 'linkedin', 'x'] } },
				steps: [
					{ faults: ['rejected'] },
					{ how: 'loop', back: 'withNew', tries: 3, faults: ['unauthorized', 'lostBefore'] },
				],
			},
			'partly, done; 9 sent: 6 × word 0',
		],
	'two accounts of a platform and two files: what is missing of a row goes out': [
		{
			...{ operation: 'createWithFile', twoAccounts: true, twoFiles: true, settings: { platforms: ['x'] } },
			steps: [{ faults: ['none', 'none', 'none', 'rejected'] }, {}],
		},
		'failed, done; 5 sent: 2 × /media/upload-url, 2 × word 0',
	],
	'a row whose time has passed is skipped, and the others go out': [
		{
			settings: { when: 'column', ifPast: 'skip' },
			...{ items: [{ ...a, past: true }, c], steps: [{ faults: ['rejected'] }, {}] },
		},
		'failed, done; 2 sent: word 0',
	],
	'options of the row: one has an ID of its own, another goes to another workspace': [
		{ byRow: true, items: [...two, c], steps: [{ faults: ['none', 'rejected'] }, {}, { how: 'again' }] },
		'failed, done, done; 7 sent: 3 × word 0, 2 × word 0 in ws_second',
	],
	'after a wait in which the publication failed, a retry waits again, and posts nothing': [
		{ settings: { when: 'now', wait: true, platforms: ['x', 'instagram'] }, steps: [{}, {}] },
		'failed, failed; 2 sent: 2 × word 0',
	],
	'an account that was connected anew under its name: only what is missing goes there': [
		{
			settings: { postTo: 'names', platforms },
			steps: [{ faults: ['rejected'] }, { meanwhile: 'reconnect' }],
		},
		'failed, done; 3 sent: 2 × word 0',
	],
	'an account that is named another way in each try is one': [
		{ steps: postTo('entries', 'ids', 'handles', 'platforms') },
		'done, done, done, done; 1 sent: word 0',
	],
	'a model that names an account another way': [
		{ as: 'tool', steps: postTo('ids', 'entries') },
		'done, done; 1 sent: word 0',
	],
	'by hand: an account that is named another way': [
		{ as: 'byHand', items: two, steps: [secondFails, ...postTo('names')] },
		'failed, done; 3 sent: 2 × word 0',
	],
	'an account that is named twice in one post gets it once': [
		{ settings: { isTwice: true, platforms }, steps: [{}] },
		'done; 2 sent: 2 × word 0',
	],
	'Quick Start: an account that is named twice in one post gets it once': [
		{ settings: { isTwice: true, ...quickStart }, steps: [{}, {}] },
		'done, done; 1 sent: word 0',
	],
	'Quick Start by hand: it gets it once also after a lost answer and with another text': [
		{
			...{ as: 'byHand', settings: { isTwice: true, ...quickStart, texts: 97 } },
			steps: [{ faults: ['lostAfter'] }, { tries: 2, faults: ['failedAfter'] }],
		},
		'failed, done; 3 sent: 2 × word 0',
	],
	'a tool that cancels: a lost answer is reported as something that may have been sent': [
		{ as: 'tool', operation: 'cancel', steps: [{ faults: ['lostAfter'] }] },
		'failed; 1 sent: /posts/cancel',
	],
	'a sub-workflow that is called again cancels again, also what others have undone': [
		{ as: 'subWorkflow', operation: 'cancel', steps: [{}, {}, { meanwhile: 'undo' }] },
		'done, failed, done; 3 sent: 2 × /posts/cancel',
	],
	'a row whose text is gone in a retry: what was sent is given back, the rest is refused': [
		{ items: two, steps: [secondFails, ...changes({ isEmpty: true })] },
		'failed, done; 3 sent: 2 × word 0',
	],
	'a preview that names a workspace where none was named: refused, and what was sent is reported': [
		{
			...{ operation: 'cancel', continueOnFail: true },
			steps: [{}, { previewOnly: true, change: { workspace: 'ws_main' } }],
		},
		'done, failed; 1 sent: /posts/cancel',
	],
	'Most Posts: all rounds of a loop count, and what a retry asks for again does not': [
		{ maxPosts: 2, items: two, steps: [{ faults: ['lostAfter'] }, {}, { how: 'loop' }] },
		'failed, done, failed; 3 sent: 2 × word 0',
	],
};

/** By hand, items that are others at each press, and no time. */
const equalByHand: Partial<Given> = { as: 'byHand', stamped: true, settings: { when: 'now' } };

/** What is refused since it may have been sent; who does what the text says gets the rest sent: so many in both plays. */
const refused: Record<string, [given: Given, carriedOut: number]> = {
	'a request of two platforms that is asked for in part': [
		{ settings: quickStart, steps: [{ faults: ['lostAfter'] }, ...changes({ platforms: ['linkedin'] })] },
		2,
	],
	'a workspace that is named only now': [
		{ items: two, steps: [secondFails, ...changes({ workspace: 'ws_main' })] },
		3,
	],
	'an account that was connected anew and is named another way': [
		{
			settings: { postTo: 'names', platforms },
			steps: [secondFails, { meanwhile: 'reconnect', change: {} }],
		},
		3,
	],
	'by hand: equal rows whose items are others': [
		{ ...equalByHand, items: [a, a], steps: [secondFails, {}] },
		3,
	],
	// The service keeps one of its two platforms as failed, which counts, too.
	'by hand: a row beside an equal one that is only previewed, of which one platform failed for good': [
		{
			...{ ...equalByHand, settings: { when: 'now', platforms } },
			...{ items: [a, { ...a, preview: true }], steps: [{ faults: ['lostAfter', 'keptAsFailed'] }, {}] },
		},
		4,
	],
	'by hand: equal rows of a node that goes on, whose execution n8n does not retry: with another text': [
		{ ...equalByHand, continueOnFail: true, items: [a, a], steps: [secondFails, {}] },
		4,
	],
};

/**
 * The rule of docs/idempotency.md over random sequences. `MODEL_RUNS=20000 PROPERTY_SEED=…` runs more and others;
 * `MODEL_PATH` goes to the shrunk sequence at once.
 */
describe('the record of writes, over random sequences', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	afterAll(async () => await service.close());

	test.each(Object.entries(named))('%s', async (_what, [given, course]) => {
		expect(await courseOf(service, sequenceOf(given))).toMatchObject({ wrong: [], course });
	});

	test.each(Object.entries(refused))(
		'refused, and then sent as the text says: %s',
		async (_what, [given, sent]) => {
			const { followed, carriedOut } = figures;
			expect(await violations(service, sequenceOf(given))).toEqual([]);
			expect(figures.followed - followed).toBe(1);
			// The sequence is played twice; what was left of it goes out once the text was followed.
			expect(figures.carriedOut - carriedOut).toBe(sent);
		},
	);

	const { MODEL_RUNS, MODEL_PATH } = process.env;
	const numRuns = runsUnless(MODEL_RUNS, 200).numRuns;

	test(
		`${numRuns} sequences of seed ${seed}`,
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
			// Of fewer, a handful is already more.
			if (numRuns >= 200) expect(figures.unclear).toBeLessThan(figures.runs * 0.03);
		},
		// A machine with much else to do takes seconds for one.
		60_000 + numRuns * 5_000,
	);
});
