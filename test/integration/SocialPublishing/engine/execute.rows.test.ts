import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { itemWith, inMemory } from '../../../support/binaries';
import { runs } from '../../../support/property';
import { addPost, addWebhook, asked, run, useService } from '../../../support/service';

/** Whatever is wrong with a row is found before another one is sent. */

const service = useService();

const options = {
	workspaceId: { mode: 'id', value: '={{ $json.workspace }}' },
	previewOnly: '={{ $json.preview }}',
	idempotencyKeyMode: '={{ $json.mode }}',
	idempotencyKey: '={{ $json.key }}',
	additionalFields: '={{ $json.more }}',
};
const right = (i: number): IDataObject => ({
	...{ workspace: 'ws_main', preview: false, mode: 'custom', key: `row-${i}`, more: '{}', id: `post_${i}` },
	...{ text: `Text ${i}`, platform: 'x', field: 'data', time: '2126-01-01T10:00' },
});

/** Parameters of each kind of write, by expressions, and what of a row can be wrong beside its options. */
const writes: Record<string, [parameters: IDataObject, wrong: Array<[field: string, values: unknown[]]>]> = {
	'post:create': [
		{
			...{ postTo: 'platforms', platforms: '={{ [$json.platform] }}', text: '={{ $json.text }}' },
			...{ when: 'at', scheduledAt: '={{ $json.time }}' },
		},
		[
			['text', ['']],
			['platform', ['', 'facebok', 'x:nobody']],
			['time', ['', 'soon', '2020-01-01T10:00']],
		],
	],
	'post:update': [
		{ postId: { mode: 'id', value: '={{ $json.id }}' }, updateFields: { scheduledAt: '={{ $json.time }}' } },
		[
			['id', ['', '..']],
			['time', ['soon', '2020-01-01T10:00']],
		],
	],
	'post:cancel': [{ postId: { mode: 'id', value: '={{ $json.id }}' } }, [['id', ['', '..']]]],
	'post:delete': [{ postId: { mode: 'id', value: '={{ $json.id }}' } }, [['id', ['', '..']]]],
	'inbox:reply': [
		{ inboxItemId: { mode: 'id', value: '={{ $json.id }}' }, text: '={{ $json.text }}' },
		[
			['id', ['', '..']],
			['text', ['']],
		],
	],
	'media:upload': [{ mediaFrom: 'binary', binaryFields: '={{ $json.field }}' }, [['field', ['', 'gone']]]],
	'webhook:delete': [{ webhookId: { mode: 'id', value: '={{ $json.id }}' } }, [['id', ['', '..']]]],
};
const wrongOptions: Array<[field: string, values: unknown[]]> = [
	['workspace', ['my ws', 'a\u200bb', '', null]],
	['preview', ['', null, 'perhaps']],
	['mode', ['', null, 'sometimes']],
	['key', ['', null, 'ümlaut']],
];
const hasBody = (name: string) => !/delete$/.test(name);
const cases = Object.entries(writes).flatMap(([name, [, own]]) =>
	[
		...wrongOptions,
		...own,
		...(hasBody(name) ? [['more', ['{', '[1]']] as [string, unknown[]]] : []),
	].flatMap(([field, values]) => values.map((value) => ({ name, field, value }))),
);

test('whatever is wrong with a row, no other one is sent', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...cases),
			fc.integer({ min: 2, max: 4 }),
			fc.nat({ max: 3 }),
			async ({ name, field, value }, count, at) => {
				service().reset();
				const rows = Array.from({ length: count }, (_, i) => right(i));
				const index = at % count;
				rows[index] = { ...rows[index], [field]: value } as IDataObject;
				for (let i = 0; i < count; i++) addPost(service(), { id: `post_${i}` });
				addWebhook(service(), 'post_0');
				const [resource, operation] = name.split(':');
				const [parameters] = writes[name]!;
				const { additionalFields, ...others } = options;
				const { error } = await run(
					service(),
					{
						resource,
						operation,
						...parameters,
						options: hasBody(name) ? { additionalFields, ...others } : others,
					},
					{
						items: rows.map((json) => ({
							...itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('0123456789')) }),
							json,
						})),
					},
				);
				expect([name, field, value, error?.message]).toEqual([name, field, value, expect.any(String)]);
				for (const method of ['POST', 'PATCH', 'DELETE', 'PUT']) expect(asked(service(), method)).toEqual([]);
			},
		),
		runs(150),
	);
});

test('rows that are right are sent', async () => {
	for (const name of ['post:create', 'media:upload']) {
		service().reset();
		const [resource, operation] = name.split(':');
		const items = [0, 1].map((i) => ({
			...itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('0123456789')) }),
			json: right(i),
		}));
		const { error, json } = await run(
			service(),
			{ resource, operation, ...writes[name]![0], options },
			{ items },
		);
		expect([name, error?.message, json.length]).toEqual([name, undefined, 2]);
	}
});
