import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { fieldsOf, isOfVersion } from '../../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../../nodes/SocialPublishing/resources';
import { storedField, type StoredField } from './stored';

/**
 * Workflows saved with 0.1.0 hold these names and values: a node of type version 1 knows each of them, of the same type and
 * with the same default. The fixture was written by version 0.1.0 itself.
 */
const saved = JSON.parse(readFileSync(join(__dirname, 'fixtures/parameters-0.1.0.json'), 'utf8')) as Record<
	string,
	StoredField[]
>;

const now = new Map(
	resources.flatMap((resource) =>
		resource.operations.map((operation) => [
			`${resource.value}.${operation.value}`,
			fieldsOf(operation, { typeVersion: 1 }).map((field) =>
				storedField({
					...field,
					...(field.type === 'collection'
						? {
								options: (field.options as any[]).filter((entry) => isOfVersion(entry, { typeVersion: 1 })),
							}
						: {}),
				}),
			),
		]),
	),
);

test('27 operations were saved', () => expect(Object.keys(saved)).toHaveLength(27));

test.each(Object.entries(saved))('%s knows every parameter of 0.1.0', (name, fields) => {
	const known = now.get(name)!;
	expect(known).toBeDefined();
	fields.forEach((field) => covers(field, known, true));
});

/** An entry's default is what the panel fills in when somebody adds it: only that may be better now. */
function covers(field: StoredField, known: StoredField[], isField: boolean): void {
	const same = known.find(({ name }) => name === field.name);
	expect({ name: field.name, known: same !== undefined }).toEqual({ name: field.name, known: true });
	if (isField) expect({ [field.name]: same!.default }).toEqual({ [field.name]: field.default });
	if (isField) expect(same!.show).toEqual(field.show);
	// A dropdown reads what was typed into a text field.
	expect([field.type, ...(field.type === 'string' ? ['options'] : [])]).toContain(same!.type);
	expect(same!.values ?? []).toEqual(expect.arrayContaining(field.values ?? []));
	field.entries?.forEach((entry) => covers(entry, same!.entries ?? [], false));
}
