import fc from 'fast-check';

import {
	LONGEST_WAIT_MS,
	DeliveryTracker,
	type Acceptance,
} from '../../../nodes/SocialPublishingTrigger/dedupe';
import { runs } from '../../support/property';

const never = async () => await new Promise<void>(() => undefined);
const accepted = async (tracker: DeliveryTracker, id: string): Promise<Acceptance> => {
	const arrival = await tracker.admit(id, never);
	if (typeof arrival === 'string') throw new Error(`${id} is ${arrival}`);
	return arrival;
};

describe('the tracker of taken events', () => {
	it('lets copies wait for the outcome: all are duplicates of one that was taken', async () => {
		const tracker = new DeliveryTracker(10);
		const first = await accepted(tracker, 'a');
		const copies = Array.from({ length: 20 }, async () => await tracker.admit('a', never));
		first.end('taken');
		expect(new Set(await Promise.all(copies))).toEqual(new Set(['duplicate']));
	});

	it('lets one of the copies take the place of one that failed', async () => {
		const tracker = new DeliveryTracker(10);
		const first = await accepted(tracker, 'a');
		const copies = Array.from({ length: 20 }, async () => await tracker.admit('a', never));
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
		const tracker = new DeliveryTracker(10);
		const first = await accepted(tracker, 'a');
		const second = tracker.admit('a', never);
		const copy = tracker.admit('a', wait);
		first.end('failed');
		expect(typeof (await second)).toBe('object');
		late();
		expect(await copy).toBe('in progress');
		expect(waits).toEqual([LONGEST_WAIT_MS]);
	});

	it('counts only the first end of an acceptance', async () => {
		const tracker = new DeliveryTracker(10);
		const first = await accepted(tracker, 'a');
		first.end('failed');
		const second = await accepted(tracker, 'a');
		first.end('taken');
		expect(tracker.size).toBe(1);
		second.end('taken');
		expect(await tracker.admit('a', never)).toBe('duplicate');
	});

	it('keeps long ids short', async () => {
		const tracker = new DeliveryTracker(10);
		const long = 'x'.repeat(1_000_000);
		(await accepted(tracker, long)).end('taken');
		expect(await tracker.admit(long, never)).toBe('duplicate');
		await accepted(tracker, `${long}y`);
		expect(JSON.stringify([...(tracker as unknown as { taken: Set<string> }).taken]).length).toBeLessThan(
			100,
		);
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
				const tracker = new DeliveryTracker(3);
				let model: string[] = [];
				for (const { id, end } of life) {
					const arrival = await tracker.admit(id, never);
					if ((arrival === 'duplicate') !== model.includes(id)) return false;
					if (typeof arrival === 'string') continue;
					arrival.end(end);
					if (end === 'taken') model = [...model, id].slice(-3);
				}
				return tracker.size === model.length;
			}),
			runs(1000),
		);
	});
});

describe('an event that is caught up', () => {
	it('is begun once, unless it is taken or being accepted; copies wait for its end', async () => {
		const tracker = new DeliveryTracker(10);
		const first = tracker.reserve('a')!;
		expect(tracker.reserve('a')).toBeUndefined();
		const copy = tracker.admit('a', never);
		first.end('taken');
		expect(await copy).toBe('duplicate');
		expect(tracker.reserve('a')).toBeUndefined();
		await accepted(tracker, 'b');
		expect(tracker.reserve('b')).toBeUndefined();
		tracker.reserve('c')!.end('failed');
		expect(tracker.reserve('c')).toBeDefined();
	});

	it('that was handed on counts as taken, whoever was accepting it', async () => {
		const tracker = new DeliveryTracker(10);
		const first = await accepted(tracker, 'a');
		const copy = tracker.admit('a', never);
		tracker.markProcessed('a');
		tracker.markProcessed('b');
		expect(await copy).toBe('duplicate');
		first.end('failed');
		expect([await tracker.admit('a', never), await tracker.admit('b', never)]).toEqual([
			'duplicate',
			'duplicate',
		]);
		expect(tracker.size).toBe(2);
	});
});

describe('the outcome that an execution waits for', () => {
	it('is that of the acceptance in this process, and unknown elsewhere', async () => {
		const tracker = new DeliveryTracker(10);
		expect(tracker.outcomeOf('a')).toBeUndefined();
		const first = await accepted(tracker, 'a');
		const outcome = tracker.outcomeOf('a');
		first.end('taken');
		expect(await outcome).toBe('taken');
		expect(await tracker.outcomeOf('a')).toBe('taken');
		(await accepted(tracker, 'b')).end('failed');
		expect(tracker.outcomeOf('b')).toBeUndefined();
	});
});
