import { resources } from '../../../../nodes/SocialPublishing/resources';
import { limit, query, returnAll } from '../../../../nodes/SocialPublishing/resources/fields';
import { paramsOf } from './operations';

const operations = resources.flatMap((resource) =>
	resource.operations.map((operation) => [`${resource.value}.${operation.value}`, operation] as const),
);

test.each(operations)('%s: a list asks how many, what is no list does not', (_name, { fields, value }) => {
	const names = fields.map(({ name }) => name);
	const isList = ['getAll', 'getInsights', 'getDeliveries'].includes(value);
	expect([names.includes(returnAll.name), names.includes(limit.name)]).toEqual([isList, isList]);
});

test('of a list 50 are asked for, unless all are', () => {
	const [, webhooks] = operations.find(([name]) => name === 'webhook.getAll')!;
	expect(paramsOf(webhooks, {})).toMatchObject({ returnAll: false, limit: 50 });
	expect(limit.displayOptions.show).toEqual({ [returnAll.name]: [returnAll.default] });
});

test('a query is an option of the two endpoints whose parameters are not documented', () => {
	const asking = operations.filter(([, { options }]) => options.includes(query)).map(([name]) => name);
	expect(asking).toEqual(['inbox.getAll', 'analytics.getOverview']);
});
