import fc from 'fast-check';

import { LONGEST_WAIT, Memory, stateOf, type Acceptance } from '../../../nodes/SocialPublishingTrigger/seen';
import { runs } from '../../support/property';

const never = async () => await new Promise<void>(() => undefined);
const accepted = async (memory: Memory, id: string): Promise<Acceptance> => {
	const arrival = await memory.arrive(id, never);
	if (typeof arrival === 'string') throw new Error(`${id} is ${arrival}`);
	return arrival;
};

describe('the memory of taken events', () => {
	it('knows an event as taken once its answer went out', async () => {
		const memory = new Memory(10);
		(await accepted(memory, 'a')).end('taken');
		expect(await memory.arrive('a', never)).toBe('duplicate');
		expect(await memory.arrive('b', never)).not.toBe('duplicate');
	});

	it('forgets an event whose answer did not go out', async () => {
		const memory = new Memory(10);
		(await accepted(memory, 'a')).end('failed');
		await accepted(memory, 'a');
	});

	it('lets copies wait for the outcome: all are duplicates of one that was taken', async () => {
		const memory = new Memory(10);
		const first = await accepted(memory, 'a');
		const copies = Array.from({ length: 20 }, async () => await memory.arrive('a', never));
		first.end('taken');
		expect(new Set(await Promise.all(copies))).toEqual(new Set(['duplicate']));
	});

	it('lets one of the copies take the place of one that failed', async () => {
		const memory = new Memory(10);
		const first = await accepted(memory, 'a');
		const copies = Array.from({ length: 20 }, async () => await memory.arrive('a', never));
		first.end('failed');
		const next = await Promise.race(copies);
		expect(typeof next).toBe('object');
		(next as Acceptance).end('taken');
		const rest = (await Promise.all(copies)).filter((arrival) => arrival !== next);
		expect(rest).toHaveLength(19);
		expect(new Set(rest)).toEqual(new Set(['duplicate']));
	});

	it('says "in progress" after ten seconds in all, however often the place changed hands', async () => {
		let late!: () => void;
		const waits: number[] = [];
		const wait = async (ms: number) => {
			waits.push(ms);
			await new Promise<void>((resolve) => (late = resolve));
		};
		const memory = new Memory(10);
		const first = await accepted(memory, 'a');
		const second = memory.arrive('a', never);
		const copy = memory.arrive('a', wait);
		first.end('failed');
		expect(typeof (await second)).toBe('object');
		late();
		expect(await copy).toBe('in progress');
		expect(waits).toEqual([LONGEST_WAIT]);
	});

	it('counts only the first end of an acceptance', async () => {
		const memory = new Memory(10);
		const first = await accepted(memory, 'a');
		first.end('failed');
		const second = await accepted(memory, 'a');
		first.end('taken');
		expect(memory.size).toBe(1);
		second.end('taken');
		expect(await memory.arrive('a', never)).toBe('duplicate');
	});

	it('never holds more than its capacity, and forgets the oldest', async () => {
		const memory = new Memory(100);
		for (let i = 0; i < 10_000; i++) (await accepted(memory, `event ${i}`)).end('taken');
		expect(memory.size).toBe(100);
		expect(await memory.arrive('event 9999', never)).toBe('duplicate');
		expect(await memory.arrive('event 9900', never)).toBe('duplicate');
		(await accepted(memory, 'event 9899')).end('failed');
	});

	it('keeps long ids short', async () => {
		const memory = new Memory(10);
		const long = 'x'.repeat(1_000_000);
		(await accepted(memory, long)).end('taken');
		expect(await memory.arrive(long, never)).toBe('duplicate');
		await accepted(memory, `${long}y`);
		expect(JSON.stringify([...(memory as unknown as { taken: Set<string> }).taken]).length).toBeLessThan(100);
	});

	it('behaves like its model in 1,000 random lives', async () => {
		type Step = { id: string; end: 'taken' | 'failed' };
		const steps = fc.array(
			fc.record({
				id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
				end: fc.constantFrom('taken' as const, 'failed' as const),
			}),
			{ maxLength: 60 },
		);
		await fc.assert(
			fc.asyncProperty(steps, async (life: Step[]) => {
				const memory = new Memory(3);
				let model: string[] = [];
				for (const { id, end } of life) {
					const arrival = await memory.arrive(id, never);
					if ((arrival === 'duplicate') !== model.includes(id)) return false;
					if (typeof arrival === 'string') continue;
					arrival.end(end);
					if (end === 'taken') model = [...model, id].slice(-3);
				}
				return memory.size === model.length;
			}),
			runs(1000),
		);
	});
});

describe('the outcome that an execution waits for', () => {
	it('is that of the acceptance in this process, and unknown elsewhere', async () => {
		const memory = new Memory(10);
		expect(memory.outcomeOf('a')).toBeUndefined();
		const first = await accepted(memory, 'a');
		const outcome = memory.outcomeOf('a');
		first.end('taken');
		expect(await outcome).toBe('taken');
		expect(await memory.outcomeOf('a')).toBe('taken');
		(await accepted(memory, 'b')).end('failed');
		expect(memory.outcomeOf('b')).toBeUndefined();
	});
});

describe('what a process knows of its nodes', () => {
	it('is kept for ten thousand events between two copies, and more', async () => {
		const { memory } = stateOf('w', 'busy');
		const ids = Array.from({ length: 25_000 }, (_, i) => `evt_${i}`);
		for (const id of ids) (await accepted(memory, id)).end('taken');
		expect(memory.size).toBe(20_000);
		expect(await memory.arrive('evt_15000')).toBe('duplicate');
	});

	it('is kept per node and workflow, for a bounded number of nodes', async () => {
		const { memory } = stateOf('w', 'n');
		(await accepted(memory, 'a')).end('taken');
		expect(stateOf('w', 'n').memory).toBe(memory);
		expect(stateOf('w', 'other').memory).not.toBe(memory);
		expect(stateOf('other', 'n').memory).not.toBe(memory);
		for (let i = 0; i < 1000; i++) stateOf('w', `node ${i}`);
		expect(stateOf('w', 'n').memory).not.toBe(memory);
	});
});
