import { readAnswer, type Answer, type Expected } from '../../../nodes/api/answers';
import { Failure } from '../../../nodes/api/errors';

const API = 'https://api.example.com/v1';
const read = (statusCode: number, body: unknown, headers: object = {}, path = '/posts') =>
	readAnswer({ statusCode, body, headers } as never, { idempotency_key: 'k' }, API, { method: 'GET', path });
const detailsOf = (...given: Parameters<typeof read>) => {
	const outcome = read(...given);
	expect(outcome).toBeInstanceOf(Failure);
	return (outcome as Failure).details;
};
const error = { code: 'PUBLIC_API_NOT_THERE_YET', message: 'Not yet.' };
const refused = { success: false, error };

describe('an answer in the form of the service', () => {
	test.each([200, 201, 299])('%d with success: its data', (status) => {
		const headers = { a: 'b' };
		expect(read(status, { success: true, data: { id: 1 }, request_id: 'r' }, headers)).toEqual({
			status,
			data: { id: 1 },
			headers,
			requestId: 'r',
		});
		expect(read(status, { success: true })).toEqual({ status, data: undefined, headers: {} });
		expect(read(status, { success: true }) as Answer).not.toHaveProperty('requestId');
	});

	test('204: no data, whatever the body', () => {
		expect(read(204, 'none', { a: 'b' })).toEqual({ status: 204, data: undefined, headers: { a: 'b' } });
	});

	test.each([199, 300, 400, 500])('%d with success is a failure all the same', (status) => {
		expect(detailsOf(status, { success: true, data: {} })).toMatchObject({ code: `HTTP_${status}`, status });
	});

	test('a failure has all that is known', () => {
		const headers = { 'retry-after': '7', 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '3' };
		expect(detailsOf(400, { ...refused, request_id: 'r' }, headers)).toMatchObject({
			code: error.code,
			status: 400,
			idempotency_key: 'k',
			request_id: 'r',
			retry_after_seconds: 7,
			rate_limit: { limit: 60, remaining: 3 },
		});
		const bare = detailsOf(400, refused);
		for (const name of ['request_id', 'retry_after_seconds', 'rate_limit'])
			expect(bare).not.toHaveProperty(name);
		expect(bare.message).toContain('Not yet');
	});

	test.each([
		['data.post', { post: { id: 'p' } }, { id: 'p' }],
		['data', { id: 'p' }, { id: 'p' }],
		['data beside a post that is none', { id: 'p', post: 7 }, { id: 'p', post: 7 }],
		['data beside a post that is null', { id: 'p', post: null }, { id: 'p', post: null }],
	])('the post that was kept, in %s', (_name, data, post) =>
		expect(detailsOf(422, { ...refused, data }).post).toEqual(post),
	);

	test.each([[[{ id: 'p' }]], ['p'], [null], [undefined]])('no post in %j', (data) =>
		expect(detailsOf(422, { ...refused, data })).not.toHaveProperty('post'),
	);
});

describe('what is no answer of the service', () => {
	const page = ' \n<!DOCTYPE html><html></html>';

	test.each<[number, unknown, string, RegExp, RegExp]>([
		[
			500,
			page,
			'HTTP_500',
			/^The service answered with an error page \(HTTP 500\)$/,
			/^api\.example\.com, .* in a few minutes/,
		],
		[502, '<HTML>', 'HTTP_502', /error page \(HTTP 502\)$/, /in a few minutes/],
		[
			404,
			page,
			'HTTP_404',
			/^api\.example\.com doesn't have this endpoint: .*HTTP 404/,
			/'Base URL' and 'API Path'/,
		],
		[
			403,
			'<?xml version="1.0"?>',
			'HTTP_403',
			/^api\.example\.com answered with a web page \(HTTP 403\)/,
			/proxy, a firewall/,
		],
		[
			200,
			page,
			'NODE_HTML_RESPONSE',
			/^api\.example\.com answered with a web page instead of data$/,
			/login page/,
		],
		[
			200,
			undefined,
			'NODE_EMPTY_RESPONSE',
			/^api\.example\.com answered with nothing$/,
			/a proxy stands between/,
		],
		[200, null, 'NODE_EMPTY_RESPONSE', /nothing$/, /a proxy stands between/],
		[200, '', 'NODE_EMPTY_RESPONSE', /nothing$/, /a proxy stands between/],
		[
			200,
			{},
			'NODE_UNEXPECTED_RESPONSE',
			/^api\.example\.com answered in an unexpected format/,
			/a proxy stands between/,
		],
		[200, 'see <html>', 'NODE_UNEXPECTED_RESPONSE', /in an unexpected format/, /a proxy stands between/],
		[200, refused, 'NODE_UNEXPECTED_RESPONSE', /in an unexpected format/, /a proxy stands between/],
		[299, {}, 'NODE_UNEXPECTED_RESPONSE', /in an unexpected format/, /a proxy stands between/],
	])('%d %j: %s', (status, body, code, message, hint) => {
		expect(detailsOf(status, body)).toMatchObject({
			code,
			status,
			message: expect.stringMatching(message),
			hint: expect.stringMatching(hint),
			idempotency_key: 'k',
		});
	});

	test('an error that is no page has the words of its status', () => {
		expect(detailsOf(404, 'nothing here').message).toBe("The service doesn't have this endpoint or record");
		expect(detailsOf(400, { success: false, error: null }).code).toBe('HTTP_400');
	});
});

describe('data of the kind that is asked for', () => {
	const judge = (data: unknown, expects: Expected, method = 'GET', statusCode = 200) =>
		readAnswer(
			{ statusCode, body: { success: true, data, request_id: 'req_1' }, headers: {} },
			{ idempotency_key: 'k' },
			API,
			{ method, path: '/posts', expects },
		);
	const list = { list: ['items'] };
	const record = { id: 1 };
	const accepted: Array<[Expected, unknown[]]> = [
		['anything', [undefined, null, '', 'text', 7, [], [null], record]],
		['acknowledgement', [undefined, null, record, {}]],
		['record', [record, {}]],
		['records', [record, [], [record]]],
		[list, [[], [record], { items: [] }, { items: [record], more: [7] }, { other: [record] }, { other: [] }]],
	];
	const refused: Array<[Expected, unknown[]]> = [
		['acknowledgement', ['text', 7, true, [], [record]]],
		['record', [undefined, null, 'text', 7, false, [], [null], [record]]],
		['records', [undefined, null, 'text', 7, [null], [record, 'text']]],
		[list, [undefined, null, 'text', 7, {}, [null], ['text'], { items: null }, { items: [7] }, { count: 0 }]],
	];

	test.each(accepted)('%j: %j', (expects, all) => {
		for (const data of all) expect(judge(data, expects)).toMatchObject({ status: 200 });
	});

	test.each(refused)('%j, not %j: a failure that says what came, with key and request ID', (expects, all) => {
		for (const data of all) {
			const failure = judge(data, expects, 'POST', 201) as Failure;
			expect(failure).toBeInstanceOf(Failure);
			expect(failure.details).toMatchObject({
				...{ code: 'NODE_UNEXPECTED_DATA', status: 201, retryable: false },
				...{ idempotency_key: 'k', request_id: 'req_1' },
			});
			expect(failure.message).toMatch(/ where a (record|list of records) belongs$/);
		}
	});

	test('no content where there should be some', () => {
		const outcome = (expects: Expected) =>
			readAnswer({ statusCode: 204, body: '', headers: {} }, {}, API, { method: 'GET', path: '/', expects });
		for (const expects of ['record', 'records', list] as const)
			expect(outcome(expects)).toMatchObject({ details: { code: 'NODE_UNEXPECTED_DATA', status: 204 } });
		for (const expects of ['anything', 'acknowledgement'] as const)
			expect(outcome(expects)).toMatchObject({ data: undefined });
	});

	test('says what came and what to do', () => {
		expect((judge(null, 'record') as Failure).details).toMatchObject({
			message: 'The service answered (HTTP 200), but with null where a record belongs',
			hint: expect.stringMatching(/^Run it again/),
		});
		const came = (data: unknown) => /with (.*) where/.exec((judge(data, list) as Failure).message)?.[1];
		expect([undefined, {}, 7, [null], [{}, 7]].map(came)).toEqual([
			...['nothing', 'an object without a list', 'a number'],
			...['a list of something else', 'a list of something else'],
		]);
		expect((judge([{}], 'record') as Failure).message).toMatch(/with a list where a record belongs$/);
		expect((judge('x', 'record', 'POST') as Failure).details).toMatchObject({
			message: expect.stringMatching(/^The service accepted the request \(HTTP 200\), but with a string/),
			hint: expect.stringMatching(/^It was probably processed/),
		});
	});
});

test.each([
	[{ request_id: 42 }, '42'],
	[{ request_id: { a: 1 } }, undefined],
	[{ error: {} }, undefined],
	[{ error: 'none' }, undefined],
	[{ error: null, request_id: null }, undefined],
])('success is success, whatever stands beside it: %j', (more, requestId) => {
	const answer = read(200, { success: true, data: { id: 1 }, ...more }) as Answer;
	expect([answer.data, answer.requestId]).toEqual([{ id: 1 }, requestId]);
});
