import { PROBE_QUERY, probeToken, sha256 } from '../../../nodes/shared/probe';
import { FakeN8n, FakeService, newEvent } from './fakes';
import { signed, timestampAt } from '../../support/signing';

/** What a probe of *Check Delivery* is told, and that it starts nothing. */

const NOW = Date.parse('2026-11-20T12:00:00Z');

let service: FakeService;
let n8n: FakeN8n;

beforeEach(async () => {
	jest.useFakeTimers({ now: NOW });
	service = new FakeService();
	n8n = new FakeN8n(service);
	await n8n.publish();
});
afterEach(() => {
	expect(n8n.executions).toEqual([]);
	expect(n8n.logged).toEqual([]);
	jest.useRealTimers();
});

const body = JSON.stringify(newEvent());

async function probe({
	token = probeToken(n8n.key, NOW) as unknown,
	secret = service.hooks[0]!.secret,
	request = {},
	headers = {},
} = {}) {
	const { body: rawBody, signature, timestamp } = signed(body, timestampAt(NOW), secret);
	const signedHeaders = { 'x-service-signature': signature, 'x-service-timestamp': timestamp, ...headers };
	const query = token === undefined ? {} : { [PROBE_QUERY]: token };
	return await n8n.receive({ rawBody, headers: signedHeaders, ...request }, { query });
}

it('is told what arrived, and where', async () => {
	const { signature } = signed(body, timestampAt(NOW), service.hooks[0]!.secret);
	expect(await probe()).toEqual({
		status: 200,
		headers: {},
		body: {
			status: 'probe',
			address: n8n.url,
			body_sha256: sha256(body),
			signature,
			timestamp: timestampAt(NOW),
			now: '2026-11-20T12:00:00.000Z',
			workflow_id: expect.stringMatching(/^workflow/),
		},
	});
});

it.each<[string, Parameters<typeof probe>[0], object]>([
	['another body', { request: { rawBody: Buffer.from('{}') } }, { body_sha256: sha256('{}') }],
	['no body', { request: { rawBody: undefined } }, { body_sha256: null }],
	['no signature', { headers: { 'x-service-signature': undefined } }, { signature: null }],
	['a time in a list', { headers: { 'x-service-timestamp': ['a'] } }, { timestamp: null }],
	[
		'a signature of any length',
		{ headers: { 'x-service-signature': 'x'.repeat(1000) } },
		{ signature: 'x'.repeat(200) },
	],
])('with %s: that, too', async (_name, more, report) => {
	expect(await probe(more)).toMatchObject({ status: 200, body: { status: 'probe', ...report } });
});

it.each<[string, unknown]>([
	['of another key', probeToken('another key', NOW)],
	['that is old', probeToken('example-key-0', NOW - 25 * 60 * 60_000)],
	['in a list', [probeToken('example-key-0', NOW)]],
	['that is empty', ''],
])('with a token %s is a delivery like any other', async (_name, token) => {
	expect(await probe({ token, secret: 'a guess' })).toMatchObject({ status: 401 });
});
