import { Failure } from '../../../nodes/api/failure';
import { answerFailure, networkFailure, notConfirmed, sendAgain } from '../../../nodes/api/failureTexts';
import { statusOf } from '../../support/specification';

describe('the failure of an answer', () => {
	test('every code of the spec, as people read it', () => {
		const shown = Object.entries(statusOf).map(([code, status]) => {
			const { message, hint } = answerFailure(status, { code, message: 'What the service says.' }).details;
			return `${status} ${code}\n  ${message}\n  ${hint}`;
		});
		expect(shown.join('\n')).toMatchSnapshot();
	});

	// Each status by itself: docs/errors.md.
	test.each<[number, RegExp]>([
		...[300, 302, 399].map((status): [number, RegExp] => [status, /redirects to another address$/]),
		...[400, 418].map((status): [number, RegExp] => [status, /^The service rejected the request$/]),
		[500, /^The service couldn't do this \(HTTP 500\)$/],
	])('%d without a code or a message', (status, message) => {
		const { details } = answerFailure(status);
		expect(details).toMatchObject({ code: `HTTP_${status}`, status });
		expect(details.message).toMatch(message);
	});

	test.each(['constructor', 'toString', '__proto__', 'NEW'])('a code that nobody knows: %s', (code) =>
		expect(answerFailure(500, { code, message: 'Down' }).details).toMatchObject({
			...{ code, message: "The service couldn't do this: Down" },
		}),
	);
});

describe('a write that failed', () => {
	const base = { code: 'CODE', message: 'The service is away', hint: 'Wait.' };
	const after = (details: object, certain = false) =>
		notConfirmed(
			new Failure({ ...base, ...details }).with({}, { processed: certain ? 'no' : 'maybe' }),
			'retry',
		).details;

	test('with data that can not be read, nothing but to retry; with a page, then what may stand in front of the service', () => {
		const hintOf = (code: string) => after({ status: 200, code }).hint;
		expect(hintOf('NODE_UNEXPECTED_DATA')).toMatch(/^Retry this execution/);
		expect(hintOf('NODE_UNEXPECTED_RESPONSE')).toMatch(
			/^Retry this execution .+ If it happens again, wait\.$/,
		);
	});

	test.each([0, 500, 503, 408, 400, 422])(
		'with status %d: whether it was sent is not known, and what to do makes sure that it is sent once',
		(status) => {
			const { message, hint } = after({ status });
			expect(message).toBe('Not confirmed as sent: the service is away');
			// An earlier attempt may have been carried out: what to do about the last one is said, too.
			const start = [400, 422].includes(status) ? 'Wait. Retry' : 'Retry';
			expect(hint).toMatch(new RegExp(`^${start} this execution .* nothing is sent twice`));
		},
	);

	test.each([401, 403])('with status %d: under another key it may be sent twice', (status) =>
		expect(after({ status })).toMatchObject({
			message: 'Not confirmed as sent: the service is away',
			hint: 'Wait. With another API key, the service may not recognize what may have been sent: check there before you send it again.',
		}),
	);

	test('what promises that nothing is sent twice says where that holds', () => {
		expect(sendAgain.retry).toMatch(/^Retry this execution /);
		expect(sendAgain.comeBack).toMatch(/ in the same execution,/);
		expect(sendAgain.call).toMatch(/ in this execution:/);
	});

	test("with a 422 that isn't the service's own, too: something before it may have said that", () =>
		expect(after({ status: 422, code: 'HTTP_422' })).toMatchObject({
			message: expect.stringMatching(/^Not confirmed as sent: /),
			hint: expect.stringMatching(/^Retry this execution/),
		}));

	test.each<[object, boolean]>([
		[{ status: 500 }, true],
		[{ status: 400 }, true],
		[{ status: 409 }, false],
		[{ status: 422 }, true],
		[{ status: 422, code: 'PUBLIC_API_PUBLISH_FAILED', request: 'POST /posts' }, false],
	])('with %j, certainly not carried out: %s, it is told as it is', (details, certain) => {
		expect(after(details, certain)).toMatchObject({ message: 'The service is away', hint: 'Wait.' });
	});
});

const API = 'https://api.example.com:8443/v1';
const host = 'api.example.com:8443';
const secure = `No secure connection to ${host}`;
const again = /^Check the network of this n8n, then try again\.$/;

test.each<[codes: string, own: string, retryable: boolean, message: string, hint: RegExp]>([
	['ENOTFOUND', 'HOST_NOT_FOUND', false, "Can't find the host api.example.com:8443", /Base URL/],
	['EAI_AGAIN', 'HOST_NOT_FOUND', true, "Can't find the host api.example.com:8443", /Base URL/],
	['ECONNREFUSED', 'UNREACHABLE', true, 'Nothing answers at api.example.com:8443', /Base URL/],
	['CERT_HAS_EXPIRED UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERTIFICATE', false, secure, /doesn't trust/],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERTIFICATE', false, secure, /doesn't trust/],
	[
		'EPROTO ERR_SSL_WRONG ERR_TLS_X',
		'CONNECTION',
		false,
		`The connection to ${host} failed`,
		/^Check the network/,
	],
	['ETIMEDOUT ECONNABORTED', 'TIMEOUT', true, 'api.example.com:8443 did not respond in time', again],
	[
		'ECONNRESET EPIPE EHOSTUNREACH',
		'CONNECTION',
		true,
		`The connection to ${host} failed`,
		/^Check the network/,
	],
	['ERR_CANCELED ABORT_ERR', 'STOPPED', false, 'The execution was stopped while', /Retry the execution/],
])('%s: NODE_%s', (codes, own, retryable, message, hint) => {
	for (const code of codes.split(' '))
		expect(networkFailure({ code }, API).details).toEqual({
			...{ code: `NODE_${own}`, status: 0, retryable, message: expect.stringContaining(message) },
			hint: expect.stringMatching(hint),
		});
});

test.each<[string, object]>([
	['no-such-proxy.invalid', { cause: { cause: { code: 'ENOTFOUND', hostname: 'no-such-proxy.invalid' } } }],
	['no-such-proxy.invalid', { httpCode: 'EAI_AGAIN', cause: { hostname: 'no-such-proxy.invalid' } }],
	['no-such.invalid', { code: 'ENOTFOUND', hostname: 'no-such.invalid' }],
	['api.example.com:8443', { code: 'ENOTFOUND' }],
])("a host that can't be found is named, also where it is a proxy's: %s", (host, error) => {
	expect(networkFailure(error, API).message).toBe(`Can't find the host ${host}`);
});

test("the network's code is found wherever n8n or axios wrap it", () => {
	const code = 'ECONNREFUSED';
	const below = (levels: number): unknown => (levels === 0 ? { code } : { cause: below(levels - 1) });
	const codeOf = (error: unknown) => networkFailure(error, API).details.code;
	const named = { name: 'AxiosError', code: 'lowerCase', cause: { httpCode: code } };
	for (const error of [{ code: 500, httpCode: code }, named, below(4)])
		expect(codeOf(error)).toBe('NODE_UNREACHABLE');
	expect(codeOf({ cause: { name: 'SsrfBlockedIpError' } })).toBe('NODE_BLOCKED');
	for (const none of [below(5), {}, undefined, null, code, { httpCode: '500' }])
		expect(codeOf(none)).toBe('NODE_CONNECTION');
});
