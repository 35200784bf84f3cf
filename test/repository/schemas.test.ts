import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { resources } from '../../nodes/SocialPublishing/resources';
import { outputSchemas } from '../../tools/outputSchemas';
import { schemaFolder, schemas } from '../../tools/schemas';

test('each operation has the output schema that `npm run schemas` writes', () => {
	const operations = resources.flatMap(({ value, operations: own }) =>
		own.map((one) => `${value}/${one.value}`),
	);
	expect(Object.keys(outputSchemas).sort()).toEqual(operations.sort());
	const files = readdirSync(schemaFolder, { recursive: true, withFileTypes: true })
		.filter((file) => file.isFile())
		.map((file) => join(file.parentPath, file.name));
	const written = files.map((file) => [relative(schemaFolder, file), readFileSync(file, 'utf8')]);
	expect(Object.fromEntries(written)).toEqual(Object.fromEntries(schemas()));
});
