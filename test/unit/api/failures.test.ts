import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { connectionFailure, networkCode, tookTooLong } from '../../../nodes/api/connectionFailure';
import {
	answerFailure,
	Failure,
	refusal,
	texts,
	toErrorItem,
	toFailure,
	toNodeError,
} from '../../../nodes/api/errors';
import {
	analyticsPlatform,
	analyticsPlatforms,
	canonicalPlatform,
	titleOf,
} from '../../../nodes/api/platforms';
import { isRetryable, pauseAfter, pauseBefore, wasRefused } from '../../../nodes/api/retryPolicy';

describe('the failure of an answer', () => {
	test.each(Object.entries(texts))('%s: our words, then those of the service', (code, [message, hint]) => {
		const { details } = answerFailure(400, { code, message: `Said by the service of ${code}.` });
		expect(details).toMatchObject({ code, status: 400, hint: expect.stringContaining(hint.slice(0, 30)) });
		expect(details.message.startsWith(message)).toBe(true);
		const told = details.service_message ?? details.message;
		expect(told).toContain(`Said by the service of ${code}`);
	});

	test('what the service says stands once', () => {
		const [message] = texts.PUBLIC_API_AUTH_ERROR!;
		for (const said of [undefined, null, '', message, `${message}.`])
			expect(answerFailure(500, { code: 'PUBLIC_API_AUTH_ERROR', message: said }).message).toBe(message);
		expect(answerFailure(500, { code: 'PUBLIC_API_AUTH_ERROR', message: 'Down.' }).message).toBe(
			`${message}: Down.`,
		);
		expect(answerFailure(500, { code: 'PUBLIC_API_AUTH_ERROR' }).details).not.toHaveProperty(
			'service_message',
		);
	});

	test.each<[number, RegExp, RegExp]>([
		[401, /^The service refuses the API key$/, /API key/],
		[403, /^The API key is not allowed to do this$/, /^Check the scopes/],
		[404, /^The service does not know this address or record$/, /^Check the ID/],
		[408, /^The service gave up waiting$/, /in a few minutes/],
		[425, /^The service gave up waiting$/, /in a few minutes/],
		[409, /^The service refuses this in the present state$/, /^Get the record/],
		[413, /^The service finds this too large$/, /^Send a smaller/],
		[429, /^The limit of requests per minute/, /Wait at the Rate Limit/],
		[500, /^The service, or a server in front of it, has trouble$/, /in a few minutes/],
		[302, /^The address redirects elsewhere$/, /'Base URL'/],
		[300, /^The address redirects elsewhere$/, /'Base URL'/],
		[399, /^The address redirects elsewhere$/, /'Base URL'/],
		[400, /^The service refuses the request$/, /^Check the fields/],
		[299, /^The service refuses the request$/, /^Check the fields/],
	])('%d without words of its own', (status, message, hint) => {
		const { details } = answerFailure(status, undefined);
		expect(details).toMatchObject({ code: `HTTP_${status}`, status });
		expect(details.message).toMatch(message);
		expect(details.hint).toMatch(hint);
		expect(answerFailure(status, { code: 'NEW', message: 'Said' }).message).toBe(`${details.message}: Said`);
	});

	test.each([
		['/inbox/i_1/reply', 'There is no such comment or message', "Check 'Inbox Item'"],
		['/webhooks/wh_1', 'There is no such webhook', "Check 'Webhook'"],
	])('404 of %s names the record', (path, message, hint) => {
		const { details } = answerFailure(404, { code: 'NOT_FOUND', message: 'Gone' }, {}, path);
		expect(details).toMatchObject({ message, hint: expect.stringContaining(hint), service_message: 'Gone' });
		expect(answerFailure(404, undefined, {}, path).message).not.toBe(message);
		expect(answerFailure(400, { code: 'NOT_FOUND' }, {}, path).message).not.toBe(message);
	});

	test.each([
		['platforms: required', true],
		['Unrecognized key "platform"', true],
		['"content" must be an object', true],
		['scheduled_at is not allowed', true],
		['text is too long', false],
	])('a refused body of which it says %j: the other form of request is named: %s', (message, named) => {
		const { hint } = answerFailure(400, { code: 'PUBLIC_API_BODY_INVALID', message }).details;
		expect(hint.includes("change 'Post Format' in the credential")).toBe(named);
		const other = answerFailure(400, { code: 'PUBLIC_API_QUERY_INVALID', message }).details;
		expect(other.hint).not.toContain('Post Format');
	});

	test('more that is known', () => {
		expect(answerFailure(400, undefined, { request_id: 'r' }).details.request_id).toBe('r');
	});
});

describe('what was thrown, as a failure', () => {
	test('a failure is itself; others keep their text', () => {
		const failure = refusal('A', 'no', 'try');
		expect(failure.details).toEqual({
			code: 'NODE_A',
			message: 'no',
			hint: 'try',
			status: 0,
			retryable: false,
		});
		expect([failure.name, failure.message, failure.certain]).toEqual(['Failure', 'no', false]);
		expect(toFailure(failure)).toBe(failure);
		expect(toFailure(Object.assign(new Error('bad'), { description: 'Do this' })).details).toMatchObject({
			code: 'NODE_UNEXPECTED',
			message: 'bad',
			hint: 'Do this',
		});
		expect(toFailure('text').details).toMatchObject({
			message: 'text',
			hint: 'Check the parameters of the node.',
		});
	});

	test('more known of it, the same otherwise', () => {
		const failure = refusal('A', 'no', 'try').asCertain(true).with({ status: 400 });
		expect([failure.certain, failure.details.status, failure.details.code]).toEqual([true, 400, 'NODE_A']);
		expect(refusal('A', 'no', 'try').with({}).certain).toBe(false);
		const hidden = refusal('A', 'key sk at https://a.example?sig=1', 'try').withTexts((value) => value);
		expect(hidden.message).toBe('key sk at https://a.example?[hidden]');
	});
});

describe("n8n's error", () => {
	const node = {
		id: '1',
		name: 'Node',
		type: 't',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	} as never;
	const of = (details: ConstructorParameters<typeof Failure>[0], item?: number) =>
		toNodeError(node, new Failure(details), item) as any;
	const base = { code: 'CODE', message: 'Message', hint: 'Hint' };

	test('a refusal of ours is an operation error, all else one of the API', () => {
		const own = of({ ...base, code: 'NODE_A' }, 3);
		expect(own).toBeInstanceOf(NodeOperationError);
		expect([own.message, own.description, own.level, own.context.itemIndex]).toEqual([
			'Message',
			'Hint',
			'warning',
			3,
		]);
		for (const details of [
			base,
			{ ...base, code: 'NODE_A', status: 400 },
			{ ...base, code: 'NODE_A', retryable: true },
		])
			expect(of(details)).toBeInstanceOf(NodeApiError);
		expect(of({ ...base, status: 418 }).httpCode).toBe('418');
		expect(of(base, 3).context.itemIndex).toBe(3);
	});

	test('below the message stands what to do and what is known', () => {
		const known = {
			...base,
			status: 429,
			request_id: 'r',
			idempotency_key: 'k',
			retry_after_seconds: 0,
			rate_limit: { limit: 60 },
		};
		const line =
			'Code: CODE · Request ID: r · Idempotency key: k · Retry after: 0 s · Limit: 60 a minute, 0 left';
		expect(of(known).description).toBe(`Hint\n\n${line}`);
		expect(of(known, 0).description).toBe(`Hint<br/><br/>${line}`);
		expect(of({ ...known, rate_limit: { limit: 60, remaining: 3 } }).description).toContain(
			'60 a minute, 3 left',
		);
		expect(of({ ...known, rate_limit: {} }).description).not.toContain('Limit');
		expect(of({ ...known, rate_limit: undefined }).description).not.toContain('Limit');
		expect(of({ ...known, status: 400 }).description).not.toContain('Limit');
		expect(of({ ...base, code: 'NODE_A' }).description).toBe('Hint');
	});

	test.each<[object, object | undefined]>([
		[{ status: 429 }, { cause: 'rate-limited' }],
		[
			{ status: 429, retry_after_seconds: 7 },
			{ cause: 'rate-limited', retryAfterMs: 7000 },
		],
		[{ status: 401 }, { cause: 'credential-invalid' }],
		[{ status: 400, code: 'PUBLIC_API_AUTH_REQUIRED' }, { cause: 'credential-invalid' }],
		[{ status: 400, code: 'PUBLIC_API_KEY_INVALID' }, { cause: 'credential-invalid' }],
		[{ status: 400, code: 'PUBLIC_API_KEY_EXPIRED' }, { cause: 'credential-invalid' }],
		[{ status: 403 }, { cause: 'configuration-invalid' }],
		[{ status: 500 }, { cause: 'temporarily-unavailable' }],
		[{ status: 0, retryable: true }, { cause: 'temporarily-unavailable' }],
		[{ status: 400, retryable: true }, undefined],
		[{ status: 0 }, undefined],
	])('the cause of %j is %j', (more, failure) => {
		expect(of({ ...base, ...more }).failure ?? undefined).toEqual(failure);
	});

	test('details stand in the context in a fixed order, nothing undefined', () => {
		const details = { ...base, status: 400, retryable: false, request_id: undefined };
		expect(of(details).context.data).toEqual({ ...base, status: 400, retryable: false });
		expect(Object.keys(toErrorItem({ platform: 'x', ...details }))).toEqual([
			'message',
			'hint',
			'code',
			'status',
			'retryable',
			'platform',
		]);
	});

	test('what is no failure of ours stays as it is', () => {
		const own = new NodeOperationError(node, 'mine');
		expect(toNodeError(node, own)).toBe(own);
		const ofTheApi = new NodeApiError(node, { message: 'mine' });
		expect(toNodeError(node, ofTheApi)).toBe(ofTheApi);
		const other = toNodeError(node, new Error('other'), 2);
		expect(other).toBeInstanceOf(NodeOperationError);
		expect(other.context.itemIndex).toBe(2);
	});
});

describe('a connection that did not come about, or broke', () => {
	const of = (code: string) => connectionFailure({ code }, 'https://api.example.com:8443/v1').details;

	test.each([
		[
			'ENOTFOUND',
			'NODE_HOST_NOT_FOUND',
			false,
			'The address api.example.com:8443 is not known',
			'typing mistakes',
		],
		[
			'EAI_AGAIN',
			'NODE_HOST_NOT_FOUND',
			true,
			'The address api.example.com:8443 is not known',
			'typing mistakes',
		],
		['ECONNREFUSED', 'NODE_UNREACHABLE', true, 'Nothing answers at api.example.com:8443', 'firewall'],
		['EHOSTUNREACH', 'NODE_NO_ROUTE', true, 'There is no way from this n8n to api.example.com:8443', 'VPN'],
		['ENETUNREACH', 'NODE_NO_ROUTE', true, 'There is no way from this n8n to api.example.com:8443', 'VPN'],
		[
			'CERT_HAS_EXPIRED',
			'NODE_CERTIFICATE',
			false,
			'The secure connection to api.example.com:8443 could not be made',
			'not trusted',
		],
		[
			'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
			'NODE_CERTIFICATE',
			false,
			'The secure connection to api.example.com:8443 could not be made',
			'not trusted',
		],
		[
			'EPROTO',
			'NODE_SECURE_CONNECTION',
			false,
			'The secure connection to api.example.com:8443 could not be made',
			'not trusted',
		],
		[
			'ERR_SSL_WRONG',
			'NODE_SECURE_CONNECTION',
			false,
			'The secure connection to api.example.com:8443 could not be made',
			'not trusted',
		],
		[
			'ETIMEDOUT',
			'NODE_TIMEOUT',
			true,
			'api.example.com:8443 did not answer in time',
			'may have been carried out',
		],
		[
			'ECONNABORTED',
			'NODE_TIMEOUT',
			true,
			'api.example.com:8443 did not answer in time',
			'may have been carried out',
		],
		[
			'ECONNRESET',
			'NODE_CONNECTION',
			true,
			'The connection to api.example.com:8443 broke',
			'may have been carried out',
		],
		[
			'ERR_CANCELED',
			'NODE_STOPPED',
			false,
			'The execution was stopped while the service was working',
			'Retry the execution',
		],
		[
			'ABORT_ERR',
			'NODE_STOPPED',
			false,
			'The execution was stopped while the service was working',
			'Retry the execution',
		],
	])('%s: %s', (code, own, retryable, message, hint) => {
		expect(of(code)).toMatchObject({
			code: own,
			status: 0,
			retryable,
			message,
			hint: expect.stringContaining(hint),
		});
	});

	test('a time that ran out', () => {
		expect(tookTooLong('https://a.example/v1').details).toMatchObject({
			code: 'NODE_TIMEOUT',
			retryable: true,
		});
	});

	test('the code, wherever it stands', () => {
		const below = (levels: number): unknown =>
			levels === 0 ? { code: 'EPIPE' } : { cause: below(levels - 1) };
		expect(networkCode({ code: 'EPIPE' })).toBe('EPIPE');
		expect(networkCode({ code: 500, httpCode: 'EPIPE' })).toBe('EPIPE');
		expect(networkCode({ code: 'lower', cause: { httpCode: 'EPIPE' } })).toBe('EPIPE');
		expect(networkCode(below(4))).toBe('EPIPE');
		for (const none of [below(5), {}, undefined, null, 'EPIPE', { httpCode: '500' }])
			expect(networkCode(none)).toBe('');
	});
});

describe('what is tried again', () => {
	const failed = { code: 'A_FAILED', status: 500, retryable: true };
	beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(1));
	afterEach(() => void jest.restoreAllMocks());

	test.each<[number, string | undefined, boolean]>([
		[429, undefined, true],
		[429, 'A', true],
		[499, 'A_FAILED', false],
		[500, 'A_FAILED', true],
		[500, 'A_FAILED_TWICE', false],
		[500, 'PUBLIC_API_CONTEXT_ERROR', true],
		[500, 'PUBLIC_API_AUTH_ERROR', true],
		[500, 'A', false],
		[500, undefined, false],
		[501, undefined, false],
		[502, undefined, true],
		[503, undefined, true],
		[504, undefined, true],
		[505, undefined, false],
		[400, undefined, false],
	])('%d %s: %s', (status, code, again) => expect(isRetryable(status, code)).toBe(again));

	test('pauses grow from half a second to fifteen', () => {
		expect([1, 2, 3, 4, 5, 6, 7].map(pauseBefore)).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
		jest.spyOn(Math, 'random').mockReturnValue(0);
		expect([1, 2, 7].map(pauseBefore)).toEqual([250, 500, 7500]);
	});

	test('five attempts, the pause that was told at least', () => {
		expect([1, 2, 3, 4, 5].map((attempt) => pauseAfter(failed, attempt))).toEqual([
			500,
			1000,
			2000,
			4000,
			undefined,
		]);
		expect(pauseAfter({ ...failed, retry_after_seconds: 7 }, 1)).toBe(7000);
		expect(pauseAfter({ ...failed, retryable: false }, 1)).toBeUndefined();
	});

	test('a limit that is reached: any number of attempts', () => {
		const limited = { ...failed, status: 429 };
		expect(pauseAfter(limited, 99)).toBe(10_000);
		expect(pauseAfter({ ...limited, retry_after_seconds: 0 }, 99)).toBe(1000);
		expect(pauseAfter({ ...limited, retry_after_seconds: 7 }, 99)).toBe(7000);
	});

	test.each<[string, number, boolean]>([
		['NODE_HOST_NOT_FOUND', 0, true],
		['NODE_UNREACHABLE', 0, true],
		['NODE_CERTIFICATE', 0, true],
		['NODE_TIMEOUT', 0, false],
		['A', 299, false],
		['A', 300, true],
		['A', 400, true],
		['A', 499, true],
		['A', 500, false],
		['A', 408, false],
		['A', 409, false],
		['A', 422, false],
		['A', 425, false],
	])('%s %d was certainly refused: %s', (code, status, refused) =>
		expect(wasRefused({ ...failed, code, status })).toBe(refused),
	);
});

test('names of platforms', () => {
	expect(titleOf('x, linkedin,mars')).toBe('X, LinkedIn,mars');
	expect([' Twitter ', 'X', 'TikTok'].map(canonicalPlatform)).toEqual(['x', 'x', 'tiktok']);
	expect([' X ', 'Twitter', 'TikTok'].map(analyticsPlatform)).toEqual(['twitter', 'twitter', 'tiktok']);
	expect(analyticsPlatforms(['x', 'twitter', 'tiktok'])).toBe('twitter,tiktok');
});
