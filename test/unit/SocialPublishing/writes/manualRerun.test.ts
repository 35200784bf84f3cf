import { Journal, type Entry } from '../../../../nodes/SocialPublishing/writes/journal';
import { ManualRerun } from '../../../../nodes/SocialPublishing/writes/manualRerun';

const HOUR_MS = 3_600_000;

let nodes = 0;
let node: string;
beforeEach(() => (node = `node ${nodes++}`));

const entryOf = (key: string, contents?: string, more: Partial<Entry> = {}): Entry => ({
	...{ item: `item ${key}`, method: 'POST', path: '/posts', names: [key], workspaceId: '', key },
	...{ state: 'succeeded', ...(contents ? { contents: contents.split(' ') } : {}), ...more },
});
/** A run, and its journal: one run of the node, or a round of it. */
function runOf(executionId: string, memory = {}, round = '0') {
	const journal = new Journal(memory, round);
	return { journal, memory, rerun: new ManualRerun(node, executionId, journal) };
}
/** One round of a run: what it says by key. */
function round(
	executionId: string,
	sent: ReadonlyArray<[key: string, contents?: string, more?: Partial<Entry>]> = [],
	{ failed = true, index = 0, memory = {} } = {},
) {
	const { rerun, journal } = runOf(executionId, memory, String(index));
	for (const one of sent) journal.add(entryOf(...one));
	rerun.endRound(index, failed);
	return rerun;
}
const pendingOf = ({ pending }: ManualRerun) => [...pending].map(({ key }) => key);
const leftTo = (executionId: string) => pendingOf(runOf(executionId).rerun);
/** Keys of what is found by these contents one after the other, and carried over. */
const found = (rerun: ManualRerun, ...contents: string[]) =>
	contents.map((one) => {
		const asked = entryOf('new', one, { names: [`${one} now`] });
		const entry = rerun.find(asked);
		if (!entry) return undefined;
		expect(rerun.carryOver(entry, asked)).toEqual({
			...{ ...entry, isCarriedOver: true },
			...{ item: 'item new', names: [`${one} now`], contents: one.split(' ') },
		});
		return entry.key;
	});

test('leaves what succeeded and what is in doubt, each once; of equal writes each finds its own', () => {
	round('1', [
		['a', 'A'],
		['b', 'B', { state: 'inDoubt' }],
		['c', 'C', { state: 'new' }],
		['d', 'D', { state: 'keptAsFailed' }],
		['e', 'A'],
		['f'],
	]);
	const { rerun, journal } = runOf('2');
	expect(pendingOf(rerun)).toEqual(['a', 'b', 'e']);
	expect(found(rerun, 'A', 'A', 'A', 'B', 'C')).toEqual(['a', 'e', undefined, 'b', undefined]);
	expect([pendingOf(rerun), journal.entries.map(({ key }) => key)]).toEqual([[], ['a', 'e', 'b']]);
	expect(rerun.find(entryOf('new'))).toBeUndefined();
});

test('a write of two names is found by each, and handed out once', () => {
	round('1', [
		['a', 'x account:1'],
		['b', 'y account:1'],
	]);
	const { rerun } = runOf('2');
	expect(found(rerun, 'other account:1', 'x', 'account:1', 'y')).toEqual(['a', undefined, 'b', undefined]);
});

test('a row costs the same however many were sent, also where their contents were changed since', () => {
	let reads = 0;
	const counted = { get: (entry: Entry, name: string) => (reads++, Reflect.get(entry, name) as unknown) };
	const readsFor = (rows: number) => {
		node = `node with ${rows} rows`;
		const { journal, rerun } = runOf('1');
		for (let row = 0; row < rows; row++)
			journal.add(new Proxy(entryOf(`${row}`, row % 2 ? `old${row}` : 'same'), counted));
		rerun.endRound(0, true);
		const { rerun: next } = runOf('2');
		reads = 0;
		for (let row = 0; row < rows; row++) {
			const asked = entryOf('new', row % 2 ? `new${row}` : 'same');
			const entry = next.find(asked);
			expect(entry?.key).toBe(row % 2 ? undefined : `${row}`);
			if (entry) next.carryOver(entry, asked);
			expect(next.pendingOf(`item ${row}`)).toHaveLength(entry ? 0 : 1);
		}
		return reads;
	};
	expect(readsFor(200)).toBe(2 * readsFor(100));
});

test('nothing after a run in which nothing failed, for another node, or an hour later', () => {
	jest.useFakeTimers({ now: 0 });
	round('1', [['a', 'A']], { failed: false });
	expect(leftTo('2')).toEqual([]);
	round('3', [['a', 'A']]);
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
	found(runOf('2').rerun, 'A');
	expect(leftTo('2')).toEqual(['a', 'b']);
	const { rerun } = runOf('2');
	found(rerun, 'A');
	rerun.endRound(0, true);
	expect(found(runOf('3').rerun, 'A', 'B')).toEqual(['a', 'b']);
});

test('rounds and tries of an execution are one run: it failed where a round did in its last try', () => {
	round('0', [['z', 'Z']]);
	const memory = {};
	round('1', [['a', 'A']], { memory });
	expect(pendingOf(runOf('1', memory).rerun)).toEqual(['z']);
	round('1', [['b', 'B']], { failed: false, index: 1, memory });
	expect(leftTo('2').sort()).toEqual(['a', 'b', 'z']);
	round('1', [], { failed: false, memory });
	expect(pendingOf(runOf('1', memory).rerun)).toEqual(['z']);
	expect(leftTo('2')).toEqual([]);
});

test('all runs together hold 32 MiB: those that ended longest ago are forgotten, and a larger one by itself', () => {
	const large = { body: { text: 'x'.repeat(12 * 2 ** 20) } };
	const [first, second, third] = ['first', 'second', 'third'];
	for (node of [first, second]) expect(round('1', [['a', 'A', large]]).isKept).toBe(true);
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
