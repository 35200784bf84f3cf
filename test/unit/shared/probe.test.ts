import fc from 'fast-check';
import type { IHttpRequestOptions } from 'n8n-workflow';

import { isProbeToken, PROBE_QUERY, probeToken, sendProbe, sha256 } from '../../../nodes/shared/probe';
import { derivedSecret } from '../../../nodes/shared/signature';
import { runs } from '../../support/property';
import { signatureOf } from '../../support/signing';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY = 24 * 60 * 60_000;

describe('a token', () => {
	const token = probeToken('example-key', NOW);

	test.each([
		[-DAY - 1, false],
		[-DAY, true],
		[0, true],
		[DAY, true],
		[DAY + 1, false],
	])('is good for a day, both ways: %d ms off', (off, expected) => {
		expect(isProbeToken(token, 'example-key', NOW + off)).toBe(expected);
	});

	test('proves that its maker has the key; no two are equal', () => {
		expect(isProbeToken(token, 'another-key', NOW)).toBe(false);
		expect(probeToken('example-key', NOW)).not.toBe(token);
		expect(token).not.toContain('example-key');
	});

	test('is nothing else, and nothing of another time', () => {
		const [time, random, mac] = token.split('.') as [string, string, string];
		for (const other of [
			undefined,
			[token],
			`${token} `,
			` ${token}`,
			`${token}0`,
			`${Number(time) + 1}.${random}.${mac}`,
			`${time}.${random.replace(/./, (digit) => (digit === '0' ? '1' : '0'))}.${mac}`,
			`${time}.${random}.${mac.toUpperCase()}`,
			`${'1'.repeat(17)}.${random}.${mac}`,
		])
			expect([other, isProbeToken(other, 'example-key', NOW)]).toEqual([other, false]);
		fc.assert(
			fc.property(fc.anything(), (value) => !isProbeToken(value, 'example-key', NOW)),
			runs(500),
		);
	});
});

describe('a probe', () => {
	beforeEach(() => void jest.useFakeTimers({ now: NOW }));
	afterEach(() => void jest.useRealTimers());

	const url = 'https://n8n.example.com/webhook/a/webhook?b=c';

	/** What was sent, and what is told of the answer. */
	async function probe(answer: () => Promise<unknown>) {
		const sent: IHttpRequestOptions[] = [];
		const context = {
			getCredentials: async () => ({ apiKey: 'example-key' }),
			helpers: {
				httpRequest: async (options: IHttpRequestOptions) => {
					sent.push(options);
					return await answer();
				},
			},
		};
		return { sent: sent as [IHttpRequestOptions], result: await sendProbe(context as never, url) };
	}

	test('looks like a delivery, but for the token in the query', async () => {
		const answer = { statusCode: 200, headers: { server: 'nginx' }, body: { status: 'probe' } };
		const { sent, result } = await probe(async () => answer);
		const [{ url: address, body, headers, ...options }] = sent;
		const target = new URL(address);
		expect(isProbeToken(target.searchParams.get(PROBE_QUERY), 'example-key', NOW)).toBe(true);
		target.searchParams.delete(PROBE_QUERY);
		expect(target.href).toBe(url);
		const signature = signatureOf(
			derivedSecret('example-key', url),
			'2026-11-20T12:00:00.000Z',
			body as Buffer,
		);
		expect(headers).toEqual({
			'Content-Type': 'application/json',
			'x-service-signature': signature,
			'x-service-timestamp': '2026-11-20T12:00:00.000Z',
		});
		// Of what a proxy changes that writes JSON anew.
		expect(String(body)).toMatch(/^\{ "id": "probe_[0-9a-f-]{36}", "type": "probe", .*\\u00fc.* 1\.0 \} \}$/);
		expect(options).toEqual({
			method: 'POST',
			timeout: 15_000,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
		});
		expect(result).toEqual({
			url,
			sent: { body_sha256: sha256(body as Buffer), signature, timestamp: '2026-11-20T12:00:00.000Z' },
			status: 200,
			headers: { server: 'nginx' },
			body: { status: 'probe' },
		});
	});

	test.each<[string, unknown, unknown]>([
		['JSON that came as text', '{"a":1}', { a: 1 }],
		['JSON that came as bytes', Buffer.from('{"a":1}'), { a: 1 }],
		['a page', '<html>', '<html>'],
		['nothing', undefined, undefined],
	])('is answered with %s', async (_name, body, expected) => {
		const { result } = await probe(async () => ({ statusCode: 404, headers: {}, body }));
		expect([result.status, result.body]).toEqual([404, expected]);
	});

	test("where nobody answers, the network's code is told", async () => {
		const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
		expect((await probe(async () => await Promise.reject(refused))).result).toMatchObject({
			error: 'ECONNREFUSED',
		});
		expect((await probe(async () => await Promise.reject(new Error('?')))).result).toMatchObject({
			error: 'UNKNOWN',
		});
	});
});
