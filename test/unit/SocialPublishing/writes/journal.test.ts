import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../nodes/api/failure';
import { Journal, type Entry, type Lookup } from '../../../../nodes/SocialPublishing/writes/journal';
import { transitions, type Result, type State } from '../../../../nodes/SocialPublishing/writes/transitions';
import { failureOf } from '../../../support/failure';
import { runs } from '../../../support/property';

const failure = (status: number, notProcessed = false) =>
	new Failure({ code: `OF_${status}`, message: 'no', hint: 'try', status }).withNotProcessed(notProcessed);
const came: Record<Result, IDataObject | Failure> = {
	succeeded: { id: 'post_1' },
	keptAsFailed: failure(422, true),
	rejected: failure(400, true),
	inDoubt: failure(500),
};
const at = (more: Partial<Lookup> = {}): Lookup => ({
	...{ item: 'a', method: 'POST', path: '/posts', names: ['x'], workspaceId: 'ws_1' },
	...more,
});
const write = (more: Partial<Entry> = {}): Entry => ({
	...{ ...at(), key: 'key-a', state: 'inDoubt', body: { text: 'Hello' } },
	...more,
});

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
			const known = journal.lookup(at());
			expect(known?.state ?? 'new').toBe(state);
			const entry = known ?? journal.add(write());
			journal.settle(entry, state, came[result]);
			state = transitions[state].next[result];
			expect([entry.state, journal.isTaken('key-a')]).toEqual([state, state !== 'new']);
			[memory, journal] = next(memory);
		}
	});
	fc.assert(property, runs(100));
});

test('a write is noted before it is sent, and found by each of its names', () => {
	const memory: IDataObject = {};
	const noted = new Journal(memory, '0').add(write({ names: ['x', 'account:1'] }));
	const [, journal] = next(memory);
	for (const name of ['x', 'account:1'])
		expect(journal.lookup(at({ names: ['other', name] }))).toEqual(noted);
	for (const more of [{ names: ['other'] }, { item: 'b' }, { method: 'PATCH' as const }, { path: '/b' }])
		expect(journal.lookup(at(more))).toBeUndefined();
	expect([journal.isTaken('key-a'), journal.isTaken('key-b')]).toEqual([true, false]);
	expect([journal.ofItem('a'), journal.ofItem('b')]).toEqual([[noted], []]);
});

test('what certainly was not carried out leaves nothing behind', () => {
	const memory: IDataObject = {};
	const journal = new Journal(memory, '0');
	const entry = journal.add(write());
	const other = journal.add(write({ key: 'key-b' }));
	journal.settle(entry, 'new', came.rejected);
	expect(entry).not.toHaveProperty('error');
	expect(entry).not.toHaveProperty('body');
	expect(journal.lookup(at())).toBe(other);
	expect(next(memory)[1].entries).toEqual([other]);
});

test('the answer is kept as it was, unless it may be a secret; a failure only of what the service kept', () => {
	const journal = new Journal({}, '0');
	const settled = (more: Partial<Entry>, before: State, ...results: Array<IDataObject | Failure>) => {
		const entry = journal.add(write(more));
		for (const result of results) journal.settle(entry, before, result);
		return entry;
	};
	const answer = { id: 'post_1', media: ['a'] };
	const open = settled({}, 'new', answer);
	answer.media.push('b');
	expect(open.response).toEqual({ id: 'post_1', media: ['a'] });
	expect(settled({ keepsNothing: true }, 'new', { secret: 'whsec' })).not.toHaveProperty('response');
	expect(settled({}, 'new', came.inDoubt)).not.toHaveProperty('error');
	const kept = settled({}, 'inDoubt', came.keptAsFailed);
	journal.settle(kept, 'keptAsFailed', came.inDoubt);
	expect(kept).toMatchObject({ state: 'keptAsFailed', error: { code: 'OF_422' } });
});

test('another workspace is another write; whether a named one is the own one of the key, nobody can know', () => {
	const journal = new Journal({}, '0');
	journal.add(write());
	expect(journal.lookup(at({ workspaceId: 'ws_2' }))).toBeUndefined();
	expect(failureOf(() => journal.lookup(at({ workspaceId: '' }))).details).toMatchObject({
		code: 'NODE_WORKSPACE_UNCLEAR',
		message: "An earlier try of this execution used the workspace 'ws_1', this one names none",
		hint: expect.stringContaining("Set 'Workspace' back"),
	});
	const without = journal.add(write({ workspaceId: '' }));
	expect(journal.lookup(at({ workspaceId: '' }))).toBe(without);
	expect(() => journal.lookup(at({ workspaceId: 'ws_3' }))).toThrow(
		/used the API key's own workspace, this one 'ws_3'/,
	);
});

test("another key of the user's own is another write; a change of the mode is none", () => {
	const journal = new Journal({}, '0');
	const mine = journal.add(write({ ownKey: 'mine' }));
	const keyed = ['mine', undefined, 'yours'].map((ownKey) => journal.lookup(at({ ownKey })));
	expect(keyed).toEqual([mine, mine, undefined]);
	const unkeyed = journal.add(write({ names: ['b'] }));
	expect(journal.lookup(at({ names: ['b'], ownKey: 'mine' }))).toBe(unkeyed);
});

test('each round of a loop has its own writes', () => {
	const memory: IDataObject = {};
	const first = new Journal(memory, '0').add(write());
	const second = new Journal(memory, '1');
	expect([second.lookup(at()), second.isTaken('key-a')]).toEqual([undefined, false]);
	const own = second.add(write({ key: 'key-b' }));
	expect([second.entries, second.ofAllRounds]).toEqual([[own], [first, own]]);
});
