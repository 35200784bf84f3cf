import {
	canonical,
	hashOf,
	keyOf,
	ownIdWarnings,
	ownKeyOf,
	scheduledAtIn,
} from '../../../../nodes/SocialPublishing/writes/key';
import { failureOf } from '../../../support/failure';

test('fingerprints and keys: stored executions and the service hold these values, they must not change', () => {
	expect(hashOf('Hello')).toBe('GF-NsyJx_iX1Yab8k4suJk');
	expect(keyOf('execution', 'node', 7)).toBe('n8n-hTVI52LKxzjYXG3w9Wzlz9CdgRncab9t_yxGIzlMOYw');
});

test('a key is told apart by each of its parts, and by where one ends', () => {
	const keys = [keyOf('a', 'b'), keyOf('ab'), keyOf('a', 'b', ''), keyOf('b', 'a'), keyOf('1'), keyOf(1)];
	expect(new Set(keys).size).toBe(keys.length);
	for (const key of keys) expect(key).toMatch(/^n8n-[\w-]{43}$/);
});

test('canonical text is the same whatever the order of the keys, at any depth; lists keep theirs', () => {
	const one = { b: 1, a: { d: [{ y: 1, x: 2 }, 'b', 'a'], c: null }, c: 'text' };
	const other = { c: 'text', a: { c: null, d: [{ x: 2, y: 1 }, 'b', 'a'] }, b: 1 };
	expect(canonical(one)).toBe('{"a":{"c":null,"d":[{"x":2,"y":1},"b","a"]},"b":1,"c":"text"}');
	expect(canonical(other)).toBe(canonical(one));
});

describe("a user's own key", () => {
	test.each([
		['record-7', '', 'record-7'],
		['record-7', 'x', 'record-7:x'],
		['!~', '', '!~'],
		['x'.repeat(255), '', 'x'.repeat(255)],
		['x'.repeat(253), 'x', `${'x'.repeat(253)}:x`],
	])('%j is sent as it is, with the platform %j behind it', (key, part, whole) =>
		expect(ownKeyOf(key, part || undefined)).toBe(whole),
	);

	test.each([
		...['#N/A', 'undefined', 'null', 'NaN', '{{$json.id}}'].map((key) => [key, `is '${key}'`]),
		['row-{{$json.id}}', "contains '{{$json.id}}'"],
	])('%s is what an expression left: a warning, since it may be meant', (key, said) =>
		expect(ownIdWarnings(key)).toEqual([`'My Own ID' ${said}: check the expression`]),
	);
	test.each([undefined, 'nullable', 'N/A-7', 'record-null'])('%s is no reason for a warning', (key) =>
		expect(ownIdWarnings(key)).toEqual([]),
	);

	const unsupported = (key: string) => [
		`'My Own ID' contains a space or an unsupported character: ${key.trim()}`,
		'Use ASCII letters, digits and symbols, without spaces.',
	];
	const empty = ["'My Own ID' is empty", /set 'Avoid Duplicates' back to its default/] as const;
	const long = ["'My Own ID' is too long: 256 characters", /^Use at most 255 characters/] as const;
	test.each([
		['', '', empty],
		['', 'x', empty],
		...['record 7', ' record', 'record\n', 'Bäckerei', 'record\x7f'].map((key) => [
			...[key, '', unsupported(key)],
		]),
		['\ufeff1', '', unsupported('U+FEFF 1')],
		['row-5', 'x:Plum Jam', unsupported('row-5:x:Plum Jam')],
		['x'.repeat(256), '', long],
		['x'.repeat(254), 'x', long],
	] as Array<[string, string, readonly [string, string | RegExp]]>)(
		'%j with the platform %j is refused',
		(key, part, [message, hint]) =>
			expect(failureOf(() => ownKeyOf(key, part || undefined)).details).toMatchObject({
				...{ code: 'NODE_IDEMPOTENCY_KEY', message },
				hint: expect.stringMatching(hint),
			}),
	);
});

test.each([
	[{ scheduled_at: '2026-06-01T12:00:00Z' }, '2026-06-01T12:00:00Z'],
	[{ schedule_at: '2026-06-01T12:00:00Z' }, '2026-06-01T12:00:00Z'],
	[{ scheduled_at: '' }, undefined],
	[{}, undefined],
])('the time in %j is %j', (body, time) => expect(scheduledAtIn(body)).toBe(time));
