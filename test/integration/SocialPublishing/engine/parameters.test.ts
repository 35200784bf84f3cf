import { DateTime } from 'luxon';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { fieldsOf } from '../../../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../../../nodes/SocialPublishing/resources';
import { items, operations } from '../../../support/operations';
import { sample } from '../../../support/property';
import { continuesOnFail, fill, runOperation, useService } from '../../../support/service';

/** What an expression, or a model that fills in a tool, may give instead of what is expected. */
const odd: unknown[] = [
	...[
		['a', 1, null],
		{ a: 1 },
		{ mode: 'id', value: { a: [1] } },
		-1,
		Infinity,
		NaN,
		1n,
		true,
		null,
		undefined,
	],
	...[DateTime.fromISO('2099-06-01T10:00:00Z'), DateTime.fromISO('never'), new Date(NaN), () => 1],
	...['9', ',', '[', '{'].map((text) => text.repeat(100_000)),
	...[`https://a${'/'.repeat(100_000)}`, 'Пекарня – 日本 👩‍🚀', '\ud800', '..', 'https://a.example/100%'],
];
const rows = odd.map((value) => ({ ...items[0]!, json: { value } as IDataObject }));

const service = useService();

type Way = [operation: string, label: string, parameters: IDataObject];

/** The ways to give a value to each field of an operation, those of collections, too. */
const waysInto = (name: string, fields: INodeProperties[], given: IDataObject): Way[] =>
	fields.flatMap((field): Way[] => [
		[name, field.displayName, { ...given, [field.name]: '={{ $json.value }}' }],
		...(field.type === 'collection' ? (field.options as INodeProperties[]) : []).map((entry): Way => {
			const collection = { ...(given[field.name] as IDataObject), [entry.name]: '={{ $json.value }}' };
			return [name, entry.displayName, { ...given, [field.name]: collection }];
		}),
	]);
const ways = resources.flatMap(({ value, operations: list }) =>
	list.flatMap((operation) => {
		const name = `${value}:${operation.value}`;
		return waysInto(name, fieldsOf(operation), operations[name]!);
	}),
);

test('each parameter may be anything: what is sent goes to its endpoint, and an error names the parameter', async () => {
	const wrong: string[] = [];
	for (const [name, label, parameters] of sample(ways, 10)) {
		service().reset();
		await fill(service());
		const { json, error } = await runOperation(service(), name, parameters, {
			items: rows,
			...continuesOnFail,
		});
		const failures = [error?.context?.data, ...json.map((one) => one.error)].filter(Boolean) as IDataObject[];
		const odd = failures.filter(({ code, message, hint }) => {
			const isPlain = /'[^']+'/.test(String(message)) && String(message).length < 500;
			return code === 'NODE_UNEXPECTED' || !hint || (String(code).startsWith('NODE_') && !isPlain);
		});
		const paths = service().requests.map(({ path }) => path);
		const lost = paths.filter((path) => /\/\.{0,2}(\/|$)/.test(path));
		for (const one of [...odd.map(({ message }) => message), ...lost])
			wrong.push(`${name}, ${label}: ${String(one).slice(0, 200)}`);
	}
	expect(wrong).toEqual([]);
});
