import { keyOfRef } from '../../../nodes/SocialPublishingTrigger/subscription';
import { readStored, stateIn, writeStored } from '../../../nodes/SocialPublishingTrigger/state';

/** What a process knows of its nodes. */

const stateOf = (workflow: string | undefined, node: string, mode = 'trigger') =>
	stateIn({
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ id: node }),
		getMode: () => mode,
	} as never);

it('is kept per workflow and node, and nothing is known at first', () => {
	const state = stateOf('w', 'n');
	expect(state).toMatchObject({ version: 0, life: 'idle', url: '', remembered: { former: [] } });
	expect(stateOf('w', 'n', 'webhook')).toBe(state);
	for (const other of [stateOf('w', 'other'), stateOf('other', 'n'), stateOf('w', 'n', 'manual')]) {
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

it('is kept of a published node, however many there are', () => {
	const published = Array.from({ length: 1_500 }, (_, i) => {
		const state = stateOf('published', `node ${i}`);
		state.ended('published');
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

describe('as time goes by', () => {
	beforeEach(() => void jest.useFakeTimers().advanceTimersByTime(3_600_000));
	afterEach(() => jest.useRealTimers());
	const nothing = { former: [] };

	it('what was not delivered is kept while a change is published, and dropped later', () => {
		const state = stateOf('w', 'changed');
		const undelivered = [{ eventId: 'a' }] as never;
		state.undelivered = undelivered;
		state.unpublished();
		jest.advanceTimersByTime(300_000);
		state.begin('', nothing, 'publishing');
		expect(state).toMatchObject({ undelivered, life: 'publishing' });
		jest.advanceTimersByTime(1);
		state.begin('', nothing);
		expect(state).toMatchObject({ undelivered: [], life: 'idle' });
	});

	it('the secrets of the key are read again after five seconds, and at once where there were none', async () => {
		const state = stateOf('w', 'secrets');
		const read = jest.fn(async () => ['s']).mockResolvedValueOnce([]);
		expect([await state.secretsOfKey(read), await state.secretsOfKey(read)]).toEqual([[], ['s']]);
		jest.advanceTimersByTime(4_999);
		await state.secretsOfKey(read);
		expect(read).toHaveBeenCalledTimes(2);
		jest.advanceTimersByTime(1);
		await state.secretsOfKey(read);
		expect(read).toHaveBeenCalledTimes(3);
	});
});

describe('what was deleted', () => {
	const place = { url: 'https://n8n.example.com', serviceUrl: 'https://api.example.com', workspaceId: '' };
	const ref = (webhookId: string) => ({ webhookId, ...place });
	const current = (webhookId: string) => ({ ...ref(webhookId), secret: 's', isDerived: true, events: ['a'] });

	it("is not taken from n8n's data again", () => {
		const state = stateOf('w', 'deleted');
		state.replaced({ former: [ref('2')] });
		state.deleted.set(keyOfRef(ref('1')), true);
		state.begin('', { current: current('1'), former: [ref('1'), ref('3')] });
		expect(state.remembered).toEqual({ former: [ref('3'), ref('2')] });
		state.unpublished();
		expect(state.remembered).toEqual({ former: [] });
	});

	it('counts again once the service has given its ID to a new one of ours', () => {
		const state = stateOf('w', 'given again');
		state.deleted.set(keyOfRef(ref('1')), true);
		expect(state.hasDeleted(ref('1'))).toBe(true);
		state.replaced({ current: current('1'), former: [ref('2')] });
		expect(state.hasDeleted(ref('1'))).toBe(false);
	});

	it('of those that could not be deleted, n8n keeps the last ten', () => {
		const data = {};
		writeStored(data, { former: Array.from({ length: 12 }, (_, i) => ref(`${i}`)) });
		expect(readStored(data).former.map(({ webhookId }) => webhookId)).toEqual([...'23456789', '10', '11']);
	});
});
