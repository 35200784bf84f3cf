import { readAnswer, type Answer } from '../../../nodes/api/answers';
import { Failure } from '../../../nodes/api/errors';

const API = 'https://api.example.com/v1';
const read = (statusCode: number, body: unknown, headers: object = {}, path = '/posts') =>
	readAnswer({ statusCode, body, headers } as never, { idempotency_key: 'k' }, API, path);
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
			/^The service, or a server in front of it, has trouble: api\.example\.com .*HTTP 500/,
			/in a few minutes/,
		],
		[502, '<HTML>', 'HTTP_502', /has trouble: api\.example\.com/, /in a few minutes/],
		[
			404,
			page,
			'HTTP_404',
			/^api\.example\.com does not know this address: .*HTTP 404/,
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
			'NODE_HTML_ANSWER',
			/^api\.example\.com answered with a web page instead of data$/,
			/login page/,
		],
		[
			200,
			undefined,
			'NODE_EMPTY_ANSWER',
			/^api\.example\.com answered with nothing$/,
			/a proxy stands between/,
		],
		[200, null, 'NODE_EMPTY_ANSWER', /nothing$/, /a proxy stands between/],
		[200, '', 'NODE_EMPTY_ANSWER', /nothing$/, /a proxy stands between/],
		[
			200,
			{},
			'NODE_STRANGE_ANSWER',
			/^api\.example\.com answered, but not in the form/,
			/a proxy stands between/,
		],
		[200, 'see <html>', 'NODE_STRANGE_ANSWER', /not in the form/, /a proxy stands between/],
		[200, refused, 'NODE_STRANGE_ANSWER', /not in the form/, /a proxy stands between/],
		[299, {}, 'NODE_STRANGE_ANSWER', /not in the form/, /a proxy stands between/],
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
		expect(detailsOf(404, 'nothing here').message).toBe('The service does not know this address or record');
		expect(detailsOf(400, { success: false, error: null }).code).toBe('HTTP_400');
	});
});
