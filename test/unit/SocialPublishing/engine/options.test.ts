import { omit } from 'lodash';
import { NodeHelpers, type INodePropertyOptions } from 'n8n-workflow';

import { fieldsFrom, writeOptions } from '../../../../nodes/SocialPublishing/engine/options';

/** Which operation has which: `properties.test.ts` and tools/docs/surface.txt. */

test('every write can be previewed and recognized, by an ID of its own, too', () =>
	expect(writeOptions().map((one) => omit(one, 'description', 'options'))).toEqual([
		{ displayName: 'Preview Only', name: 'previewOnly', type: 'boolean', default: true },
		{ displayName: 'Avoid Duplicates', name: 'idempotencyKeyMode', type: 'options', default: 'execution' },
		{
			...{ displayName: 'My Own ID', name: 'idempotencyKey', type: 'string', default: '' },
			placeholder: 'e.g. order-1042',
			displayOptions: { show: { idempotencyKeyMode: ['custom'] } },
		},
	]));

test('Avoid Duplicates offers the kinds that make sense for an operation, in its words; a saved one stays in the list', () => {
	const own = { execution: ['Same Text', 'Once for each inbox item'], custom: ['Ticket', 'Once'] } as const;
	const { options } = writeOptions(own)[1]!;
	const offeredWith = (saved: string) =>
		(options as INodePropertyOptions[])
			.filter((one) =>
				NodeHelpers.displayParameter(
					{ options: { avoidDuplicates: { by: { mode: saved } } } },
					one as never,
					null,
					null,
				),
			)
			.map(({ name }) => name);
	expect(offeredWith('execution')).toEqual(['Same Text', 'Ticket']);
	expect(offeredWith('content')).toEqual(['Same Text', 'Same Text and Time', 'Ticket']);
});

test('fields by name and value: numbers that read the same, true, false, null and JSON are such, dots lead into an object', () => {
	const texts = {
		...{ id: '12345678901234567890', zero: '007', empty: '', broken: '{a', word: 'true story' },
		...{ quoted: '"[a]"', before: ' true', after: 'true ' },
	};
	const rows = {
		...{ 'content.title': 'Jam', 'content.tags': '["a"]', n: '7.5', yes: 'true', none: 'null', '': 'x' },
		...texts,
	};
	const given = Object.entries(rows).map(([name, value]) => ({ name, value }));
	expect(fieldsFrom(given, 'Additional Fields')).toEqual({
		...{ content: { title: 'Jam', tags: ['a'] }, n: 7.5, yes: true, none: null },
		...texts,
	});
});
