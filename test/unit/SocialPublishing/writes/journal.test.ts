import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../nodes/api/failure';
import { Journal, postsIn, type Entry } from '../../../../nodes/SocialPublishing/writes/journal';
import { transitions, type Result, type State } from '../../../../nodes/SocialPublishing/writes/transitions';
import { runs } from '../../../support/property';

const failure = (status: number, notProcessed = false) =>
	new Failure({ code: `OF_${status}`, message: 'no', hint: 'try', status }).withNotProcessed(notProcessed);
const came: Record<Result, IDataObject | Failure> = {
	succeeded: { id: 'post_1' },
	keptAsFailed: failure(422, true),
	rejected: failure(400, true),
	inDoubt: failure(500),
};
const write = (more: Partial<Entry> = {}): Omit<Entry, 'state'> => ({
	ids: ['a'],
	workspaceId: 'ws_1',
	key: 'key-a',
	request: { method: 'POST', path: '/posts', body: { text: 'Hello' } },
	...more,
});
const at = (...ids: string[]) => ({ ids, workspaceId: 'ws_1' });

/** The next try of the execution: it reads what n8n stored. */
const next = (memory: IDataObject, round = '0'): [IDataObject, Journal] => {
	const stored = JSON.parse(JSON.stringify(memory)) as IDataObject;
	return [stored, new Journal(stored, round)];
};

test('states follow the table of docs/idempotency.md, also over retries', () => {
	const results = fc.array(fc.constantFrom(...(Object.keys(came) as Result[])), { minLength: 1 });
	const property = fc.property(results, (all) => {
		let memory: IDataObject = {};
		let journal = new Journal(memory, '0');
		let state: State = 'new';
		for (const result of all) {
			const known = journal.lookup(at('a'));
			expect(known?.state).toBe(state === 'rejected' || state === 'new' ? undefined : state);
			const entry = known ?? journal.begin(write());
			if (!known) expect(entry.state).toBe('inDoubt');
			journal.settle(entry, known?.state ?? 'new', came[result]);
			state = transitions[known?.state ?? 'new'].next[result];
			expect(entry.state).toBe(state);
			[memory, journal] = next(memory);
		}
	});
	fc.assert(property, runs(100));
});

test('a write is noted before it is sent, and found by each of its ids', () => {
	const memory: IDataObject = {};
	new Journal(memory, '0').begin(write({ ids: ['a', 'b'] }));
	const [, journal] = next(memory);
	for (const id of ['a', 'b'])
		expect(journal.lookup(at('other', id))).toEqual({ ...write({ ids: ['a', 'b'] }), state: 'inDoubt' });
	expect(journal.lookup(at('other'))).toBeUndefined();
	expect([journal.isTaken('key-a'), journal.isTaken('key-b')]).toEqual([true, false]);
});

test('what certainly was not carried out leaves nothing behind, its key neither', () => {
	const memory: IDataObject = {};
	const journal = new Journal(memory, '0');
	const entry = journal.begin(write());
	const other = journal.begin(write({ key: 'key-b' }));
	journal.settle(entry, 'new', came.rejected);
	expect(entry).not.toHaveProperty('error');
	expect(journal.lookup(at('a'))).toBe(other);
	expect([journal.isTaken('key-a'), journal.isTaken('key-b')]).toEqual([false, true]);
	const [stored] = next(memory);
	expect((stored.writes as IDataObject)['0']).toEqual([expect.objectContaining({ key: 'key-b' })]);
});

test('a write that is sent each time is settled without being noted', () => {
	const journal = new Journal({}, '0');
	const kept = journal.begin(write({ ids: ['b'] }));
	const entry: Entry = { ...write({ ids: ['a', 'b'], key: 'key-each' }), state: 'inDoubt' };
	journal.settle(entry, 'new', came.rejected);
	expect(entry.state).toBe('rejected');
	expect([journal.lookup(at('a')), journal.lookup(at('b'))]).toEqual([undefined, kept]);
});

test('the answer is kept as it was, where the request may be; a failure only of what the service kept', () => {
	const journal = new Journal({}, '0');
	const answer = { id: 'post_1', media: ['a'] };
	const open = journal.begin(write());
	journal.settle(open, 'new', answer);
	answer.media.push('b');
	expect(open.response).toEqual({ id: 'post_1', media: ['a'] });
	const secret = journal.begin(write({ ids: ['s'], request: undefined }));
	journal.settle(secret, 'new', { secret: 'whsec' });
	expect([secret.state, secret.response]).toEqual(['succeeded', undefined]);
	const kept = journal.begin(write({ ids: ['k'] }));
	journal.settle(kept, 'new', came.keptAsFailed);
	expect(kept.error).toMatchObject({ code: 'OF_422' });
	journal.settle(kept, 'keptAsFailed', came.inDoubt);
	expect([kept.state, kept.error]).toMatchObject(['keptAsFailed', { code: 'OF_422' }]);
});

test('another workspace is another write; whether a named one is the own one of the key, nobody can tell', () => {
	const journal = new Journal({}, '0');
	journal.begin(write());
	expect(journal.lookup({ ids: ['a'], workspaceId: 'ws_2' })).toBeUndefined();
	const unclear = expect.objectContaining({
		message: expect.stringMatching(
			/^An earlier try of this execution used the workspace 'ws_1', this one names none/,
		),
		details: expect.objectContaining({
			code: 'NODE_WORKSPACE_UNCLEAR',
			hint: expect.stringContaining("Set 'Workspace' back"),
		}),
	});
	expect(() => journal.lookup({ ids: ['a'], workspaceId: '' })).toThrow(unclear);
	const without = journal.begin(write({ workspaceId: '' }));
	expect(journal.lookup({ ids: ['a'], workspaceId: '' })).toBe(without);
	expect(() => journal.lookup({ ids: ['a'], workspaceId: 'ws_3' })).toThrow(
		/used the API key's own workspace, this one 'ws_3'/,
	);
});

test("another key of the user's own is another write; a change of the mode is none", () => {
	const journal = new Journal({}, '0');
	const mine = journal.begin(write({ ownKey: 'mine' }));
	const keyed = (ownKey?: string) => journal.lookup({ ...at('a'), ownKey });
	expect([keyed('mine'), keyed(), keyed('yours')]).toEqual([mine, mine, undefined]);
	const unkeyed = journal.begin(write({ ids: ['b'] }));
	expect(journal.lookup({ ...at('b'), ownKey: 'mine' })).toBe(unkeyed);
});

test('each round of a loop has its own writes; one of another execution is taken in as a copy', () => {
	const memory: IDataObject = {};
	const first = new Journal(memory, '0').begin(write());
	const second = new Journal(memory, '1');
	expect(second.lookup(at('a'))).toBeUndefined();
	const own = second.carryOver(first, ['c']);
	expect([second.lookup(at('c')), own === first, first.ids]).toEqual([own, false, ['a']]);
	expect(own).toEqual({ ...first, ids: ['c'] });
});

test('the posts of a round: what was sent with what was answered', () => {
	const journal = new Journal({}, '0');
	journal.settle(journal.begin(write()), 'new', { id: 'post_1' });
	journal.begin(write({ ids: ['doubt'] }));
	journal.settle(
		journal.begin(write({ ids: ['reply'], request: { method: 'POST', path: '/inbox' } })),
		'new',
		{},
	);
	expect(journal.posts).toEqual([{ text: 'Hello', id: 'post_1' }]);
	expect(postsIn([])).toEqual([]);
	// One with a secret keeps no request.
	expect(postsIn([{ ids: ['a'], workspaceId: '', key: 'k', state: 'succeeded' }])).toEqual([]);
	expect(postsIn(journal.ofAllRounds)).toEqual(journal.posts);
});
