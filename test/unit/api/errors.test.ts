import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	answerFailure,
	Failure,
	refusal,
	texts,
	toErrorItem,
	toFailure,
	toNodeError,
} from '../../../nodes/api/errors';

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
		const { details } = answerFailure(404, { code: 'NOT_FOUND', message: 'Gone' }, {}, { path });
		expect(details).toMatchObject({ message, hint: expect.stringContaining(hint), service_message: 'Gone' });
		expect(answerFailure(404, undefined, {}, { path }).message).not.toBe(message);
		expect(answerFailure(400, { code: 'NOT_FOUND' }, {}, { path }).message).not.toBe(message);
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
