import { ERROR_STATUS, statusOf } from '../../service/errors';
import { errors, statusOf as specified } from '../../support/specification';
import { embedded } from './harness';

const { service, call, create, draft } = embedded();

test('the codes of the specification, each with its status; any other one is a 500', () => {
	expect(ERROR_STATUS).toEqual(specified);
	expect([statusOf('PUBLIC_API_NOT_FOUND'), statusOf('PUBLIC_API_OF_TOMORROW')]).toEqual([404, 500]);
});

/** What only trouble inside the service brings is made by a fault. */
const cases = [
	...Object.entries(errors.endpoint).flatMap(([endpoint, codes]) =>
		Object.entries(codes).map(([code, status]) => [endpoint, code, status] as const),
	),
	['GET /accounts', 'PUBLIC_API_AUTH_ERROR', 500] as const,
	['POST /posts', 'PUBLIC_API_CONTEXT_ERROR', 500] as const,
].filter(([, , status]) => status === 500);

test.each(cases)('%s: %s is an answer without data, and gone with the next try', async (endpoint, code) => {
	const [method, path] = endpoint.replace('{id}', (await create()).id).split(' ') as [string, string];
	const bodies: Record<string, unknown> = {
		'/media/upload-url': { filename: 'a.png', content_type: 'image/png', size: 3 },
		'/posts': draft(),
		'/webhooks': { url: 'https://receiver.example/hook', events: ['post.created'] },
	};
	const query = { '/analytics/unified': { from: '2026-01-01', to: '2026-02-01' } }[path];
	const body = method === 'POST' ? bodies[path] : undefined;
	const send = async () => await call(method, path, { query, body, idempotencyKey: `same:${code}` });
	service().faults.add({ kind: 'error', code, message: 'Said so.', method, path: `^${path}$`, times: 2 });
	const before = service().store.posts.size;
	const failed = { success: false, error: { code, message: 'Said so.' }, request_id: expect.any(String) };
	for (let n = 0; n < 2; n++)
		expect(await send()).toMatchObject({ status: 500, body: failed, data: undefined });
	expect(service().store.posts.size).toBe(before);
	expect((await send()).status).toBeLessThan(300);
});
