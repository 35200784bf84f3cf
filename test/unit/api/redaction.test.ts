import fc from 'fast-check';

import { bounded, redactor, withoutSecretFields, withoutSignedQueries } from '../../../nodes/api/redaction';
import { runs } from '../../support/property';

const key = 'sk_<&>"/+é\\0123456789';

/** How a service, or a proxy in front of it, may write a key back. */
const ways: Readonly<Record<string, (text: string) => string>> = {
	'as it is': (text) => text,
	'in an address': encodeURIComponent,
	'in an address, in small letters': (text) =>
		encodeURIComponent(text).replace(/%../g, (sign) => sign.toLowerCase()),
	'in JSON': (text) => JSON.stringify(text).slice(1, -1),
	'in Base64': (text) => Buffer.from(text).toString('base64'),
};

test.each(Object.keys(ways))('a key %s is hidden, and what stands around it stays', (way) => {
	const said = redactor([key])({ error: [`a ${ways[way]!(key)} b`], [ways[way]!(key)]: 1 });
	expect(said.error[0]).toMatch(/^a \[hidden\]=* b$/);
	expect(Object.keys(said)[1]).toMatch(/^\[hidden\]=*$/);
});

test('what has no secret in it stays as it is; a very short one blanks out nothing', () =>
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			const before = JSON.stringify(value);
			expect(JSON.stringify(redactor(['sk_live_0123456789', 'a', ''])(value))).toBe(before);
		}),
		runs(100),
	));

test('of two secrets, one of which begins with the other, nothing is left', () =>
	expect(redactor(['sk_live', 'sk_live_0123'])('sk_live_0123 sk_live')).toBe('[hidden] [hidden]'));

test('a value that is nested 20,000 deep', () => {
	let value: any = { text: 'sk_live_0123456789' };
	for (let i = 0; i < 20_000; i++) value = [value];
	redactor(['sk_live_0123456789'])(value);
	for (let i = 0; i < 20_000; i++) value = value[0];
	expect(value.text).toBe('[hidden]');
});

test.each([
	['https://s3.example/a.png?X-Amz-Signature=1&b=2', 'https://s3.example/a.png?[hidden]'],
	['see <https://a.example/b?sv=1&sig=2>, please', 'see <https://a.example/b?[hidden]>, please'],
	['https://a.example/b?token=1', 'https://a.example/b?[hidden]'],
	['https://a.example/b?page=1&sort=up', 'https://a.example/b?page=1&sort=up'],
	['is it? token=1', 'is it? token=1'],
])('the query of %s is hidden where it is signed', (text, hidden) =>
	expect(withoutSignedQueries({ text })).toEqual({ text: hidden }),
);

test('a field whose name speaks of a secret is hidden', () => {
	const one = { secret: 'a', signing_key: 'b', has_secret: true, token: null, id: 'c' };
	expect(withoutSecretFields([one])).toEqual([{ ...one, secret: '[hidden]', signing_key: '[hidden]' }]);
});

test('a long text is cut, and a secret at the cut is hidden whole', () => {
	const said = bounded(`${'a'.repeat(3_995)}sk_live_0123456789 and more`, redactor(['sk_live_0123456789']));
	expect(said).toBe(`${'a'.repeat(3_995)}[hidd…`);
});
