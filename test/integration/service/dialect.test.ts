import fc from 'fast-check';
import { get, isPlainObject, mapValues, pickBy } from 'lodash';

import { bare, type Dialect, today } from '../../service/dialect';
import { type Exchange, observeExchanges } from '../../service/pipeline';
import { readContract } from '../../support/contract';
import { anyDialect } from '../../support/dialects';
import { runs } from '../../support/property';
import { addPost, addWebhook } from '../../support/service';
import { endpoints } from '../../support/specification';
import { embedded } from './harness';

const { call, service, draft } = embedded({ inlineDelaysMs: [0], speed: 0 });
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
	const queries: Record<string, object> = {
		'GET /analytics/unified': { from: '2020-01-01', to: '2036-01-01' },
		'GET /posts/{id}/analytics': { granularity: 'daily' },
	};
	const ids: Record<string, string> = { posts: 'post_x', webhooks: 'wh_1', inbox: 'inb_seed_1' };
	await call('POST', '/posts', { body: draft({ content: { text: '[[422]]' } }) });
	await call('GET', '/posts/post_done');
	for (const endpoint of endpoints.filter((one) => one !== 'DELETE /posts/{id}')) {
		const [method = '', path = ''] = endpoint.split(' ');
		const id = ids[path.split('/')[1]!]!;
		await call(method, path.replace('{id}', id), { body: bodies[endpoint], query: queries[endpoint] });
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
