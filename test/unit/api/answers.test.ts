import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';

import { readAnswer, type Expected } from '../../../nodes/api/answers';
import { Failure } from '../../../nodes/api/failure';

const API = 'https://api.example.com/v1';
type Body = IN8nHttpFullResponse['body'];
const read = (statusCode: number, body: unknown, headers: IDataObject = {}, asked: object = {}) =>
	readAnswer({ statusCode, body: body as Body, headers }, { idempotency_key: 'k' }, API, {
		...{ method: 'GET', path: '/posts' },
		...asked,
	});
const detailsOf = (...given: Parameters<typeof read>) => {
	const outcome = read(...given);
	expect(outcome).toBeInstanceOf(Failure);
	return (outcome as Failure).details;
};
const error = { code: 'PUBLIC_API_NOT_THERE_YET', message: 'Not yet.' };
const refused = { success: false, error };

describe('an answer in the form of the service', () => {
	test.each([
		[200, { success: true, data: { id: 1 }, request_id: 'r' }, { data: { id: 1 }, requestId: 'r' }],
		[299, { success: true }, { data: undefined }],
		[204, 'none', { data: undefined }],
		// Success is success, whatever stands beside it.
		[200, { success: true, data: 1, request_id: { a: 1 } }, { data: 1 }],
		[200, { success: true, data: 1, error: {} }, { data: 1 }],
	])('%d %j: its data', (status, body, expected) => {
		const answer = read(status, body, { a: 'b' });
		expect(answer).toMatchObject({ status, headers: { a: 'b' }, ...expected });
	});

	test.each<[boolean, number, unknown]>([
		...[404, 409, 410].flatMap((status): Array<[boolean, number, unknown]> => [
			[true, status, { success: false, error: 'Webhook not found' }],
			[true, status, { success: false, error: { type: 'missing' } }],
			[false, status, { error: 'Webhook not found' }],
			[false, status, '<html>'],
		]),
		// These may mean the key as well, or what the request has in it.
		...[400, 401, 402, 403, 422, 500].map((status): [boolean, number, unknown] => [
			...([false, status, { success: false, error: 'No' }] as const),
		]),
	])('whether it is the service that says so, without a code: %s, of %d %j', (isOfService, status, body) =>
		expect(read(status, body)).toMatchObject({ isOfService, details: { code: `HTTP_${status}` } }),
	);

	test.each([199, 300, 400, 500])('%d with success is a failure all the same', (status) => {
		expect(detailsOf(status, { success: true, data: {} })).toMatchObject({ code: `HTTP_${status}`, status });
	});

	test('a failure has all that is known', () => {
		const headers = { 'retry-after': '7', 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '3' };
		expect(detailsOf(400, { ...refused, request_id: 'r' }, headers)).toMatchObject({
			...{ code: error.code, status: 400, idempotency_key: 'k', request_id: 'r' },
			...{ retry_after_seconds: 7, rate_limit: { limit: 60, remaining: 3 } },
		});
		// A date counts from now.
		const inAnHour = { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() };
		expect(detailsOf(429, refused, inAnHour).retry_after_seconds).toBeCloseTo(3600, -2);
		// Success is not a matter of the status alone.
		const bare = detailsOf(200, refused);
		expect(bare).toMatchObject({ code: error.code, message: 'The service rejected the request: Not yet.' });
		for (const name of ['request_id', 'retry_after_seconds', 'rate_limit'])
			expect(bare).not.toHaveProperty(name);
		for (const said of ['Too long.', { message: 'Too long.' }])
			expect(detailsOf(400, { success: false, error: said })).toMatchObject({
				code: 'HTTP_400',
				message: 'The service rejected the request: Too long.',
			});
		const odd = { success: false, error: { code: 'A', message: 7 } };
		expect(detailsOf(400, odd).message).toBe('The service rejected the request');
	});

	test.each([
		['as it is', { id: 'p' }, { id: 'p' }],
		['in whatever form', { post: { _id: 'p' } }, { post: { _id: 'p' } }],
		['none in a list', [{ id: 'p' }], undefined],
		['none in a text', 'p', undefined],
	])('the post that was kept: %s', (_name, data, post) => {
		expect(detailsOf(422, { ...refused, data }).post).toEqual(post);
		expect(detailsOf(400, { ...refused, data }).post).toBeUndefined();
	});
});

describe('what is no answer of the service', () => {
	const page = ' \n<!DOCTYPE html><html></html>';
	const host = 'api.example.com';
	const insteadOfData = (status: number) =>
		`${host} answered with an empty or unreadable response (HTTP ${status}) instead of data`;

	// What statuses mean: failureTexts.test.ts.
	test.each<[number, unknown, string]>([
		[502, '<HTML>', "The service couldn't do this (HTTP 502)"],
		[302, page, 'The base URL redirects to another address'],
		[413, page, 'The request is too large for the service'],
		[400, page, `${host} answered with a web page (HTTP 400) instead of data`],
		[403, '<?xml?>', `${host} answered with a web page (HTTP 403) instead of data`],
		[401, { error: 'Log in first' }, `${insteadOfData(401)}: Log in first`],
		...['', 'error code: 1020', null, { success: 'false' }].map((body): [number, unknown, string] => [
			...([403, body, insteadOfData(403)] as const),
		]),
		[400, { success: false, error: { message: null } }, 'The service rejected the request'],
		[200, { success: false }, 'The service rejected the request'],
		// Without the envelope, a code isn't the service's.
		[400, { error: { code: 'PUBLIC_API_KEY_INVALID', message: 'No' } }, `${insteadOfData(400)}: No`],
		[502, { error: { code: 'A_FAILED', message: 'No' } }, "The service couldn't do this (HTTP 502): No"],
		[503, { message: 'No' }, "The service couldn't do this (HTTP 503)"],
	])('%d %j: %s', (status, body, message) =>
		expect(detailsOf(status, body)).toMatchObject({
			...{ code: `HTTP_${status}`, status, message, idempotency_key: 'k' },
		}),
	);

	test.each<[string, unknown[]]>([
		['a web page', [page]],
		[
			'an empty or unreadable response',
			[undefined, null, '', 'see <html>', { data: {} }, { toString: null }],
		],
	])('a success with %s in place of data: %j', (found, bodies) => {
		for (const body of bodies)
			expect(detailsOf(299, body)).toMatchObject({
				...{ code: 'NODE_UNEXPECTED_RESPONSE', status: 299, idempotency_key: 'k' },
				...{ message: `${host} answered with ${found} (HTTP 299) instead of data` },
				hint: expect.stringMatching(
					/^Check 'Base URL' and 'API Path' in the credential.* a proxy, .* stands between/,
				),
			});
	});
});

describe('data of the kind that is asked for', () => {
	const judge = (data: unknown, expects: Expected, method = 'GET', statusCode = 200) =>
		read(statusCode, { success: true, data, request_id: 'req_1' }, {}, { method, expects });
	const record = { id: 1 };
	const accepted: Array<[Expected, unknown[]]> = [
		['anything', [undefined, null, '', 'text', 7, [], [null], record]],
		['record', [record, {}]],
		['records', [record, [], [record]]],
		['list', [[], [record], { items: [] }, { items: [record], more: [7] }, { other: [record] }]],
		['list', [{ notes: ['a'], rows: [] }]],
	];
	const refused: Array<[Expected, unknown[]]> = [
		['record', [undefined, null, 'text', 7, false, [], [null], [record]]],
		['records', [undefined, null, 'text', 7, [null], [record, 'text']]],
		[
			'list',
			[undefined, null, 'text', 7, {}, [null], ['text'], { items: null }, { items: [7] }, { a: [], b: [] }],
		],
	];

	test.each(accepted)('%j: %j', (expects, all) => {
		for (const data of all) expect(judge(data, expects)).toMatchObject({ status: 200 });
	});

	test('where the specification shows no answer, an empty one is success, a page or a refusal is none', () => {
		const asked = (expects: Expected) => ({ method: 'POST', expects });
		for (const body of [undefined, null, ''])
			for (const status of [200, 202, 299]) {
				expect(read(status, body, {}, asked('anything'))).toMatchObject({ status });
				expect(read(status, body, {}, asked('record'))).toBeInstanceOf(Failure);
			}
		for (const [status, body] of [
			[200, 'OK'],
			[302, ''],
			[500, ''],
		] as const)
			expect(read(status, body, {}, asked('anything'))).toBeInstanceOf(Failure);
	});

	test.each(refused)('%j, not %j: a failure that says what came, with key and request ID', (expects, all) => {
		for (const data of all) {
			const failure = judge(data, expects, 'POST', 201) as Failure;
			expect(failure).toBeInstanceOf(Failure);
			expect(failure.details).toMatchObject({
				...{ code: 'NODE_UNEXPECTED_DATA', status: 201, retryable: false },
				...{ idempotency_key: 'k', request_id: 'req_1' },
				hint: expect.stringMatching(/^Try again\. If this keeps happening/),
			});
			const wanted = expects === 'list' ? 'a list of records' : 'a record';
			expect(failure.message).toBe(
				`The service accepted the request (HTTP 201), but its data is not ${wanted}`,
			);
		}
	});

	test('of a read: what to do', () => {
		expect((judge([{}], 'record') as Failure).details).toMatchObject({
			message: 'The service answered (HTTP 200), but its data is not a record',
			hint: expect.stringMatching(/^Try again/),
		});
	});
});
