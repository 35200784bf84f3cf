import { map, times } from 'lodash';

import { Journal, type Entry } from '../../../../nodes/SocialPublishing/writes/journal';
import { ManualRerun } from '../../../../nodes/SocialPublishing/writes/manualRerun';

/** Of what writes and rows are made: `write.test.ts`. What the model plays by name isn't repeated here. */

const HOUR_MS = 3_600_000;

let nodes = 0;
let node: string;
beforeEach(() => (node = `node ${nodes++}`));

const entryOf = (key: string, contents?: string, more: Partial<Entry> = {}): Entry => ({
	...{ item: `item ${key}`, method: 'POST', path: '/posts', names: [key], workspaceId: '', key },
	...{ state: 'succeeded', ...(contents ? { contents: contents.split(' ') } : {}), ...more },
});
/** A run, and its journal: one run of the node, or a round of it. */
function runOf(executionId: string, memory = {}, round = 0, items: string[] = []) {
	const journal = new Journal(memory, String(round));
	return { journal, memory, rerun: new ManualRerun(node, journal, { executionId, round, items }) };
}
/** One round of a run: what it says by key. */
function round(
	executionId: string,
	sent: ReadonlyArray<[key: string, contents?: string, more?: Partial<Entry>]> = [],
	{ failed = true, index = 0, memory = {} } = {},
) {
	const { rerun, journal } = runOf(executionId, memory, index);
	for (const one of sent) journal.add(entryOf(...one));
	rerun.endRound(failed);
	return rerun;
}
const pendingOf = ({ pending }: ManualRerun) => [...pending].map(({ key }) => key);
const leftTo = (executionId: string) => pendingOf(runOf(executionId).rerun);
/** Keys of files that are found by these contents one after the other, and carried over. */
const found = ({ rerun, journal }: ReturnType<typeof runOf>, ...contents: string[]) =>
	contents.map((one) => {
		rerun.assignFile('item new', [one]);
		const entry = journal.begunOf('item new').find((lent) => rerun.pending.has(lent));
		if (!entry) return undefined;
		expect(rerun.carryOver(entry, 'item new')).toEqual({ ...entry, isCarriedOver: true, item: 'item new' });
		return entry.key;
	});

/**
 * A press of *Execute step*, or a round of it. Rows are written `item:content@time`, with a file `item:words+file@time`;
 * `!`: the service refuses it, `?`: its file isn't read. Each gives `sent`, the row whose entry it takes, or how many it may
 * have begun.
 */
function press(rows: string, { executionId = `run ${nodes++}`, index = 0, memory = {} } = {}) {
	const { rerun, journal } = runOf(executionId, memory, index);
	const asked = rows.split(' ').map((row) => {
		const [, item = '', content = '', fixedTime, isRefused] = /^(.+?):(.*?)(?:@(.*?))?(!)?$/.exec(row)!;
		const said = /(.*)\+/.exec(content)?.[1];
		return {
			part: { item, content: content.endsWith('?') ? undefined : content, said, fixedTime },
			isRefused,
		};
	});
	const unclear = rerun.recognize(map(asked, 'part'));
	const done = asked.map(({ part: { item, content, fixedTime }, isRefused }) => {
		if (unclear.has(item)) return `${unclear.get(item)!.length}?`;
		const [entry] = journal.begunOf(item);
		if (entry) return rerun.carryOver(entry, item).key;
		if (isRefused) return 'refused';
		journal.add(entryOf(item, content, { item, fixedTime }));
		return 'sent';
	});
	rerun.endRound(/[!?]/.test(rows + done.join(' ')));
	return done.join(' ');
}

test('a file with the same bytes stays the row that has it', () => {
	const findAsB = (items: string[]) => {
		const { rerun, journal } = runOf('run 2', {}, 0, items);
		rerun.assignFile('item b', ['bytes']);
		return journal.begunOf('item b');
	};
	round('run 1', [['a', 'bytes']]);
	expect(findAsB(['item b', 'item a'])).toEqual([]);
	expect(findAsB(['item b'])).toEqual([entryOf('a', 'bytes')]);
});

test('a retry of a run that sent one platform of a changed item finds what another unfinished run said on the other one', () => {
	const before = runOf('run 1');
	before.rerun.recognize([{ item: 'a', content: 'linkedin: A' }]);
	before.journal.add(
		entryOf('linkedin', undefined, { contents: ['linkedin: A'], item: 'a', state: 'inDoubt' }),
	);
	before.rerun.endRound(true);
	const { rerun, journal } = runOf('run 2');
	const instagram = entryOf('instagram', undefined, { contents: ['instagram: B'], item: 'b' });
	journal.add(instagram);
	// Its text is that of the first run again.
	const rows = ['instagram: A', 'linkedin: A'].map((content) => ({ item: 'b', content }));
	expect(rerun.recognize(rows).size).toBe(0);
	expect(journal.begunOf('b').map(({ key }) => key)).toEqual(['instagram', 'linkedin']);
	// What it says again itself, it takes of no other run.
	const third = runOf('run 3');
	const own = third.journal.add({ ...instagram, contents: ['linkedin: A'] });
	expect(third.rerun.recognize([{ item: 'b', content: 'linkedin: A' }]).size).toBe(0);
	expect(third.journal.begunOf('b')).toEqual([own]);
});

test('a changed item takes what one item began, though others sent the same', () => {
	const { journal, rerun } = runOf('run 1');
	rerun.recognize([{ item: 'a', content: 'A' }]);
	for (const item of ['a', 'b']) journal.add(entryOf(item, 'A', { item }));
	rerun.endRound(true);
	const next = runOf('run 2');
	next.rerun.recognize([{ item: 'c', content: 'A' }]);
	expect(next.journal.begunOf('c').map(({ key }) => key)).toEqual(['a']);
});

test.each<[string, Array<[rows: string, done: string]>]>([
	[
		'the same without times',
		[
			['mon:A tue:A! wed:A', 'sent refused sent'],
			['mon:A tue:A wed:A', 'mon sent wed'],
		],
	],
	[
		'one that is asked for once may have changed, and its time as long as that is not another one',
		[
			['a:A b:B@1 c:C@1 d:D!', 'sent sent sent refused'],
			['w:A@1 x:B y:C@2 z:D', 'a b 1? sent'],
		],
	],
	[
		'one of two that say the same: unclear where one of both is gone, or was asked for twice at this time',
		[
			['a:A b:A! c:C@1 d:C@1!', 'sent refused sent refused'],
			['w:A x:C@1', '1? 1?'],
		],
	],
	[
		'an unchanged row takes its own, whatever a changed one says',
		[
			['a:A b:B!', 'sent refused'],
			['c:A a:A b:B', 'sent a sent'],
		],
	],
	[
		'a file that was not read is another one where other words go with it',
		[
			['a:A+1 b:B+?!', 'sent refused'],
			['c:A+1 d:B+2', 'a sent'],
		],
	],
	[
		'a file that was not read may be the same where the same words go with it',
		[
			['a:A+1 b:A+?!', 'sent refused'],
			['c:A+1 d:B+2', '1? sent'],
		],
	],
	[
		'what was not read may say anything',
		[
			['a:A b:?!', 'sent refused'],
			['c:A b:B', '1? sent'],
		],
	],
	[
		'an unchanged one whose file was not read then is not another one',
		[
			['a:A b:?!', 'sent refused'],
			['b:A', 'sent'],
		],
	],
	[
		'a success leaves what was not asked for',
		[
			['a:A b:B c:C!', 'sent sent refused'],
			['a:A', 'a'],
			['a:A b:B c:C', 'sent b sent'],
		],
	],
	[
		'what a success asked for is done with, whatever says the same',
		[
			['a:A b:A c:C!', 'sent sent refused'],
			['a:A', 'a'],
			['z:A', 'b'],
		],
	],
	[
		'what the press before the last one refused, and the last one left out, counts no more',
		[
			['a:A b:A!', 'sent refused'],
			['a:A c:C!', 'a refused'],
			['z:A', 'a'],
		],
	],
])('the next press: %s', (_what, presses) => {
	for (const [rows, done] of presses) expect([rows, press(rows)]).toEqual([rows, done]);
});

test('a loop decides by fixed times only, and by what is unchanged', () => {
	const [memory, executionId] = [{}, 'loop'];
	press('a:A@1', { memory, executionId });
	press('b:B', { memory, executionId, index: 1 });
	press('c:C@3!', { memory, executionId, index: 2 });
	const again = { memory: {}, executionId: 'again' };
	expect(press('x:A@1', again)).toBe('a');
	expect(press('y:B', { ...again, index: 1 })).toBe('1?');
	expect(press('b:B', { ...again, index: 2 })).toBe('b');
	expect(press('z:C@3', { ...again, index: 3 })).toBe('sent');
});

test('a press that was refused and sent nothing leaves nothing to be told apart from', () => {
	press('a:A b:B!');
	expect(press('x:A y:A')).toBe('1? 1?');
	expect(press('x:A b:B')).toBe('a sent');
});

test('a request for several platforms is begun once, though a row asks for each', () => {
	round('1', [['a', 'A-x A-linkedin']]);
	const { rerun, journal } = runOf('2');
	const row = { item: 'item a', fixedTime: undefined };
	rerun.recognize(['A-x', 'A-linkedin'].map((content) => ({ ...row, content })));
	expect(journal.begunOf('item a').map(({ key }) => key)).toEqual(['a']);
});

test('leaves what succeeded and what is in doubt, each once; of equal files each finds its own', () => {
	round('1', [
		['a', 'A'],
		['b', 'B', { state: 'inDoubt' }],
		['c', 'C', { state: 'new' }],
		['d', 'D', { state: 'keptAsFailed' }],
		['e', 'A'],
		['f'],
	]);
	const next = runOf('2');
	const { rerun, journal } = next;
	expect(pendingOf(rerun)).toEqual(['a', 'b', 'e']);
	expect(found(next, 'A', 'A', 'A', 'B', 'C')).toEqual(['a', 'e', undefined, 'b', undefined]);
	expect([pendingOf(rerun), journal.entries.map(({ key }) => key)]).toEqual([[], ['a', 'e', 'b']]);
});

test.each<[string, (row: number) => Partial<Entry> & { content: string }]>([
	[
		'whose contents were changed since',
		(row) => ({ item: `item ${row}`, content: `${row % 2 ? 'new' : row}` }),
	],
	[
		'that say the same at other times',
		(row) => ({ item: `other ${row}`, content: 'A', fixedTime: `${row}` }),
	],
])('a row costs the same however many were sent, also of rows %s', (what, rowOf) => {
	let reads = 0;
	const counted = { get: (entry: Entry, name: string) => (reads++, Reflect.get(entry, name) as unknown) };
	const readsFor = (count: number) => {
		node = `node with ${count} rows ${what}`;
		const { journal, rerun } = runOf('1');
		for (const row of times(count)) {
			const { content, fixedTime } = rowOf(row);
			const sent = entryOf(`${row}`, content === 'new' ? 'old' : content, { fixedTime });
			journal.add(new Proxy(sent, counted));
		}
		rerun.recognize(
			times(count, (row) => ({ content: rowOf(row).content, fixedTime: `${row}`, item: `item ${row}` })),
		);
		rerun.endRound(true);
		const next = runOf('2');
		reads = 0;
		const rows = times(count, (row) => ({ item: '', fixedTime: undefined, ...rowOf(row) }));
		expect(next.rerun.recognize(rows).size).toBe(0);
		const found = rows.filter(({ item }) => next.journal.begunOf(item).length > 0);
		expect(found).toHaveLength(rowOf(1).content === 'new' ? count / 2 : count);
		return reads;
	};
	expect(readsFor(200)).toBe(2 * readsFor(100));
});

test('nothing after a run in which nothing failed, for another node, or an hour later', () => {
	jest.useFakeTimers({ now: 0 });
	expect(round('1', [['a', 'A']], { failed: false }).isDone).toBe(true);
	expect(leftTo('2')).toEqual([]);
	expect(round('3', [['a', 'A']]).isDone).toBe(false);
	jest.setSystemTime(HOUR_MS);
	expect(leftTo('4')).toEqual(['a']);
	jest.setSystemTime(HOUR_MS + 1);
	expect(leftTo('4')).toEqual([]);
	jest.useRealTimers();
	round('5', [['a', 'A']]);
	node = 'another';
	expect(leftTo('6')).toEqual([]);
});

test('what the next run did not come to is left to the one after it; one that ends before changes nothing', () => {
	round('1', [
		['a', 'A'],
		['b', 'B'],
	]);
	found(runOf('2'), 'A');
	expect(leftTo('2')).toEqual(['a', 'b']);
	const second = runOf('2');
	found(second, 'A');
	second.rerun.endRound(true);
	expect(found(runOf('3'), 'A', 'B')).toEqual(['a', 'b']);
});

test('rounds and tries of an execution are one run: it failed where a round did in its last try', () => {
	round('0', [['z', 'Z']]);
	const memory = {};
	round('1', [['a', 'A']], { memory });
	expect(pendingOf(runOf('1', memory).rerun)).toEqual(['z']);
	round('1', [['b', 'B']], { failed: false, index: 1, memory });
	expect(leftTo('2').sort()).toEqual(['a', 'b', 'z']);
	round('1', [], { failed: false, memory });
	// What nobody asked for is left.
	expect(leftTo('2')).toEqual(['z']);
});

test('all runs together hold 32 MiB: those that ended longest ago are forgotten, and a larger one by itself', () => {
	const large = { body: { text: 'x'.repeat(12 * 2 ** 20) } };
	const [first, second, third] = ['first', 'second', 'third'];
	for (node of [first, second]) expect(round('1', [['a', 'A', large]]).isKept).toBe(true);
	// What is sent at each press isn't kept.
	node = 'updates';
	expect(round('1', [['a', 'A', { contents: undefined }]]).isKept).toBe(false);
	node = first;
	round('2');
	node = third;
	round('1', [['a', 'A', large]]);
	const kept = [first, second, third].map((one) => {
		node = one;
		return leftTo('3').length;
	});
	expect(kept).toEqual([1, 0, 1]);
	node = 'huge';
	const { isKept } = round('1', [
		['a', 'A', large],
		['b', 'B', large],
		['c', 'C', large],
	]);
	expect(isKept).toBe(false);
});
