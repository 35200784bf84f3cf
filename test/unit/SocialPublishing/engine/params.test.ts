import { DateTime } from 'luxon';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { pathSegment } from '../../../../nodes/api/address';
import { Failure } from '../../../../nodes/api/failure';
import type { ReadRequest } from '../../../../nodes/SocialPublishing/engine/item';
import type { Operation } from '../../../../nodes/SocialPublishing/engine/operation';
import { optionsOf } from '../../../../nodes/SocialPublishing/engine/properties';
import type { Outgoing, Write } from '../../../../nodes/SocialPublishing/writes/write';
import { resources } from '../../../../nodes/SocialPublishing/resources';
import { sample } from '../../../support/property';
import { fakeItem, paramsOf, waiting } from '../resources/operations';

/** What an expression, or a model that fills in a tool, may give instead of what is expected. */
const odd: Record<string, unknown> = {
	array: ['a', 1, null],
	object: { a: 1 },
	'object with value': { mode: 'id', value: { a: [1] } },
	number: 7,
	negative: -1,
	infinite: Infinity,
	NaN: Number.NaN,
	'big number': 1n,
	true: true,
	null: null,
	undefined,
	DateTime: DateTime.fromISO('2099-06-01T10:00:00Z'),
	'invalid DateTime': DateTime.fromISO('never'),
	'invalid Date': new Date(Number.NaN),
	'100 kB of slashes': `https://a${'/'.repeat(100_000)}`,
	'100 kB of digits': '9'.repeat(100_000),
	'100 kB of commas': ','.repeat(100_000),
	'100 kB of brackets': '['.repeat(100_000),
	unicode: 'Пекарня – 日本 👩‍🚀',
	'half a pair': '\ud800',
	dots: '..',
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

type Asked = ReadRequest & Partial<Write & Outgoing>;

/** What an operation asks the service for with these parameters; stubs stand for answers. */
async function requestsOf(operation: Operation, given: IDataObject): Promise<Asked[]> {
	const params = paramsOf(operation, { ...filled, ...given });
	const sent: Asked[] = [];
	const { context, asked, written } = fakeItem({
		answers: { '/accounts': [{ id: 'acc_1', platform: 'x', name: 'Plum' }] },
		// As the item does it.
		item: waiting(async (id) => (sent.push({ path: `/posts/${pathSegment(id, 'Post')}` }), {})),
	});
	const { request, run, plan, send, wait } = operation;
	if (request) sent.push(request(params, context));
	const planned = await plan?.(params, context);
	const outcomes = planned ? await send!(planned as never) : ((await run?.(context, params)) ?? []);
	await wait?.(outcomes, params, context, planned as never);
	const failure = outcomes.find((one) => one instanceof Failure);
	if (failure) throw failure as Failure;
	return [...sent, ...asked, ...written];
}

const cases = resources.flatMap(({ value, operations }) =>
	operations.map((operation) => [`${value}: ${operation.value}`, operation] as const),
);

/** The ways to give a value to each field: those of collections too, and what all operations of a method share once. */
function waysIn(operation: Operation): Array<[label: string, give: (value: unknown) => IDataObject]> {
	const { method, fields, options } = operation;
	const all = optionsOf(operation);
	const isFirst = cases.find(([, one]) => one.method === method)![1] === operation;
	return [...fields, isFirst ? all : { ...all, options: [...options] }].flatMap((field) => [
		[field.displayName, (value) => ({ [field.name]: value }) as IDataObject],
		...(field.type === 'collection' ? (field.options as INodeProperties[]) : []).map(
			({ displayName, name }): ReturnType<typeof waysIn>[0] => [
				displayName,
				(value) => ({ [field.name]: { [name]: value } }) as IDataObject,
			],
		),
	]);
}

/** What is wrong with requests that were asked for, or with what was thrown instead; undefined where nothing is. */
function wrongWith(outcome: unknown): string | undefined {
	if (Array.isArray(outcome)) {
		for (const { path, qs, body } of outcome as Asked[]) {
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

test.each(cases)('%s: each parameter may be anything', async (_name, operation) => {
	const ways = waysIn(operation);
	const wrong: Record<string, string> = {};
	for (const [kind, value] of sample(Object.entries(odd), 5, ways.length))
		for (const [label, give] of ways) {
			const outcome = await requestsOf(operation, give(value)).catch((error: unknown) => error);
			const found = wrongWith(outcome);
			if (found !== undefined) wrong[`${label}: ${kind}`] = found;
		}
	// Once: an `expect` for each of thousands of values takes longer than all the rest.
	expect(wrong).toEqual({});
});
