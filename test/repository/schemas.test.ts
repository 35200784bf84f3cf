import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { resources } from '../../nodes/SocialPublishing/resources';
import { outputSchemas } from '../../tools/outputSchemas';
import { schemaFolder, schemas } from '../../tools/schemas';

/** The output schemas that n8n shows before the first run. */
describe('output schemas', () => {
	const files = readdirSync(schemaFolder, { recursive: true, withFileTypes: true })
		.filter((file) => file.isFile())
		.map((file) => relative(schemaFolder, join(file.parentPath, file.name)));

	test('there is one for every operation and none too many', () => {
		const operations = resources.flatMap(({ value, operations: own }) =>
			own.map((one) => `${value}/${one.value}`),
		);
		expect(Object.keys(outputSchemas).sort()).toEqual(operations.sort());
		expect(files.sort()).toEqual([...schemas().keys()].sort());
	});

	test.each([...schemas()])('%s is as `npm run schemas` writes it', (path, text) => {
		expect(readFileSync(join(schemaFolder, path), 'utf8')).toBe(text);
	});

	test('shows what an operation hands out: a post with its key', () => {
		const { properties } = JSON.parse(schemas().get('post/create.json')!);
		expect(properties).toMatchObject({
			id: { type: 'string' },
			provider_post_id: { type: 'string' },
			idempotency_key: { type: 'string' },
		});
		const analytics = JSON.parse(schemas().get('post/getAnalytics.json')!).properties;
		expect(Object.keys(analytics.metrics.properties)).toHaveLength(7);
		expect(analytics.daily_series.items.properties.date).toEqual({ type: 'string' });
	});
});
