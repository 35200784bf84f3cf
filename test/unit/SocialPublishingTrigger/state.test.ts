import { stateIn } from '../../../nodes/SocialPublishingTrigger/state';

/** How much of its nodes a process remembers. */

const stateOf = (workflow: string, node: string) =>
	stateIn({
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ id: node }),
		getMode: () => 'trigger',
	} as never);

it('is kept for the thousand nodes that were used last', () => {
	const [old, used] = [stateOf('w', 'old'), stateOf('w', 'used')];
	const first = stateOf('w', 'node 0');
	for (let i = 1; i < 999; i++) stateOf('w', `node ${i}`);
	expect(stateOf('w', 'used')).toBe(used);
	expect(stateOf('w', 'old')).not.toBe(old);
	expect(stateOf('w', 'used')).toBe(used);
	expect(stateOf('w', 'node 0')).not.toBe(first);
});

it('is kept of a published node, however many there are', () => {
	const published = Array.from({ length: 1_500 }, (_, i) => {
		const state = stateOf('published', `node ${i}`);
		state.published();
		stateOf('published', `node ${i}`);
		return state;
	});
	for (let i = 0; i < 1_500; i++) stateOf('later', `node ${i}`);
	published.forEach((state, i) => expect(stateOf('published', `node ${i}`)).toBe(state));
});

it('remembers the last 20,000 taken events of a node', () => {
	const { tracker } = stateOf('w', 'busy');
	for (let i = 0; i <= 20_000; i++) tracker.reserve(`evt_${i}`)!('taken');
	expect([tracker.reserve('evt_1'), tracker.reserve('evt_0')]).toEqual([undefined, expect.anything()]);
});
