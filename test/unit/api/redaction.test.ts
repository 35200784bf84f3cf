import fc from 'fast-check';

import { readAnswer } from '../../../nodes/api/answers';
import { redacted, type Failure } from '../../../nodes/api/failure';
import { bounded, redactor, withoutSignedQueries } from '../../../nodes/api/redaction';
import { runs } from '../../support/property';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const each = (text: string, form: (char: string) => string) => Array.from(text, form).join('');
const code = (char: string, radix: number) => char.codePointAt(0)!.toString(radix);

/** How a service, or a proxy in front of it, may write a key back. */
const ways: Readonly<Record<string, (key: string) => string>> = {
	'as it is': (key) => key,
	'in an address': encodeURIComponent,
	'in an address, in small letters': (key) =>
		encodeURIComponent(key).replace(/%../g, (sign) => sign.toLowerCase()),
	'in an address in an address': (key) => encodeURIComponent(encodeURIComponent(key)),
	'in an address, every character': (key) =>
		each(key, (char) => [...Buffer.from(char)].map((byte) => `%${byte.toString(16)}`).join('')),
	'in JSON': (key) => JSON.stringify(key).slice(1, -1),
	'in JSON, as PHP writes it': (key) => JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
	'in JSON in JSON': (key) => JSON.stringify(JSON.stringify(key)).slice(3, -3),
	'in JSON, as Go writes it': (key) =>
		JSON.stringify(key)
			.slice(1, -1)
			.replace(/[<>&é]/g, (char) => `\\u${code(char, 16).padStart(4, '0')}`),
	'in HTML': (key) =>
		key.replace(
			/[&<>"']/g,
			(char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' })[char]!,
		),
	'in HTML, by numbers': (key) => each(key, (char) => `&#${code(char, 10)};`),
	'in HTML, by hexadecimal numbers': (key) => each(key, (char) => `&#X${code(char, 16).toUpperCase()};`),
	'in HTML in HTML': (key) => key.replaceAll('&', '&amp;amp;'),
	'in Base64': base64,
	'in Base64, in JSON as PHP writes it': (key) => base64(key).replaceAll('/', '\\/'),
	'in Base64 for addresses': (key) => Buffer.from(key).toString('base64url'),
};
const forms = fc.constantFrom(...Object.values(ways));
/** As what it is quoted in may be written in turn. */
const outerForms = fc.constantFrom(
	...Object.keys(ways)
		.filter((name) => !name.includes('Base64'))
		.map((name) => ways[name]!),
);
const places = fc.constantFrom<(text: string) => unknown>(
	(text) => text,
	(text) => ({ error: { message: text } }),
	(text) => [{ deep: [[{ text }]] }],
	(text) => ({ [text]: 1 }),
);

describe('no text from outside carries a secret on', () => {
	test('in any form, at any place of any value, nor most of its letters', () => {
		// No end of it is a half of an escape.
		const keys = fc.string({ minLength: 10, maxLength: 60 }).map((text) => `sk_${text}_`);
		const around = fc.string({ maxLength: 20 });
		fc.assert(
			fc.property(
				keys,
				forms,
				outerForms,
				around,
				around,
				places,
				(key, form, outer, before, behind, place) => {
					const written = outer(form(key));
					const said = JSON.stringify(redactor([key])(place(`${before} ${written}${behind}`)));
					for (const part of [written.slice(3), written.slice(0, -3)]) expect(said).not.toContain(part);
				},
			),
			runs(300),
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

	test('a value that is nested 20,000 deep', () => {
		let value: any = { text: 'sk_live_0123456789' };
		for (let i = 0; i < 20_000; i++) value = [value];
		redactor(['sk_live_0123456789'])(value);
		for (let i = 0; i < 20_000; i++) value = value[0];
		expect(value.text).toBe('[hidden]');
	});

	const key = `sk_<&>"'/+é\\\\0123456789`;
	test.each(Object.keys(ways))('%s: all of it, and what stands around it stays', (way) => {
		const word = 'sk_&/+é\\\\0123456789';
		const written = ways[way]!(word);
		// Of an escape, the whole word goes.
		const said = redactor([word])(`a ${written},${written} b`);
		expect(said).toMatch(/^a \[hidden\](,\[hidden\])? b$/);
		if (written === word) expect(said).toBe('a [hidden],[hidden] b');
		// One that looks like several words takes the text along.
		expect(redactor([key])(`a ${ways[way]!(key)} b`)).toMatch(/^(\[hidden\]|a \[hidden\] b)$/);
	});

	test('what looks like an escape in it, character by character', () => {
		const written = ways['in an address, every character']!('sk_%41_live');
		expect(redactor(['sk_%41_live'])(`${written} sk_%41_live`)).toBe('[hidden] [hidden]');
	});

	test('with the last character of Unicode; the number of none, such as the next one, stays', () =>
		expect(redactor(['sk_live\u{10ffff}'])('sk_live&#1114111; &#1114112;')).toBe('[hidden] &#1114112;'));

	test.each(['Bearer *', '*:', 'user:*', ':*', 'a*b', '{"key":"*"}'])(
		'in Base64 with what goes with it: %s',
		(text) => {
			// In each of the two alphabets, question marks have letters of their own.
			for (const [secret, encoding] of [
				[key, 'base64'],
				['sk_live_0123456789', 'base64'],
				['sk_????_0123456789', 'base64'],
				['sk_????_0123456789', 'base64url'],
			] as const) {
				const written = Buffer.from(text.replace('*', secret)).toString(encoding);
				const encoded = written.replaceAll('=', secret === key ? '=' : '');
				const said = redactor([secret])(`Authorization: Basic ${encoded} and more`);
				expect(said).toMatch(/^Authorization: Basic [\w+/-]{0,12}\[hidden\] and more$/);
				// At most what stands before the secret, and half of its first letter.
				const left = Buffer.from(/Basic ([\w+/-]*)/.exec(said)![1]!, 'base64').toString();
				expect(left.length).toBeLessThanOrEqual(text.indexOf('*') + 1);
			}
		},
	);

	test.each(['\\', '%25', '&amp;', '&#0', '&#38;#38;', 'sk_live_', 'c2tf', '&#x0'])(
		'a long text of parts of a secret is left as it is: %s (its time: `npm run bench -- redaction`)',
		(part) => {
			const redact = redactor([
				'\\'.repeat(40) + 'x',
				'sk_live_0123456789',
				'&amp;&amp;x&amp;&amp;',
				'%26%25%26%25',
			]);
			const text = `https://${part.repeat(10_000)}?`;
			expect([redact(text) === text, withoutSignedQueries(text) === text]).toEqual([true, true]);
		},
	);

	test('names, arrays and what is no text', () => {
		const value: Record<string, unknown> = { [key]: 1, list: [key, null, 7, true], none: null };
		const said = redactor([key])(value);
		expect(said).toBe(value);
		expect(said).toEqual({ '[hidden]': 1, list: ['[hidden]', null, 7, true], none: null });
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
		const secret = 'sig=a se=1&SIG=a X-Goog-Date=1 access_token=a a=1;key=b my-secret=1 a=1&amp;sig=a';
		const escapedToo = 'a=1\\u0026sig\\u003da a=1%26sig%3Da next=https%3A%2F%2Fs.example%2Fa%3Fsig%3Da';
		const long = 'AfD_2-'.repeat(4);
		const links = `UniqueId=1&tempauth=eyJ0 rlkey=a&dl=1 jwt=a ex=1&hm=${long} oh=${long}&oe=1 w=9&s=${long} md5=${long} verify=1-${long} e=1&v=beta&t=${long} hdnts=exp=1~acl=/*~hmac=ab12`;
		for (const query of `${secret} ${escapedToo} ${links}`.split(' '))
			expect(hidden(query)).toBe('<http://s.example/a?[hidden]>');
		for (const query of ['design=1', 'monkey=2', 'page=1&assign=2', 's=plum+jam', `class=${long}`, ''])
			expect(hidden(query)).toBe(`<http://s.example/a?${query}>`);
		const address = 'https://s.example/a.png';
		for (const name of Object.keys(ways).filter((one) => !/Base64|every|numbers/.test(one))) {
			const way = ways[name]!;
			const said = `{"to":"${way(`${address}?X-Amz-Signature=abc&x=1`)}"}`;
			expect([name, withoutSignedQueries(said)]).toEqual([name, `{"to":"${way(address)}?[hidden]"}`]);
		}
		const inBoth = `${ways['in an address']!(ways['in JSON, as Go writes it']!(`${address}?sv=1&sig=abc`))} b`;
		expect(withoutSignedQueries(inBoth)).toBe(`${ways['in an address']!(address)}?[hidden] b`);
		for (const mark of ['&#x003f;', '&#063;', '&#37;3f', '\\u00253f', '\\u0026#63;'])
			expect(withoutSignedQueries(`https://s.example/p${mark}sig=${long}?x=1`)).toBe('?[hidden]');
		const unsigned =
			'http://s.example/sig=a and ?sig=a or a?sig=a http://s.example/my_token http://s.example/my_token?page=2';
		expect(withoutSignedQueries(unsigned)).toBe(unsigned);
	});

	test('a text is cut, and what is cut off hides no part of a secret', () => {
		const given = 'sk_live_0123456789';
		const cut = (text: string) => bounded({ text }, redactor([given])).text;
		expect(cut('x'.repeat(4000))).toHaveLength(4000);
		expect(cut('x'.repeat(1e6))).toMatch(/^x{4000}…$/);
		// Not more of it is looked at than may be shown.
		expect(cut(`${given} `.repeat(10_000)).length).toBeLessThan(3_000);
		for (let length = 3950; length <= 4010; length++) {
			expect(cut(`${'x'.repeat(length)}${given} and so on`)).not.toContain('sk_live');
			const address = `https://s.example/a?sig=${'s'.repeat(2000)}`;
			expect(cut(`${'x'.repeat(length)} ${address}`)).not.toMatch(/sig|s{20}/);
		}
	});

	test.each(['http://', 'http://a?sig=1 ', '"', '?http://', 'content": '])(
		'of an error of 1 MB only the beginning is kept: %s',
		(text) => {
			const message = text.repeat(1_000_000 / text.length);
			const body = { success: false, error: { code: 'PUBLIC_API_BODY_INVALID', message } };
			const asked = { method: 'POST', path: '/posts' } as const;
			const outcome = readAnswer({ statusCode: 400, headers: {}, body }, {}, 'https://a.example', asked);
			const { details } = redacted(outcome as Failure, redactor(['sk_live_0123456789', 'http://']));
			expect(JSON.stringify(details).length).toBeLessThan(30_000);
		},
	);
});
