import type { Entry } from '../../../../nodes/SocialPublishing/writes/journal';
import { ManualRerun } from '../../../../nodes/SocialPublishing/writes/manualRerun';

const HOUR_MS = 3_600_000;

describe('what a failed run by hand leaves to the next one', () => {
	let nodes = 0;
	let node: string;
	beforeEach(() => (node = `node ${nodes++}`));

	const entry = (key: string, state: Entry['state'] = 'succeeded', filler = ''): Entry => ({
		ids: [key],
		workspaceId: '',
		key,
		state,
		request: { method: 'POST', path: '/posts', body: { filler } },
	});
	type Sent = Record<string, [content: string, state?: Entry['state'], filler?: string]>;
	/** One round of a run: what it says by key, and in which state that is left. */
	function round(
		executionId: string,
		sent: Sent = {},
		{ failed = true, index = 0, now = 0, final = [] as string[] } = {},
	): ManualRerun {
		const rerun = new ManualRerun(node, executionId, now);
		for (const [key, [content, state, filler]] of Object.entries(sent))
			rerun.note(content, entry(key, state, filler));
		rerun.endRound(index, failed, new Set(final));
		return rerun;
	}
	const next = (executionId: string, now = 0) => new ManualRerun(node, executionId, now);
	const pending = (rerun: ManualRerun) => rerun.pending.map(({ key }) => key);
	const taken = (rerun: ManualRerun, ...contents: string[]) => contents.map((one) => rerun.take(one)?.key);

	test('what succeeded and what is in doubt, each once, nothing else', () => {
		const sent: Sent = {
			a: ['A'],
			b: ['B', 'inDoubt'],
			c: ['C', 'rejected'],
			d: ['D', 'keptAsFailed'],
			e: ['A'],
		};
		round('1', { ...sent, f: ['F'] }, { final: ['f'] });
		const rerun = next('2');
		expect(pending(rerun)).toEqual(['a', 'e', 'b']);
		expect([rerun.find('A')?.key, rerun.find('A')?.key, rerun.find('C')]).toEqual(['a', 'a', undefined]);
		expect(['a', 'b', 'd', 'f'].map((one) => rerun.wasSent(one))).toEqual([true, true, false, false]);
		expect(taken(rerun, 'A', 'A', 'A', 'B', 'C', 'D', 'F')).toEqual(['a', 'e', undefined, 'b', ...Array(3)]);
		expect([rerun.reused.map(({ key }) => key), pending(rerun)]).toEqual([['a', 'e', 'b'], []]);
	});

	test('nothing after a run in which nothing failed, for another node, or after an hour', () => {
		round('1', { a: ['A'] }, { failed: false });
		expect(pending(next('2'))).toEqual([]);
		round('3', { a: ['A'] }, { now: 5 });
		expect(new ManualRerun('another', '4', 5).pending).toEqual([]);
		expect(pending(next('4', 5 + HOUR_MS))).toEqual(['a']);
		expect(pending(next('4', 6 + HOUR_MS))).toEqual([]);
	});

	test('what the next run did not come to is left to the one after it', () => {
		round('1', { a: ['A'], b: ['B'] });
		const second = next('2');
		second.note('A', second.take('A')!);
		second.endRound(0, true, new Set());
		expect(taken(next('3'), 'A', 'B')).toEqual(['a', 'b']);
	});

	test('a run that ends before it sends anything changes nothing', () => {
		round('1', { a: ['A'] });
		next('2').take('A');
		expect(pending(next('3'))).toEqual(['a']);
	});

	test('rounds of a loop are one run: it failed where one of them did; a try that worked out is no failure', () => {
		round('0', { z: ['Z'] });
		round('1', { a: ['A'] }, { failed: true, index: 0 });
		expect(taken(next('1'), 'A', 'Z')).toEqual([undefined, 'z']);
		round('1', { b: ['B'] }, { failed: false, index: 1 });
		expect(taken(next('2'), 'A', 'B')).toEqual(['a', 'b']);
		round('1', {}, { failed: false, index: 0 });
		expect(pending(next('2'))).toEqual([]);
	});

	test('a write that is noted in two tries of a run is one', () => {
		const one = entry('a', 'inDoubt');
		for (const executionId of ['1', '1']) {
			const rerun = next(executionId);
			rerun.note('A', one);
			rerun.endRound(0, true, new Set());
		}
		expect(taken(next('2'), 'A', 'A')).toEqual(['a', undefined]);
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
