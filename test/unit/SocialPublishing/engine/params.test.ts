import { DateTime } from 'luxon';
import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { pathSegment } from '../../../../nodes/api/address';
import { Failure } from '../../../../nodes/api/errors';
import type { Operation, Request } from '../../../../nodes/SocialPublishing/engine/operation';
import { optionsOf } from '../../../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../../../nodes/SocialPublishing/resources';
import { sample } from '../../../support/property';
import { fakeItem, paramsOf } from '../resources/operations';

const deep = (levels: number): unknown => {
	let value: unknown = 1;
	for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { value };
	return value;
};
const deepText = '{"a":'.repeat(5000) + '1' + '}'.repeat(5000);
const circular: IDataObject = {};
circular.self = circular;

/** What an expression, or a model that fills in a tool, may give instead of what is expected. */
const odd: Record<string, unknown> = {
	array: ['a', 1, null],
	'empty array': [],
	object: { a: 1 },
	'object with value': { mode: 'id', value: { a: [1] } },
	circular,
	'5,000 levels': deep(5000),
	'JSON of 5,000 levels': deepText,
	number: 7,
	fraction: 1.5,
	negative: -1,
	infinite: Infinity,
	NaN: Number.NaN,
	'big number': 1n,
	true: true,
	null: null,
	undefined,
	DateTime: DateTime.fromISO('2099-06-01T10:00:00Z'),
	'invalid DateTime': DateTime.fromISO('never'),
	Date: new Date('2099-06-01T10:00:00Z'),
	'invalid Date': new Date(Number.NaN),
	epoch: 4_083_998_400_000,
	'100 kB': 'x'.repeat(100_000),
	'100 kB of slashes': `https://a${'/'.repeat(100_000)}`,
	'100 kB of digits': '9'.repeat(100_000),
	'100 kB of commas': ','.repeat(100_000),
	'100 kB of brackets': '['.repeat(100_000),
	unicode: 'Пекарня – 日本 👩‍🚀',
	'half a pair': '\ud800',
	dots: '..',
	'encoded dots': '%2e%2e',
	percent: 'https://a.example/100%',
	function: () => 1,
};

const filled: IDataObject = {
	postId: 'post_1',
	webhookId: 'wh_1',
	inboxItemId: 'inb_1',
	text: 'Hello',
	platforms: ['x'],
	accounts: ['acc_1'],
	from: '2026-01-01',
	to: '2026-02-01',
	url: 'https://example.com/hook',
	events: ['post.published'],
	fileName: 'a.png',
	contentType: 'image/png',
	updateFields: { text: 'New' },
	scheduledAt: '2126-07-01T10:00',
	mediaUrls: 'https://example.com/a.png',
};

/** What an operation asks the service for with these parameters; stubs stand for answers. */
async function requestsOf(operation: Operation, given: IDataObject): Promise<Request[]> {
	const params = paramsOf(operation, { ...filled, ...given });
	const upload = async () => ({ record: {}, readUrl: 'https://example.com/r', print: 'p' });
	const sent: Request[] = [];
	const { context, asked, written } = fakeItem({
		answers: { '/accounts': [{ id: 'acc_1', platform: 'x', name: 'Plum' }] },
		item: {
			uploads: { binary: upload, remote: upload, direct: async () => ({}) } as never,
			waitFor: async (id: string) => {
				// As the item's context does it.
				sent.push({ path: `/posts/${pathSegment(id, 'Post')}` });
				return {};
			},
		},
	});
	if (operation.request) sent.push(operation.request(params, context));
	const outcomes = (await operation.run?.(context, params)) ?? [];
	await operation.after?.(context, outcomes, params);
	const failure = outcomes.find((one) => one instanceof Failure);
	if (failure) throw failure as Failure;
	return [...sent, ...asked, ...written];
}

/** Its options; those that all operations of a method share only for one of them. */
function optionsWith(operation: Operation): INodeProperties {
	const first = cases.find(([, { method }]) => method === operation.method)?.[1];
	const all = optionsOf(operation);
	return operation === first ? all : { ...all, options: [...operation.options] };
}

/** Every field, also those of collections, with the way to give it a value. */
const fieldsOf = (operation: Operation): Array<{ label: string; give: (value: unknown) => IDataObject }> =>
	[...operation.fields, optionsWith(operation)].flatMap((field) => [
		{ label: field.displayName, give: (value: unknown) => ({ [field.name]: value }) as IDataObject },
		...(field.type === 'collection' ? ((field.options ?? []) as INodeProperties[]) : []).map((entry) => ({
			label: entry.displayName,
			give: (value: unknown) => ({ [field.name]: { [entry.name]: value } }) as IDataObject,
		})),
	]);

const cases = resources.flatMap(({ value, operations }) =>
	operations.map((operation) => [`${value}: ${operation.value}`, operation] as const),
);

/** What is wrong with requests that were asked for, or with what was thrown instead; undefined where nothing is. */
function wrongWith(outcome: unknown): string | undefined {
	if (Array.isArray(outcome)) {
		for (const { path, qs, body } of outcome as Request[]) {
			if (new URL(`https://api.example.com/v1${path}`).pathname !== `/v1${path}`) return `asks for ${path}`;
			JSON.stringify({ qs, body });
		}
		return undefined;
	}
	// Ours, in a line that can be read, naming a parameter.
	if (!(outcome instanceof Failure)) return `throws ${String(outcome)}`;
	const { code, message, hint } = outcome.details;
	if (code === 'NODE_UNEXPECTED' || hint === '') return `${code}: ${hint}`;
	return /'[^']+'/.test(message) && message.length < 500 ? undefined : `says ${message}`;
}

describe.each(cases)('%s', (_name, operation) => {
	const fields = fieldsOf(operation);
	const values = sample(Object.entries(odd), 5, operation.fields.length);

	test.each(values)('each parameter may be: %s', async (_kind, value) => {
		const wrong: Record<string, string> = {};
		for (const { label, give } of fields) {
			const outcome = await requestsOf(operation, give(value)).catch((error: unknown) => error);
			const found = wrongWith(outcome);
			if (found !== undefined) wrong[label] = found;
		}
		// Once: an `expect` each of 20,000 parameters takes longer than all the rest.
		expect(wrong).toEqual({});
	});
});

/** Every field with choices, also those of collections. */
const withChoices = cases.flatMap(([name, operation]) =>
	[...operation.fields, optionsOf(operation)]
		.flatMap((field) => [
			{ field, give: (value: unknown) => ({ [field.name]: value }) as IDataObject },
			...(field.type === 'collection' ? ((field.options ?? []) as INodeProperties[]) : []).map((entry) => ({
				field: entry,
				give: (value: unknown) => ({ [field.name]: { [entry.name]: value } }) as IDataObject,
			})),
		])
		.filter(({ field: { type, typeOptions } }) => type === 'options' && !typeOptions?.loadOptionsMethod)
		.map(({ field, give }) => [name, field.displayName, { operation, field, give }] as const),
);

describe('a value that is no choice', () => {
	test.each(withChoices)('%s: %s', async (_name, label, { operation, field, give }) => {
		const shown = Object.fromEntries(
			Object.entries(field.displayOptions?.show ?? {}).map(([name, values]) => [name, values![0]]),
		);
		const of = async (value: unknown) =>
			await requestsOf(operation, { ...shown, ...give(value) } as IDataObject).then(
				() => 'taken',
				(error: Failure) => error.details,
			);
		if (field.allowArbitraryValues) {
			// The service's own words, which may grow.
			expect(await of('brandNew')).toBe('taken');
			return;
		}
		expect(await of('brandNew')).toMatchObject({
			code: 'NODE_PARAMETER_CHOICE',
			message: expect.stringMatching(`^'${label}' has no option 'brandNew'`),
		});
		const [first] = field.options as INodePropertyOptions[];
		const typo = String(first!.value).toUpperCase();
		expect(await of(typo)).toMatchObject({
			message: `'${label}' has no option '${typo}'. Did you mean ${String(first!.value)}?`,
			hint: expect.stringContaining(`${String(first!.value)} (${first!.name})`),
		});
	});

	test('a field that is not shown may hold anything', async () => {
		const { operation } = withChoices.find(([, label]) => label === 'Delay Unit')![2];
		const sent = await requestsOf(operation, { when: 'now', delayUnit: 'foo' });
		expect(sent.at(-1)).toMatchObject({ path: '/posts' });
	});
});
