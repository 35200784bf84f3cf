import fc from 'fast-check';

import { readAnswer } from '../../../nodes/api/answers';
import type { Failure } from '../../../nodes/api/errors';
import { bounded, redactor, withoutSignedQueries } from '../../../nodes/api/redaction';
import { runs } from '../../support/property';

const keyOf = fc.stringMatching(/^sk_[\x21-\x7e]{8,60}$/);

/** How a service, or a proxy in front of it, may write a key back. */
const forms: Array<(key: string) => string> = [
	(key) => key,
	(key) => encodeURIComponent(key),
	(key) => JSON.stringify(key),
];

/** Most of the letters of a secret, wherever it stands: what is left of it must not be of use. */
const partsOf = (secret: string): string[] => [secret, secret.slice(3), secret.slice(0, -3)];

describe('no text from outside carries a secret on', () => {
	test('in any form, at any place of any value', () => {
		const around = fc.string({ maxLength: 20 });
		const places = fc.constantFrom<(text: string) => unknown>(
			(text) => text,
			(text) => ({ error: { message: text } }),
			(text) => [{ deep: [[{ text }]] }],
			(text) => ({ [text]: 1 }),
		);
		fc.assert(
			fc.property(keyOf, fc.constantFrom(...forms), around, around, places, (key, form, a, b, place) => {
				const said = JSON.stringify(redactor([key])(place(`${a}${form(key)}${b}`)));
				for (const one of partsOf(form(key))) if (one.length > 12) expect(said).not.toContain(one);
			}),
			runs(100),
		);
	});

	test('what has no secret in it stays as it is; a very short one blanks out nothing', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const before = JSON.stringify(value);
				expect(JSON.stringify(redactor(['sk_live_0123456789', 'a', ''])(value))).toBe(before);
			}),
			runs(100),
		);
	});

	test('a value that is nested 100,000 deep', () => {
		let value: any = { text: 'sk_live_0123456789' };
		for (let i = 0; i < 100_000; i++) value = [value];
		redactor(['sk_live_0123456789'])(value);
		for (let i = 0; i < 100_000; i++) value = value[0];
		expect(value.text).toBe('[hidden]');
	});

	const key = `sk_<&>"'/+é\\0123456789`;
	test.each<[string, string, string]>([
		['as it is', key, '[hidden]'],
		['in an address', encodeURIComponent(key), '[hidden]'],
		['in an address, in small letters', encodeURIComponent(key).toLowerCase(), '[hidden]'],
		['in JSON', JSON.stringify(key), '"[hidden]"'],
		['in an array', `${key},${key}`, '[hidden],[hidden]'],
	])('%s: all of it, and what stands around it stays', (_name, text, expected) => {
		expect(redactor([key])(`a ${text} b`)).toBe(`a ${expected} b`);
	});

	test('names, arrays, what is no text, and a value that contains itself', () => {
		const value: Record<string, unknown> = { [key]: 1, list: [key, null, 7, true], none: null };
		value.self = value;
		const said = redactor([key])(value);
		expect(said).toBe(value);
		expect(said).toEqual({ '[hidden]': 1, list: ['[hidden]', null, 7, true], none: null, self: said });
		for (const other of [null, undefined, 7, true, '']) expect(redactor([key])(other)).toBe(other);
	});

	test('of two secrets the longer one first; from six letters on', () => {
		expect(redactor(['sk_live', 'sk_live_0123'])('sk_live_0123 sk_live')).toBe('[hidden] [hidden]');
		expect(redactor(['abcdef', 'ghijk'])('abcdef ghijk')).toBe('[hidden] ghijk');
		expect(redactor([])('abcdef')).toBe('abcdef');
	});

	test('signed queries of addresses are left out, others stay', () => {
		const signed = 'https://store.example.com/a.png?X-Amz-Date=1&X-Amz-Signature=abc';
		expect(withoutSignedQueries(`No upload to ${signed}, see https://example.com/help?page=2.`)).toBe(
			'No upload to https://store.example.com/a.png?[hidden] see https://example.com/help?page=2.',
		);
		const hidden = (query: string) => withoutSignedQueries(`<http://s.example/a?${query}>`);
		for (const query of [
			'sig=a',
			'se=1&SIG=a',
			'X-Goog-Date=1',
			'access_token=a',
			'a=1;key=b',
			'my-secret=1',
		])
			expect(hidden(query)).toBe('<http://s.example/a?[hidden]>');
		for (const query of ['design=1', 'monkey=2', 'page=1&assign=2', ''])
			expect(hidden(query)).toBe(`<http://s.example/a?${query}>`);
		expect(withoutSignedQueries('http://s.example/sig=a and ?sig=a')).toBe(
			'http://s.example/sig=a and ?sig=a',
		);
	});

	test('a text is cut, and what is cut off hides no part of a secret', () => {
		const given = 'sk_live_0123456789';
		const cut = (text: string) => bounded({ text }, redactor([given])).text;
		expect(cut('x'.repeat(4000))).toHaveLength(4000);
		expect(cut('x'.repeat(1e6))).toMatch(/^x{4000}…$/);
		for (let length = 3950; length <= 4010; length++) {
			expect(cut(`${'x'.repeat(length)}${given} and so on`)).not.toContain('sk_live');
			const address = `https://s.example/a?sig=${'s'.repeat(2000)}`;
			expect(cut(`${'x'.repeat(length)} ${address}`)).not.toMatch(/sig|s{20}/);
		}
	});

	test.each([
		['http://'.repeat(150_000), 'addresses in one word'],
		['http://a?sig=1 '.repeat(70_000), 'signed addresses'],
		['"'.repeat(1_000_000), 'quotes'],
		['?http://'.repeat(120_000), 'queries'],
		['content": '.repeat(100_000), 'names of fields'],
	])('takes less than 50 ms of the processor for an error of 1 MB: %#', (message) => {
		const redact = redactor(['sk_live_0123456789', 'http://']);
		const times = Array.from({ length: 3 }, () => {
			const body = { success: false, error: { code: 'PUBLIC_API_BODY_INVALID', message } };
			const before = process.cpuUsage();
			const outcome = readAnswer({ statusCode: 400, headers: {}, body }, {}, 'https://a.example', {
				method: 'POST',
				path: '/posts',
			});
			const { details } = (outcome as Failure).withTexts(redact);
			expect(JSON.stringify(details).length).toBeLessThan(30_000);
			return process.cpuUsage(before).user / 1000;
		});
		expect(Math.min(...times)).toBeLessThan(50);
	});
});
