import type { IDataObject } from 'n8n-workflow';
import { type Service, startService } from '../../service';
import { description, runNode, table } from '../../support/engine';

/** What a model gets to see of the node as a tool, and what every workflow relies on when items run at the same time. */
describe('as a tool', () => {
	test('every operation has a sentence of its own that says what it does to what', async () => {
		const actions = (await table()).flatMap(({ operations }) =>
			operations.map(({ action }: IDataObject) => String(action)),
		);
		expect(new Set(actions).size).toBe(actions.length);
		for (const action of actions) expect(action).toMatch(/^[A-Z][a-z]+( \w+)+$/);
	});

	test('every field says what belongs there, every record can be named by ID', async () => {
		const { properties } = await description();
		const asked = properties.filter(
			({ name }: IDataObject) => !['resource', 'operation', 'options'].includes(String(name)),
		);
		for (const field of asked) {
			const said = `${field.displayName} ${field.description ?? ''} ${field.placeholder ?? ''}`;
			expect(`${field.name}: ${said.trim().length > 12}`).toBe(`${field.name}: true`);
			if (field.type === 'resourceLocator')
				expect(field.modes.map(({ name }: IDataObject) => name)).toContain('id');
		}
	});
});

describe('items at the same time', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	afterAll(async () => await service.close());

	test('run in parallel, come out in the order of the input', async () => {
		const create = async (concurrency: number) => {
			service.reset();
			// The first is held until all others had their turn, or it would time out.
			service.faults.add({ method: 'POST', path: '^/posts$', kind: 'delay', ms: 1500 });
			const { json, error } = await runNode({
				parameters: {
					resource: 'post',
					operation: 'create',
					platforms: ['linkedin'],
					text: '={{ $json.text }}',
					when: 'now',
					options: { concurrency },
				},
				credential: { baseUrl: service.url, apiKey: service.keys.full },
				items: Array.from({ length: 12 }, (_, i) => ({ json: { text: `Post ${i}` } })),
				executionId: String(concurrency),
			});
			expect(error).toBeUndefined();
			const texts = json.map(({ id }) => service.store.posts.get(String(id))!.text);
			expect(texts).toEqual(Array.from({ length: 12 }, (_, i) => `Post ${i}`));
			const sent = service.requests.filter(({ method }) => method === 'POST');
			return sent.map(({ body }) => (body as any).content.text);
		};
		expect(await create(1)).toEqual(Array.from({ length: 12 }, (_, i) => `Post ${i}`));
		const sent = await create(4);
		expect(sent).toHaveLength(12);
		expect(new Set(sent.slice(0, 4))).toEqual(new Set(['Post 0', 'Post 1', 'Post 2', 'Post 3']));
	});
});
