import { canonical, customKey, hashOf, keyOf } from '../../../../nodes/SocialPublishing/writes/key';
import { failureOf } from '../../../support/failure';

/** Stored executions and the service hold these values: they must not change. */
describe('fingerprints and keys', () => {
	test('known answers', () => {
		expect(hashOf('Hello')).toBe('GF-NsyJx_iX1Yab8k4suJk');
		expect(hashOf('')).toBe('47DEQpj8HBSa-_TImW-5JC');
		expect(keyOf('execution', 'node', 7)).toBe('n8n-hTVI52LKxzjYXG3w9Wzlz9CdgRncab9t_yxGIzlMOYw');
	});

	test('a key is told apart by each of its parts, and by where one ends', () => {
		const keys = [keyOf('a', 'b'), keyOf('ab'), keyOf('a', 'b', ''), keyOf('b', 'a'), keyOf('1'), keyOf(1)];
		expect(new Set(keys).size).toBe(keys.length);
		for (const key of keys) expect(key).toMatch(/^n8n-[\w-]{43}$/);
	});
});

describe('canonical text', () => {
	test('is the same whatever the order of the keys, at any depth', () => {
		const one = { b: 1, a: { d: [{ y: 1, x: 2 }], c: null }, c: 'text' };
		const other = { c: 'text', a: { c: null, d: [{ x: 2, y: 1 }] }, b: 1 };
		expect(canonical(one)).toBe('{"a":{"c":null,"d":[{"x":2,"y":1}]},"b":1,"c":"text"}');
		expect(canonical(other)).toBe(canonical(one));
	});

	test('keeps the order of lists', () => {
		expect(canonical(['b', 'a', 3])).toBe('["b","a",3]');
	});
});

describe("a user's own key", () => {
	test('is sent as it is, with the platform behind it', () => {
		expect(customKey('record-7')).toBe('record-7');
		expect(customKey('record-7', 'x')).toBe('record-7:x');
		expect(customKey('!~')).toBe('!~');
	});

	test.each([
		['empty', '', '', "'My Own ID' is empty"],
		['empty, with a platform', '', 'x', "'My Own ID' is empty"],
		['a space inside', 'record 7', '', "'My Own ID' contains a space or an unsupported character"],
		['a space before', ' record', '', "'My Own ID' contains a space or an unsupported character"],
		['a line end behind', 'record\n', '', "'My Own ID' contains a space or an unsupported character"],
		['no ASCII', 'Bäckerei', '', "'My Own ID' contains a space or an unsupported character"],
		['DEL', 'record\x7f', '', "'My Own ID' contains a space or an unsupported character"],
		['256 characters', 'x'.repeat(256), '', "'My Own ID' is too long: 256 characters"],
		['256 with the platform', 'x'.repeat(254), 'x', "'My Own ID' is too long: 256 characters"],
	])('%s: refused', (_name, key, part, message) => {
		expect(() => customKey(key, part)).toThrow(
			expect.objectContaining({
				message,
				details: expect.objectContaining({ code: 'NODE_IDEMPOTENCY_KEY' }),
			}),
		);
	});

	test('may have 255 characters in all', () => {
		expect(customKey('x'.repeat(255))).toHaveLength(255);
		expect(customKey('x'.repeat(253), 'x')).toHaveLength(255);
	});

	test('a refusal says what to do', () => {
		const hintOf = (key: string) => failureOf(() => customKey(key)).details.hint;
		expect(hintOf('')).toContain("set 'Avoid Duplicates' back to its default");
		expect(hintOf('a b')).toContain('without spaces');
		expect(hintOf('x'.repeat(256))).toContain('Use at most 255 characters');
	});
});
