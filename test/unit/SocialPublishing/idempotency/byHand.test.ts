import { ByHand } from '../../../../nodes/SocialPublishing/idempotency/byHand';
import type { State } from '../../../../nodes/SocialPublishing/idempotency/transitions';
import type { WriteRecord } from '../../../../nodes/SocialPublishing/idempotency/writeRecord';

const HOUR = 3_600_000;

describe('what a failed run by hand leaves to the next one', () => {
	let nodes = 0;
	let node: string;
	beforeEach(() => (node = `node ${nodes++}`));

	const record = (key: string, state: Exclude<State, 'new'> = 'answered'): WriteRecord => ({
		key,
		state,
		mode: 'execution',
		method: 'POST',
		path: '/posts',
		workspaceId: '',
		targets: ['x'],
		run: '0',
		item: key,
		part: 'x',
	});
	/** One round of a run: what it says by key, and in which state that is left. */
	function round(
		executionId: string,
		sent: Record<string, [said: string, state?: Exclude<State, 'new'>]> = {},
		{ failed = true, index = 0, now = 0 } = {},
	): ByHand {
		const byHand = new ByHand(node, executionId, now);
		for (const [key, [said, state]] of Object.entries(sent)) byHand.note(record(key, state), said);
		byHand.ended(index, failed);
		return byHand;
	}
	const taken = (byHand: ByHand, ...said: string[]) => said.map((one) => byHand.take(one)?.key);

	test('what was answered and what is unclear, each once, nothing else', () => {
		round('1', { a: ['A'], b: ['B', 'unclear'], c: ['C', 'refused'], d: ['D', 'persisted'], e: ['A'] });
		const next = new ByHand(node, '2', 0);
		expect(next.knowsAny).toBe(true);
		expect(taken(next, 'A', 'A', 'A', 'B', 'C', 'D')).toEqual([
			'a',
			'e',
			undefined,
			'b',
			undefined,
			undefined,
		]);
		expect([next.taken, next.knowsAny]).toEqual([3, false]);
	});

	test('nothing after a run in which nothing failed, for another node, or after an hour', () => {
		round('1', { a: ['A'] }, { failed: false });
		expect(new ByHand(node, '2', 0).knowsAny).toBe(false);
		round('3', { a: ['A'] }, { now: 5 });
		expect(new ByHand('another', '4', 5).knowsAny).toBe(false);
		expect(new ByHand(node, '4', 5 + HOUR).knowsAny).toBe(true);
		expect(new ByHand(node, '4', 6 + HOUR).knowsAny).toBe(false);
	});

	test('what the next run did not come to is left to the one after it', () => {
		round('1', { a: ['A'], b: ['B'] });
		const second = new ByHand(node, '2', 0);
		second.note(second.take('A')!, 'A');
		second.ended(0, true);
		expect(taken(new ByHand(node, '3', 0), 'A', 'B')).toEqual(['a', 'b']);
	});

	test('rounds of a loop are one run: it failed where one of them did; a try that worked out is no failure', () => {
		round('0', { z: ['Z'] });
		round('1', { a: ['A'] }, { failed: true, index: 0 });
		expect(taken(new ByHand(node, '1', 0), 'A', 'Z')).toEqual([undefined, 'z']);
		round('1', { b: ['B'] }, { failed: false, index: 1 });
		expect(taken(new ByHand(node, '2', 0), 'A', 'B')).toEqual(['a', 'b']);
		round('1', { a: ['A'] }, { failed: false, index: 0 });
		expect(new ByHand(node, '2', 0).knowsAny).toBe(false);
	});

	test('a write that is noted in two tries of a run is one', () => {
		round('1', { a: ['A', 'unclear'] });
		round('1', { a: ['A'] });
		expect(taken(new ByHand(node, '2', 0), 'A', 'A')).toEqual(['a', undefined]);
	});

	test('a hundred nodes, those that ran last', () => {
		round('1', { a: ['A'] });
		const oldest = node;
		for (let i = 0; i < 99; i++) {
			node = `many ${i}`;
			round('1', { a: ['A'] });
		}
		expect(new ByHand(oldest, '2', 0).knowsAny).toBe(true);
		node = 'one too many';
		round('1', { a: ['A'] });
		expect(new ByHand(oldest, '2', 0).knowsAny).toBe(false);
		expect(new ByHand('many 0', '2', 0).knowsAny).toBe(true);
	});
});
