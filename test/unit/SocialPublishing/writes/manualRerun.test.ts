import type { Entry } from '../../../../nodes/SocialPublishing/writes/journal';
import { ManualRerun, type RunEnding } from '../../../../nodes/SocialPublishing/writes/manualRerun';

const HOUR_MS = 3_600_000;

describe('what a failed run by hand leaves to the next one', () => {
	let nodes = 0;
	let node: string;
	beforeEach(() => (node = `node ${nodes++}`));

	const entry = (key: string, state: Entry['state'] = 'succeeded', filler = ''): Entry => ({
		...{ item: `item ${key}`, method: 'POST', path: '/posts', names: [key], workspaceId: '' },
		...{ key, state, body: { filler } },
	});
	type Sent = Record<string, [contents: string, state?: Entry['state'], filler?: string]>;
	/** One round of a run: what it says by key, and in which state that is left. */
	function round(
		executionId: string,
		sent: Sent = {},
		{ ending = 'failed' as RunEnding | 'done', index = 0, nowMs = 0, final = [] as string[] } = {},
	): ManualRerun {
		const rerun = new ManualRerun(node, executionId, nowMs);
		for (const [key, [contents, state, filler]] of Object.entries(sent))
			rerun.note(contents.split(' '), entry(key, state, filler));
		rerun.endRound(index, ending === 'done' ? undefined : ending, new Set(final));
		return rerun;
	}
	const next = (executionId: string, nowMs = 0) => new ManualRerun(node, executionId, nowMs);
	const pending = (rerun: ManualRerun) => rerun.pending.map(({ key }) => key);
	/** What is found by these contents one after the other, and taken. */
	const takenBy = (rerun: ManualRerun, contents: string[]) => {
		const found = rerun.find(contents);
		if (found) expect([rerun.take(found), rerun.take(found)]).toEqual([true, false]);
		return found;
	};
	const taken = (rerun: ManualRerun, ...contents: string[]) =>
		contents.map((one) => takenBy(rerun, [one])?.key);

	test('what succeeded and what is in doubt, each once, nothing else', () => {
		const sent: Sent = { a: ['A'], b: ['B', 'inDoubt'], c: ['C', 'new'], d: ['D', 'keptAsFailed'], e: ['A'] };
		round('1', { ...sent, f: ['F'] }, { final: ['f'] });
		const rerun = next('2');
		expect(pending(rerun)).toEqual(['a', 'b', 'e']);
		expect(['A', 'A', 'C'].map((one) => rerun.find([one])?.key)).toEqual(['a', 'a', undefined]);
		expect(['a', 'b', 'd', 'f'].map((one) => rerun.byItem[`item ${one}`]?.length)).toEqual([
			1,
			1,
			undefined,
			undefined,
		]);
		expect(taken(rerun, 'A', 'A', 'A', 'B', 'C', 'D', 'F')).toEqual(['a', 'e', undefined, 'b', ...Array(3)]);
		expect([rerun.reused.map(({ key }) => key), pending(rerun)]).toEqual([['a', 'e', 'b'], []]);
	});

	test('of equal writes each finds its own, however often it asks; a preview keeps none from them', () => {
		round('1', { a: ['A'], b: ['A'] });
		const rerun = next('2');
		const found = (...finders: Array<string | undefined>) =>
			finders.map((finder) => rerun.find(['A'], finder)?.key);
		expect(found(undefined, '1', '2', '1', undefined, '3')).toEqual([
			'a',
			'a',
			'b',
			'a',
			undefined,
			undefined,
		]);
		expect(rerun.find(['B'], '1')).toBeUndefined();
		expect(rerun.take(rerun.find(['A'], '1')!)).toBe(true);
		expect(found('1', '2')).toEqual([undefined, 'b']);
	});

	test('a write of two names is found by each, and handed out once', () => {
		round('1', { a: ['x account:1'], b: ['y account:1'] });
		const rerun = next('2');
		expect(takenBy(rerun, ['other', 'account:1'])?.key).toBe('a');
		expect(taken(rerun, 'x', 'account:1', 'y')).toEqual([undefined, 'b', undefined]);
	});

	test('nothing after a run in which nothing failed, for another node, or after an hour', () => {
		round('1', { a: ['A'] }, { ending: 'done' });
		expect(pending(next('2'))).toEqual([]);
		round('3', { a: ['A'] }, { nowMs: 5 });
		expect(new ManualRerun('another', '4', 5).pending).toEqual([]);
		expect(pending(next('4', 5 + HOUR_MS))).toEqual(['a']);
		expect(pending(next('4', 6 + HOUR_MS))).toEqual([]);
	});

	test('how the run before ended', () => {
		expect(next('1').lastEnding).toBe('failed');
		round('1', {}, { ending: 'stopped' });
		expect(next('2').lastEnding).toBe('stopped');
		round('2', {}, { ending: 'done' });
		expect(next('3').lastEnding).toBe('stopped');
		round('3');
		expect(next('4').lastEnding).toBe('failed');
	});

	test('what the next run did not come to is left to the one after it', () => {
		round('1', { a: ['A'], b: ['B'] });
		const second = next('2');
		second.note(['A'], takenBy(second, ['A'])!);
		second.endRound(0, 'failed', new Set());
		expect(taken(next('3'), 'A', 'B')).toEqual(['a', 'b']);
	});

	test('a run that ends before it sends anything changes nothing', () => {
		round('1', { a: ['A'] });
		takenBy(next('2'), ['A']);
		expect(pending(next('3'))).toEqual(['a']);
	});

	test('rounds of a loop are one run: it failed where one of them did; a try that worked out is no failure', () => {
		round('0', { z: ['Z'] });
		round('1', { a: ['A'] });
		expect(taken(next('1'), 'A', 'Z')).toEqual([undefined, 'z']);
		round('1', { b: ['B'] }, { ending: 'done', index: 1 });
		expect(taken(next('2'), 'A', 'B')).toEqual(['a', 'b']);
		round('1', {}, { ending: 'done' });
		expect(pending(next('2'))).toEqual([]);
	});

	test('a write that is noted in two tries of a run is one, by what went out', () => {
		const one = entry('a', 'inDoubt');
		for (const content of ['A', 'B']) {
			const rerun = next('1');
			rerun.note([content], one);
			rerun.endRound(0, 'failed', new Set());
		}
		expect(taken(next('2'), 'B', 'A', 'A')).toEqual([undefined, 'a', undefined]);
	});

	test('all runs together hold 32 MiB: those that ran longest ago are forgotten, and a run that is larger by itself', () => {
		const large = 'x'.repeat(12 * 2 ** 20);
		const [first, second, third] = ['first', 'second', 'third'];
		for (node of [first, second]) expect(round('1', { a: ['A', 'succeeded', large] }).isKept).toBe(true);
		node = third;
		round('1', { a: ['A', 'succeeded', large] });
		const kept = [first, second, third].map((one) => new ManualRerun(one, '2', 0).pending.length);
		expect(kept).toEqual([0, 1, 1]);
		node = 'huge';
		expect(round('1', { a: ['A', 'succeeded', large + large + large] }).isKept).toBe(false);
	});
});
