import fc from 'fast-check';
import { get, isPlainObject, mapValues, pickBy } from 'lodash';

import { bare, type Dialect, dialectOf, differences, parts, today } from '../../service/dialect';
import { type Exchange, observeExchanges } from '../../service/pipeline';
import { readContract } from '../../support/contract';
import { anyDialect, shown } from '../../support/dialects';
import { runs } from '../../support/property';
import { addPost, addWebhook } from '../../support/service';
import { endpoints, platforms } from '../../support/specification';
import { embedded } from './harness';

const { call, data, get: read, service, draft } = embedded({ inlineDelaysMs: [0], speed: 0 });
const document = readContract();
const exchanges: Exchange[] = [];
observeExchanges((one) => exchanges.push(one));

/** What the specification shows of a value: all that docs/openapi.yaml names and doesn't mark as assumed. */
function factsOf(schema: any, value: unknown): unknown {
	if (schema.$ref) return factsOf(get(document, schema.$ref.slice(2).split('/')), value);
	if (schema['x-assumed'] || value === undefined) return undefined;
	if (schema.allOf) return schema.allOf.map((one: any) => factsOf(one, value));
	if (Array.isArray(value)) return value.map((one) => factsOf(schema.items ?? {}, one));
	if (!isPlainObject(value)) return value;
	const { properties = {}, required = [], additionalProperties } = schema;
	return pickBy(
		mapValues(value as object, (field, name) => {
			if (properties[name]) return factsOf(properties[name], field);
			return additionalProperties || required.includes(name)
				? factsOf(additionalProperties ?? {}, field)
				: undefined;
		}),
		// Null or absent: not shown, unless the field has to be there.
		(field, name) => field !== undefined && (field !== null || required.includes(name)),
	);
}

/** The same of an answer. */
function shownIn({ method, path }: Exchange, status: number, answer: any): unknown {
	const { responses } = document.paths[path][method.toLowerCase()];
	const given = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
	const response = given?.$ref ? get(document, given.$ref.slice(2).split('/')) : given;
	if (!response || response['x-assumed']) return { isSuccess: status < 300 };
	const schema = response.content?.['application/json'].schema;
	const facts = schema && factsOf(schema, answer);
	// The word for a post that waits for approval isn't shown.
	const waiting = ['pending_approval', 'in_review', 'queued'];
	const isWaiting = (name: string, value: unknown) => name === 'status' && waiting.includes(value as string);
	return JSON.parse(
		JSON.stringify({ status, facts }, (name, value) => (isWaiting(name, value) ? undefined : value)),
	);
}

/** Every endpoint once, as far as the dialect has it. */
async function askAll(): Promise<void> {
	const file = new FormData();
	file.append('file', new Blob(['0'], { type: 'image/png' }), 'a.png');
	addPost(service(), { id: 'post_done', status: 'completed' });
	addPost(service(), { id: 'post_x', platforms: ['x'] });
	service().lifecycle.hold(service().store.posts.get(addPost(service(), { id: 'post_held' }))!);
	addWebhook(service());
	const hook = { url: 'https://example.com/hook', events: ['post.failed'], description: 'Newsroom' };
	const bodies: Record<string, unknown> = {
		'POST /posts': draft(),
		'PATCH /posts/{id}': { content: { text: 'New' } },
		'POST /media/upload-url': { filename: 'a.png', content_type: 'image/png', size: 1 },
		'POST /media': file,
		'POST /webhooks': hook,
		'POST /inbox/{id}/reply': { text: 'Thanks' },
	};
	await call('POST', '/posts', { body: draft({ content: { text: '[[422]]' } }) });
	await call('GET', '/posts/post_done');
	for (const endpoint of endpoints.filter((one) => one !== 'DELETE /posts/{id}')) {
		const [method, path] = endpoint.split(' ') as [string, string];
		const id = path.startsWith('/webhooks') ? 'wh_1' : path.startsWith('/inbox') ? 'inb_seed_1' : 'post_x';
		const query = path.endsWith('unified')
			? { from: '2020-01-01', to: '2036-01-01' }
			: path.endsWith('}/analytics')
				? { granularity: 'daily' }
				: undefined;
		await call(method, path.replace('{id}', id), { body: bodies[endpoint], query });
	}
}

const speak = (dialect: Dialect) => {
	service().reset();
	exchanges.length = 0;
	service().speak(dialect);
};

test('what the specification shows is the same in every dialect', async () => {
	await fc.assert(
		fc
			.asyncProperty(anyDialect(), async (dialect) => {
				speak(dialect);
				await askAll();
				expect(exchanges).toHaveLength(endpoints.length + 1);
				for (const one of exchanges) {
					const { status, answer } = one.spoken!;
					expect([one.method, one.path, shownIn(one, status, answer)]).toEqual([
						one.method,
						one.path,
						shownIn(one, one.status, one.answer),
					]);
				}
			})
			.beforeEach(() => speak(today)),
		{ ...runs(40), examples: [[today], [bare]] },
	);
});

test("today's dialect changes nothing, and every choice of each part is one that can be seen", async () => {
	speak(today);
	await askAll();
	for (const { answer, spoken } of exchanges)
		expect(JSON.parse(JSON.stringify(spoken!.answer ?? null))).toEqual(
			JSON.parse(JSON.stringify(answer ?? null)),
		);
	expect(shown(today)).toBe('today');
	for (const [part, [first, ...others]] of Object.entries(parts)) {
		expect(today[part as 'more']).toBe(first);
		expect(new Set(others).size).toBe(others.length);
	}
	expect(dialectOf(7)).toEqual(dialectOf(7));
	expect(differences(dialectOf(7))).not.toEqual(differences(dialectOf(8)));
});

test('a difference is all that is left of a dialect in which it fails', () => {
	const { counterexample } = fc.check(
		fc.property(anyDialect(), (dialect) => dialect['account id'] !== 'number per platform'),
		{ numRuns: 1000 },
	);
	expect(differences(counterexample![0])).toEqual({ 'account id': 'number per platform' });
});

describe('what it says is what it understands', () => {
	test.each(['number', 'number per platform'])('an account by its %s', async (choice) => {
		speak({ ...today, 'account id': choice });
		const { accounts } = await read('/accounts');
		expect(accounts.map(({ id }: any) => id)).toEqual(
			choice === 'number' ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 1, 1, 1, 1, 1, 1, 2],
		);
		const named = { platform: 'instagram', content: { text: 'Hello' }, account_id: accounts.at(-1).id };
		const post = await data('POST', '/posts', { body: draft(named) });
		expect(post.account_id).toBe(accounts.at(-1).id);
		expect(service().store.posts.get(post.id)!.accountId).toBe('acc_main_cafe');
	});

	test('webhooks and inbox items by their numbers', async () => {
		speak({ ...today, 'webhook id': 'number', 'inbox id': 'number' });
		addWebhook(service());
		const { webhooks } = await read('/webhooks');
		await data('DELETE', `/webhooks/${webhooks[0].id}`);
		expect(service().store.webhooks.size).toBe(0);
		const { items } = await read('/inbox');
		await data('POST', `/inbox/${items[0].id}/reply`, { body: { text: 'Thanks' } });
		expect(service().store.inbox.get('inb_seed_3')!.replies).toHaveLength(1);
	});

	test.each([
		['hasNext', (page: any) => page.pagination.hasNext && { page: page.pagination.page + 1 }],
		['has_more', (page: any, n: number) => page.has_more && { page: n + 1 }],
		['next_cursor', (page: any) => page.next_cursor && { cursor: page.next_cursor }],
		['next_page', (page: any) => page.next_page && { page: page.next_page }],
	])('pages that go on with %s', async (more, nextOf) => {
		speak({ ...today, more });
		const found: string[] = [];
		let query: any = {};
		for (let n = 1; query; n++) {
			const page = await read('/accounts', query);
			expect(page.accounts.length).toBeLessThanOrEqual(3);
			found.push(...page.accounts.map(({ platform }: any) => platform));
			query = nextOf(page, n) || undefined;
		}
		expect(found).toEqual([...platforms, 'instagram']);
	});

	test('pages of a bare list that go on beside it, or in a header', async () => {
		speak({ ...today, lists: 'bare', more: 'has_more' });
		const { body } = await call('GET', '/accounts');
		expect([body.data.length, body.has_more]).toEqual([3, true]);
		speak({ ...today, lists: 'bare', more: 'Link' });
		const { headers } = await call('GET', '/accounts', { query: { page: 2 } });
		expect(headers.link).toBe(`<${service().apiUrl}/accounts?page=3>; rel="next"`);
	});

	test('what is late is there a second later', async () => {
		speak({ ...today, late: 'posts' });
		const { id } = await data('POST', '/posts', { body: draft() });
		expect((await call('GET', `/posts/${id}`)).code).toBe('PUBLIC_API_POST_NOT_FOUND');
		await service().clock.advance(1_000);
		expect(await read(`/posts/${id}`)).toMatchObject({ id });
	});

	test('what the plan lacks is refused, nothing else is', async () => {
		speak({ ...today, missing: '403 /accounts' });
		expect(await call('GET', '/accounts')).toMatchObject({ status: 403, code: 'PUBLIC_API_SCOPE_FORBIDDEN' });
		expect(await read('/usage')).toMatchObject({ accounts: 8 });
	});

	test('ends of a range, in whole seconds', async () => {
		speak({ ...today, range: 'seconds exclusive' });
		const at = Date.UTC(2036, 0, 1, 10) + 700;
		addPost(service(), { id: 'post_late', at });
		const iso = (ms: number) => new Date(ms).toISOString();
		const between = async (from: number, to: number) =>
			(await read('/posts', { from: iso(from), to: iso(to) })).items.map((one: any) => one.scheduled_at);
		expect(await between(at - 1_000, at + 1_000)).toEqual(['2036-01-01T10:00:00.000Z']);
		expect(await between(at - 10, at + 1_000)).toEqual([]);
	});
});
