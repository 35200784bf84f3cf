import { stateIn } from '../../../nodes/SocialPublishingTrigger/state';

/** What a process knows of its nodes. */

const stateOf = (workflow: string | undefined, node: string) =>
	stateIn({ getWorkflow: () => ({ id: workflow }), getNode: () => ({ id: node }) });

it('is kept per workflow and node, and nothing is known at first', () => {
	const state = stateOf('w', 'n');
	expect(state.subscription).toEqual({ generation: 0, isPublished: false, former: [] });
	expect(state.said).toEqual(new Map());
	expect(stateOf('w', 'n')).toBe(state);
	for (const other of [stateOf('w', 'other'), stateOf('other', 'n')]) {
		expect(other).not.toBe(state);
		expect(other.tracker).not.toBe(state.tracker);
		expect(other.claims).not.toBe(state.claims);
	}
});

it('is kept of a workflow that was never saved, too', () => {
	expect(stateOf(undefined, 'n')).toBe(stateOf('', 'n'));
	expect(stateOf('w|n', 'n')).not.toBe(stateOf('w', 'n'));
});

it('is kept for the thousand nodes that were used last', () => {
	const [old, used] = [stateOf('w', 'old'), stateOf('w', 'used')];
	const first = stateOf('w', 'node 0');
	for (let i = 1; i < 999; i++) stateOf('w', `node ${i}`);
	expect(stateOf('w', 'used')).toBe(used);
	expect(stateOf('w', 'old')).not.toBe(old);
	expect(stateOf('w', 'used')).toBe(used);
	expect(stateOf('w', 'node 0')).not.toBe(first);
});

it('remembers 20,000 taken events of a node: ten thousand between two copies, and more', async () => {
	const { tracker } = stateOf('w', 'busy');
	const take = async (id: string) => {
		const arrival = await tracker.admit(id);
		if (typeof arrival === 'object') arrival.end('taken');
		return arrival;
	};
	for (let i = 0; i < 25_000; i++) await take(`evt_${i}`);
	expect(tracker.size).toBe(20_000);
	expect(await take('evt_5000')).toBe('duplicate');
	expect(await take('evt_4999')).not.toBe('duplicate');
});
