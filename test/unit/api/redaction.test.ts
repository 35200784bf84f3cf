import fc from 'fast-check';

import { Client, type Transport } from '../../../nodes/api/client';
import { RateLimiter } from '../../../nodes/api/rateLimiter';
import { redactor, withoutSignedQueries } from '../../../nodes/api/redaction';
import { textOf } from '../../support/texts';

const keyOf = fc.stringMatching(/^sk_[\x21-\x7e]{8,60}$/);

/** How a service, or a proxy in front of it, may write a key back. */
const forms: Array<(key: string) => string> = [
	(key) => key,
	(key) => encodeURIComponent(key),
	(key) => key.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'),
	(key) => Buffer.from(key).toString('base64'),
	(key) => Buffer.from(`Bearer ${key}`).toString('base64'),
	(key) => Buffer.from(`user:${key}!`).toString('base64url'),
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
		);
	});

	test('what has no secret in it stays as it is; a very short one blanks out nothing', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const before = JSON.stringify(value);
				expect(JSON.stringify(redactor(['sk_live_0123456789', 'a', ''])(value))).toBe(before);
			}),
		);
	});

	test('a value that is nested 100,000 deep', () => {
		let value: any = { text: 'sk_live_0123456789' };
		for (let i = 0; i < 100_000; i++) value = [value];
		redactor(['sk_live_0123456789'])(value);
		for (let i = 0; i < 100_000; i++) value = value[0];
		expect(value.text).toBe('[hidden]');
	});

	test('signed queries of addresses are left out, others stay', () => {
		const signed = 'https://store.example.com/a.png?X-Amz-Date=1&X-Amz-Signature=abc';
		expect(withoutSignedQueries(`No upload to ${signed}, see https://example.com/help?page=2.`)).toBe(
			'No upload to https://store.example.com/a.png?[hidden] see https://example.com/help?page=2.',
		);
	});
});

describe('a client whose service repeats what it was given', () => {
	const given = 'sk_live_0123456789abcdef';
	const answer = (statusCode: number, body: object, headers = {}): Transport => {
		return async () => ({ statusCode, body, headers }) as never;
	};
	const clientOf = (transport: Transport) =>
		new Client(
			transport,
			{ apiUrl: 'https://api.example.com/v1', workspaceId: '', postFormat: 'integrationGuide' },
			new RateLimiter(),
			redactor([given]),
		);
	const failing = async (body: object, request: object = {}, status = 400) =>
		await clientOf(answer(status, body))
			.send({ method: 'POST', path: '/webhooks', ...request }, 0)
			.catch((error: unknown) => error);

	test.each(['message', 'code', 'request_id'])('in %s of an error', async (field) => {
		const error = { code: 'PUBLIC_API_KEY_INVALID', message: 'no' };
		const body = {
			success: false,
			error,
			request_id: 'r',
			...(field === 'request_id' ? { [field]: `r ${given}` } : {}),
		};
		if (field !== 'request_id') (error as any)[field] = `Key ${given} is unknown`;
		expect(textOf(await failing(body, {}, 401))).not.toContain(given);
	});

	test('in the post that came with a 422, in the data of an answer and in a warning', async () => {
		const error = { code: 'PUBLIC_API_PUBLISH_FAILED', message: 'no' };
		const post = { id: 'p', error: `token ${given}`, media: ['https://s.example.com/a?sig=abc'] };
		const failure = textOf(await failing({ success: false, error, data: { post } }, {}, 422));
		expect(failure).toContain('"id":"p"');
		expect(failure).not.toContain(given);
		expect(failure).not.toContain('sig=abc');
		const client = clientOf(
			answer(
				200,
				{ success: true, data: { owner: given } },
				{ deprecation: 'true', link: `<https://x.example/?k=${given}>; rel=deprecation` },
			),
		);
		const { data } = await client.send({ method: 'GET', path: '/usage' }, 0);
		expect(JSON.stringify(data)).not.toContain(given);
		expect([...client.warnings].join()).not.toContain(given);
		expect(client.warnings.size).toBe(1);
	});

	test('the secret that the trigger offers', async () => {
		const secret = 'whsec_offered_by_the_trigger';
		const error = { code: 'PUBLIC_API_BODY_INVALID', message: `secret ${secret} is not taken` };
		const failure = await failing({ success: false, error }, { body: { url: 'https://x.example', secret } });
		expect(textOf(failure)).toContain('is not taken');
		expect(textOf(failure)).not.toContain(secret);
	});
});
