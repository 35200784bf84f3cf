import { DateTime } from 'luxon';

import { accounts, isConnected } from '../../../../nodes/SocialPublishing/lookups/accounts';
import { locatorValue, textOf } from '../../../../nodes/SocialPublishing/lookups/locatorValue';
import { closest, findId, typoOf } from '../../../../nodes/SocialPublishing/lookups/names';
import { filled } from '../../../../nodes/SocialPublishing/lookups/source';
import { workspaces } from '../../../../nodes/SocialPublishing/lookups/workspaces';

test('text of whatever is given', () => {
	expect(textOf(DateTime.fromISO('2026-06-01T10:00', { zone: 'utc' }))).toBe('2026-06-01T10:00:00.000Z');
	expect(textOf(DateTime.fromISO('never'))).toBe('Invalid DateTime');
	expect(textOf(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
	expect(textOf(new Date(Number.NaN))).toBe('Invalid Date');
	expect(textOf({ toISO: 'text' })).toBe('{"toISO":"text"}');
	expect(textOf({ a: [1] })).toBe('{"a":[1]}');
	expect(textOf(Object.assign(() => 1, { toISO: () => 'no' }))).toContain('=>');
	expect([undefined, null, 7, true, 1n].map(textOf)).toEqual(['', '', '7', 'true', '1']);
});

test('an ID, or the last part of an address', () => {
	expect(locatorValue('HTTP://a.example/posts/p_1')).toBe('p_1');
	expect(locatorValue('see http://a.example/posts/p_1')).toBe('see http://a.example/posts/p_1');
	expect(locatorValue({ mode: 'id' })).toBe('{"mode":"id"}');
});

describe('names', () => {
	const list = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: 'Plum' }));
	const detailsOf = (records: object[], wanted: string) => {
		try {
			findId(records as never, wanted, workspaces, 'Workspace');
		} catch (error) {
			return (error as { details: { code: string; message: string; hint: string } }).details;
		}
		throw new Error('found');
	};

	test('what several are called', () => {
		expect(detailsOf(list, 'plum')).toMatchObject({
			code: 'NODE_NAME_AMBIGUOUS',
			message: "'Workspace' is not clear: 4 are called plum",
			hint: 'Give the ID of the one you mean: Plum (a), Plum (b), Plum (c), ….',
		});
		expect(detailsOf(list.slice(0, 3), 'plum').hint).toBe(
			'Give the ID of the one you mean: Plum (a), Plum (b), Plum (c).',
		);
	});

	test('what nobody is called', () => {
		expect(detailsOf([], 'x'.repeat(100))).toMatchObject({
			message: `'Workspace' is neither an ID nor a name that the service lists: ${'x'.repeat(100)}`,
			hint: 'The service lists none. Check the workspace.',
		});
		expect(detailsOf([], 'x'.repeat(101)).message).toMatch(/: x{100}…$/);
		expect(detailsOf(list, 'Plun').hint).toBe(
			'The closest are: Plum (d), Plum (a), Plum (b). Choose one from the list or give its ID.',
		);
	});

	test('by pairs of letters, whatever the case', () => {
		expect(closest(['ab', 'ba'], 'AB')).toEqual(['ab', 'ba']);
		expect(closest(['abab', 'abcd'], 'abab', 1)).toEqual(['abab']);
		expect(closest(['a-very-long-one-with-plum', 'plum'], 'plum', 1)).toEqual(['plum']);
		expect(closest(['a@b'], 'a@b')).toEqual(['a@b']);
		expect(typoOf(['instagram', 'x'], 'instagrm')).toBe('instagram');
		expect(typoOf(['instagram', 'x'], 'mastodon')).toBeUndefined();
		expect(typoOf([], 'x')).toBeUndefined();
		expect(findId([{ id: 'a', name: 'A@b' }], 'a@B', workspaces, 'Workspace')).toBe('a');
		expect(detailsOf([{ id: 'a', name: 'A@b' }], 'ab').code).toBe('NODE_NAME_UNKNOWN');
	});
});

test('labels and names of records', () => {
	expect(filled(['a', ' ', '', 7, null, ' b'])).toEqual(['a', ' b']);
	expect([workspaces.label({ id: 'ws', name: 'Plum' }), workspaces.label({ id: 'ws' })]).toEqual([
		'Plum',
		'ws',
	]);
	expect(workspaces.names({ id: 'ws', name: 'Plum' })).toEqual(['Plum']);
	const account = { id: 'acc', name: 'Plum', username: 'plum', platform: 'x' };
	expect(accounts.label(account)).toBe('Plum · X');
	expect(accounts.label({ id: 'acc', username: 'plum' })).toBe('plum');
	expect(accounts.label({ id: 'acc', platform: 'x' })).toBe('acc · X');
	expect(accounts.names(account)).toEqual(['Plum', 'Plum · x', 'Plum · X', 'plum', 'plum · x', 'plum · X']);
	expect(['active', 'DISCONNECTED', 'expired', undefined].map((status) => isConnected({ status }))).toEqual([
		true,
		false,
		false,
		true,
	]);
});
