import { apiFieldsOf, fieldsFrom } from '../../../../nodes/SocialPublishing/engine/options';

/** Which operation has which options: `properties.test.ts` and tools/docs/surface.txt. */

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
	const hint = jest.fn();
	expect(fieldsFrom(given, 'API Fields', hint)).toEqual({
		...{ content: { title: 'Jam', tags: ['a'] }, n: 7.5, yes: true, none: null },
		...texts,
	});
	expect(hint).toHaveBeenCalledWith("'API Fields' has a value without a name, so it isn't sent");
});

test('API Fields of a platform: those for all and its own, in their order', () => {
	const apiFields = {
		field: [
			{ platform: 'all', name: 'note', value: 'a' },
			{ platform: 'Twitter', name: 'note', value: 'b' },
			{ platform: 'linkedin', name: 'content.title', value: 'Jam' },
			{ name: 'album', value: '7' },
		],
	};
	expect(apiFieldsOf({ apiFields }, 'x')).toEqual({ note: 'b', album: 7 });
	expect(apiFieldsOf({ apiFields }, 'linkedin')).toEqual({ note: 'a', content: { title: 'Jam' }, album: 7 });
	expect(apiFieldsOf({})).toEqual({});
});
