import { map } from 'lodash';

import { refusal } from '../../../../../nodes/api/failure';
import { checked, HOUR_MS, names, off, post } from './checked';

test('all is well: five checks, nothing to do, no lists that are empty', async () => {
	const { items, asked } = await checked({ webhooks: [] }, 3);
	const messages = {
		accounts: 'Disconnected accounts: 0.',
		overdue_posts: 'Overdue posts: 0.',
		failed_posts: 'Failed posts in the last 3 days: 0.',
		webhooks: 'Disabled webhooks: 0.',
		approvals: 'Approval batches that wait for a decision: 0.',
	};
	const ok = { status: 'ok', hint: 'Nothing to do.', facts: { count: 0 } };
	expect(items).toEqual(map(messages, (message, check) => ({ check, message, ...ok })));
	expect(asked.map(({ path, qs }) => [path, qs])).toEqual([
		['/accounts', undefined],
		['/posts', { limit: 100, from: '2016-06-01T11:45:00Z', to: '2026-06-01T11:45:00Z', status: 'scheduled' }],
		['/posts', { limit: 100, from: '2026-05-29T12:00:00Z', to: '2026-06-01T12:00:00Z', status: 'failed' }],
		['/webhooks', undefined],
		['/approvals', { page: 1, limit: 50 }],
	]);
});

const failure = (status: number) => ({
	statusCode: status,
	body: { success: false, error: { code: 'NEW', message: 'No.' } },
});
const ways: Readonly<Record<string, unknown>> = {
	...Object.fromEntries([400, 401, 403, 404, 429, 500].map((status) => [status, failure(status)])),
	'503 with a page': { statusCode: 503, body: '<html></html>' },
	204: { statusCode: 204 },
	'an empty body': { body: '' },
	...Object.fromEntries(
		[null, 'none', {}].map((data) => [`data ${JSON.stringify(data)}`, { body: { success: true, data } }]),
	),
	'a broken connection': refusal('CONNECTION', 'The connection broke', 'Try.'),
};
const checkOf = {
	...{ accounts: 'accounts', due: 'accounts', overdue: 'overdue_posts', failed: 'failed_posts' },
	...{ webhooks: 'webhooks', deliveries: 'webhooks', approvals: 'approvals' },
};

test.each(names.flatMap((name) => Object.keys(ways).map((way) => [name, way] as const)))(
	'%s that answer with %s are a warning, never ok, and no other check is lost',
	async (name, way) => {
		const { items, by } = await checked({ accounts: [off], [name]: ways[way] });
		expect(items).toHaveLength(5);
		const { [checkOf[name]]: affected, ...others } = by;
		expect(affected).toMatchObject({ status: 'warning', hint: expect.stringMatching(/\w/) });
		expect(affected.message).toMatch(/could not be read: .*[^.]\.( |$)/);
		for (const { check, status } of Object.values(others))
			expect(status).toBe(check === 'accounts' ? 'warning' : 'ok');
	},
);

test('what could not be read is named, with the code of the service', async () => {
	const { by, asked } = await checked({ accounts: [off], failed: failure(403), due: failure(500) }, 2);
	expect(by.failed_posts).toMatchObject({
		message: expect.stringMatching(/^Failed posts could not be read: .*[^.]\.$/),
		facts: { error: { code: 'NEW', status: 403 } },
	});
	const range = { from: '2026-06-01T12:00:00Z', to: '2026-06-03T12:00:00Z', status: 'scheduled' };
	expect(asked).toContainEqual(expect.objectContaining({ path: '/posts', qs: { ...range, limit: 100 } }));
});

test('where nothing can be read, that is an error', async () => {
	const lists = Object.fromEntries(names.map((name) => [name, failure(401)]));
	await expect(checked(lists)).rejects.toMatchObject({ details: { status: 401 } });
});

test('the worst comes first; a signed address in what the service says is left out', async () => {
	const failed = [post('p', -HOUR_MS, { status: 'failed', error: 'https://s.example/a?sig=1' })];
	const { items } = await checked({ accounts: [{ ...off, status: 'limbo' }], failed }, 1e9);
	const order = ['failed_posts', 'accounts', 'overdue_posts', 'webhooks', 'approvals'];
	expect(items.map(({ check }) => check)).toEqual(order);
	expect(items[0]!.hint).toMatch(/Reasons: https:\/\/s\.example\/a\?\[hidden\] \(1\)\.$/);
	expect(items[0]!.message).toBe('Failed posts in the last 365 days: 1.');
});
