import fc from 'fast-check';
import { map } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Failure } from '../../../../nodes/api/failure';
import { wasNotProcessed } from '../../../../nodes/api/retryPolicy';
import { Journal, type Entry, type State } from '../../../../nodes/SocialPublishing/writes/journal';
import { answered, failureOf } from '../../../support/failure';
import { runs } from '../../../support/property';

/** Which writes are found again: `write.test.ts`. */

const came = {
	succeeded: { id: 'post_1', details: 'of the service' },
	keptAsFailed: answered(422).with({ code: 'PUBLIC_API_PUBLISH_FAILED', request: 'POST /posts' }),
	rejected: answered(400, true),
	inDoubt: answered(500),
};
type Result = keyof typeof came;
const results = Object.keys(came) as Result[];
const at = (more: Partial<Entry> = {}) => ({
	...{ item: 'a', method: 'POST' as const, path: '/posts', names: ['x'], workspaceId: 'ws_1' },
	...more,
});
const write = (more: Partial<Entry> = {}): Entry => ({
	...{ ...at(), key: 'key-a', state: 'inDoubt', body: { text: 'Hello' } },
	...more,
});

/** The next try of the execution: it reads what n8n stored. */
const next = (memory: IDataObject): [IDataObject, Journal] => {
	const stored = JSON.parse(JSON.stringify(memory)) as IDataObject;
	return [stored, new Journal(stored, '0')];
};

/** The table of docs/idempotency.md: the state after each result, by the state before it. */
const text = readFileSync(join(__dirname, '../../../../docs/idempotency.md'), 'utf8');
const [, ...rows] = /### States of a write\n\n([^]*?)\n\n\*/.exec(text)![1]!.split('\n').slice(1);
const documented = Object.fromEntries(
	rows.map((line) => {
		const [, state, asked, ...then] = line.split('|').map((cell) => cell.trim());
		return [state, { asked, next: Object.fromEntries(results.map((one, i) => [one, then[i]])) }];
	}),
) as Record<State, { asked: string; next: Record<Result, State> }>;

test('what may have been carried out is never sent anew, and stays so; what succeeded stays so', () => {
	const { new: first, inDoubt, ...settled } = documented;
	expect([first.asked, inDoubt.asked]).toEqual(['is sent', expect.stringMatching(/^the first request/)]);
	expect(Object.keys(settled)).toEqual(['succeeded', 'keptAsFailed']);
	for (const { asked } of Object.values(settled)) expect(asked).toMatch(/^nothing is sent/);
	for (const { next } of [inDoubt, ...Object.values(settled)])
		expect(Object.values(next)).not.toContain('new');
	expect(new Set(Object.values(settled.succeeded.next))).toEqual(new Set(['succeeded']));
});

test('states follow the table of docs/idempotency.md, also over retries', () => {
	const property = fc.property(fc.array(fc.constantFrom(...results), { minLength: 1 }), (all) => {
		let memory: IDataObject = {};
		let journal = new Journal(memory, '0');
		let state: State = 'new';
		for (const result of all) {
			const [known] = journal.adoptBegun(at(), []);
			expect(known?.state ?? 'new').toBe(state);
			const entry = known ?? journal.add(write());
			journal.settle(entry, state, came[result]);
			state = documented[state].next[result];
			expect([entry.state, journal.keys.has('key-a')]).toEqual([state, state !== 'new']);
			[memory, journal] = next(memory);
		}
	});
	fc.assert(property, runs(200));
});

test('what certainly was not carried out leaves nothing behind', () => {
	const memory: IDataObject = {};
	const journal = new Journal(memory, '0');
	const entry = journal.add(write());
	const other = journal.add(write({ key: 'key-b' }));
	journal.settle(entry, 'new', came.rejected);
	expect(entry).not.toHaveProperty('error');
	expect(entry).not.toHaveProperty('body');
	expect(journal.adoptBegun(at(), [])).toEqual([other]);
	const [, again] = next(memory);
	expect([again.entries, [...again.keys], again.begunOf('a')]).toEqual([[other], ['key-b'], [other]]);
});

test('the answer is kept as it was, unless it may be a secret; a failure only of what the service kept', () => {
	const journal = new Journal({}, '0');
	const settled = (
		more: Partial<Entry>,
		before: State,
		...results: Array<IDataObject | Failure | undefined>
	) => {
		const entry = journal.add(write(more));
		for (const result of results) journal.settle(entry, before, result);
		return entry;
	};
	const answer = { id: 'post_1', media: ['a'] };
	const open = settled({}, 'new', answer);
	answer.media.push('b');
	expect(open.response).toEqual({ id: 'post_1', media: ['a'] });
	expect(settled({}, 'new', undefined)).not.toHaveProperty('response');
	expect(settled({}, 'new', came.inDoubt)).not.toHaveProperty('error');
	expect(settled({}, 'succeeded', came.keptAsFailed)).not.toHaveProperty('error');
	const kept = settled({}, 'inDoubt', came.keptAsFailed);
	journal.settle(kept, 'keptAsFailed', came.inDoubt);
	expect(kept).toMatchObject({ state: 'keptAsFailed', error: { code: 'PUBLIC_API_PUBLISH_FAILED' } });
});

const published = { code: 'PUBLIC_API_PUBLISH_FAILED' };
test.each<[Partial<Entry>, object, State]>([
	[{}, published, 'keptAsFailed'],
	[{}, { post: { id: 'post_1' } }, 'keptAsFailed'],
	[
		{},
		{ post: { platforms: [{ platform: 'x', provider_post_id: '77' }, { platform: 'tiktok' }] } },
		'succeeded',
	],
	[{ method: 'PATCH' }, { post: { status: 'completed' } }, 'new'],
	[{}, { code: 'VALIDATION_ERROR' }, 'new'],
	[{ method: 'PATCH' }, { code: 'HTTP_422' }, 'inDoubt'],
	[{ path: '/posts/1' }, published, 'new'],
	[{ path: '/media' }, published, 'new'],
	[{ method: 'PATCH' }, published, 'new'],
])('422: the service keeps what it refused of a post alone: %j with %j', (more, details, state) => {
	const journal = new Journal({}, '0');
	const entry = journal.add(write(more));
	const { method, path } = entry;
	const refused = answered(422).with({ ...details, request: `${method} ${path}` });
	journal.settle(entry, 'new', refused.withNotProcessed(wasNotProcessed(refused.details)));
	expect(entry.state).toBe(state);
	// What was kept is what is reported again.
	expect('error' in entry).toBe(state === 'succeeded' || state === 'keptAsFailed');
});

test.each<[string, Failure[], boolean]>([
	['in doubt and then refused', [came.inDoubt, came.rejected], true],
	['in doubt and then refused as unprocessable', [came.inDoubt, answered(422, true)], true],
	['refused as unprocessable after an attempt in doubt', [answered(422)], true],
	['refused after an attempt in doubt', [answered(400)], true],
	['refused by a gateway', [came.inDoubt, answered(400, true).with({ code: 'HTTP_400' })], false],
	['refused for its API key', [came.inDoubt, answered(401, true)], false],
	['refused at once', [came.rejected], false],
])('what it says may be corrected only where the service refused it: %s', (_what, failures, wasRefused) => {
	const journal = new Journal({}, '0');
	const entry = journal.add(write());
	for (const [i, one] of failures.entries()) journal.settle(entry, i === 0 ? 'new' : entry.state, one);
	expect(entry.wasRefused === true).toBe(wasRefused);
	expect(entry.state).toBe(failures[0] === came.rejected ? 'new' : 'inDoubt');
});

test('another workspace is another write; whether a named one is the own one of the key, nobody can know', () => {
	const journal = new Journal({}, '0');
	journal.add(write());
	expect(journal.adoptBegun(at({ workspaceId: 'ws_2' }), [])).toEqual([]);
	expect(failureOf(() => journal.adoptBegun(at({ workspaceId: '' }), [])).details).toMatchObject({
		code: 'NODE_WORKSPACE_UNCLEAR',
		message: "An earlier try of this execution used the workspace 'ws_1', this one names none",
		hint: expect.stringMatching(/^These may be the same, so nothing was sent again\. Set 'Workspace' back/),
	});
	const same = journal.add(write({ workspaceId: '', key: 'key-b' }));
	expect(journal.adoptBegun(at({ workspaceId: '' }), [])).toEqual([same]);
	expect(() => journal.adoptBegun(at({ workspaceId: 'ws_3' }), [])).toThrow(
		"An earlier try of this execution used the API key's own workspace, this one 'ws_3'",
	);
});

const [mine, yours] = [{ ownKey: 'mine' }, { ownKey: 'yours' }];
test.each<[what: string, begun: Partial<Entry>, asked: Partial<Entry>, isFound: boolean]>([
	['another path', {}, { path: '/media' }, false],
	["the same key of the user's own", mine, mine, true],
	["another key of the user's own", mine, yours, false],
	["another key of the user's own after a success", { ...mine, state: 'succeeded' }, yours, true],
	["no key of the user's own", mine, {}, true],
	["a key of the user's own after none", {}, mine, true],
	['a part of what it said', { contents: ['a', 'b'] }, { contents: ['b'] }, true],
	['other content', { contents: ['a', 'b'] }, { contents: ['c'] }, false],
])('a retry with %s finds what was begun, or not', (_what, begun, asked, isFound) => {
	// Only calls are told apart by their content.
	const journal = new Journal({}, begun.contents ? 'tool' : '0');
	const entry = journal.add(write(begun));
	expect(journal.adoptBegun(at(asked), asked.contents ?? [])).toEqual(isFound ? [entry] : []);
});

test('what a round left in doubt goes on in a later one with an equal item that says the same, each once', () => {
	const memory: IDataObject = {};
	const first = new Journal(memory, '0');
	for (const [item, key, state = 'inDoubt'] of [
		['row#0', '1'],
		['row#0', '2'],
		['row#1', '3'],
		['rest#0', '4', 'succeeded'],
		['refused#0', '5', 'new'],
	] as const)
		first.add(write({ item, key, state, contents: [`says ${key}`, 'all'] }));
	const second = new Journal(memory, '1');
	expect([...second.keys]).toEqual(['1', '2', '3', '4']);
	const begun = [
		...['row#9^0 all', 'rest#0 all', 'refused#0 all', 'row#1 says 4', 'row#1 says 2', 'row#1 all'],
		...['row#0 says 1', 'row#0 all', 'row#2 all'],
	].map((one) => {
		const [, item = '', says] = /(\S+) (.*)/.exec(one)!;
		second.adopt(item, [undefined, says]);
		return map(second.begunOf(item), 'key').join();
	});
	expect(begun).toEqual(['', '', '', '', '1,2', '1,2', '', '3', '']);
	// Its file was sent again before anybody could tell what the post says.
	const third = new Journal(
		{ writes: { 0: [write({ item: 'row#0', key: '6', contents: ['post'] })] } } as never,
		'1',
	);
	third.add(write({ item: 'row#0', key: '7', path: '/media/upload-url', contents: ['file'] }));
	for (const said of ['post', 'post', 'file']) third.adopt('row#0', [said]);
	expect(map(third.begunOf('row#0'), 'key')).toEqual(['7', '6']);
	expect(second.entries.map(({ item, key }) => `${item} ${key}`)).toEqual(['row#1 1', 'row#1 2', 'row#0 3']);
	expect(map(second.ofAllRounds, 'key').sort()).toEqual(['1', '2', '3', '4', '5']);
});

test('what a failed run by hand sent is lent to an item that has nothing by that name', () => {
	const journal = new Journal({}, '0');
	const lent = ['x', 'y', 'y'].map((name) => write({ names: [name], key: name }));
	const own = journal.add(write());
	expect(lent.map((entry) => journal.lend(entry, 'a'))).toEqual([false, true, false]);
	expect(journal.begunOf('a')).toEqual([own, lent[1]]);
});

test('a row whose upload was replaced comes back by the key of what replaced it', () => {
	const memory: IDataObject = {};
	const earlier = new Journal(memory, '0');
	const upload = earlier.add(write({ item: 'a#0', upload: 'ofPost' }));
	earlier.add(write({ item: 'a#0', key: 'key-b', upload: 'ofPost' }));
	earlier.settle(upload, 'new', { idempotency_key: 'key-b' });
	expect([earlier.entries, earlier.begunOf('a#0')]).toEqual([[upload], [upload]]);
	expect(new Journal(memory, '1').comesBack('key-b', 'a')).toBe('a#0^0');
	// A user's own key may be any text, also the name of what each object has.
	for (const key of ['undefined', 'constructor'])
		expect(new Journal(memory, '2').comesBack(key, 'a')).toBeUndefined();
});

test('a row that came back is known in the next try, although what failed of it is certainly not sent', () => {
	const memory: IDataObject = {};
	new Journal(memory, '0').add(write({ item: 'a#0', state: 'inDoubt' }));
	const journal = new Journal(memory, '1');
	const row = journal.comesBack('key-a', 'a')!;
	journal.settle(journal.begunOf(row)[0]!, 'new', answered(409, true));
	const next = new Journal(memory, '1');
	expect([next.comesBack('key-a', 'a'), next.adoptBegun(at({ item: row }), [])]).toEqual([row, []]);
});

test('of equal rows with one key, what comes back is first the one of which something was begun, and then each once', () => {
	const memory: IDataObject = {};
	const earlier = new Journal(memory, '0');
	for (const [item, state] of [
		['b#0', 'succeeded'] as const,
		['a#0', 'new'] as const,
		['a#1', 'inDoubt'] as const,
	])
		earlier.add(write({ item, state }));
	const journal = new Journal(memory, '1');
	const rows = ['a', 'a', 'a', 'b', 'c'].map((held) => journal.comesBack('key-a', held));
	expect(rows).toEqual(['a#1^0', 'a#0^0', 'a#1^0', 'b#0^0', undefined]);
});

test('what a row that comes back began is its alone, in the next try, too; a new row with its key is not taken for it', () => {
	const memory: IDataObject = {};
	const earlier = new Journal(memory, '0');
	for (const state of ['inDoubt', 'keptAsFailed'] as const) earlier.add(write({ item: 'a#0', state }));
	for (const round of ['1', '1']) {
		const journal = new Journal(memory, round);
		// Alone with its key it may hold something else by now.
		const row = journal.comesBack('key-a', 'changed')!;
		expect([row, map(journal.begunOf(row), 'state'), journal.begunOf('a#1')]).toEqual([
			'a#0^0',
			['inDoubt'],
			[],
		]);
	}
	const refused = { writes: { 0: [write({ item: 'a#0', state: 'new' })] } } as unknown as IDataObject;
	const next = new Journal(refused, '1');
	next.add(write({ item: 'a#1' }));
	expect(next.comesBack('key-a', 'a')).toBe('a#0^0');
});
