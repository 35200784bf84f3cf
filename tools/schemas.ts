import { mapValues } from 'lodash';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z, type ZodRawShape } from 'zod';
import { zodToJsonSchema } from 'zod-to-json-schema';
import { resources } from '../nodes/SocialPublishing/resources';
import { outputSchemas } from './outputSchemas';

/** `npm run schemas`: the output schemas that n8n's editor shows before the first run, from `outputSchemas.ts`. */

export const schemaFolder = join(__dirname, '../nodes/SocialPublishing/__schema__/v1.0.0');

/** What the node adds to the answer of a write. */
const added = { idempotency_key: z.string(), request_id: z.string() };

/** `<resource>/<operation>.json` → its text. */
export function schemas(): Map<string, string> {
	const files = new Map<string, string>();
	for (const { value, operations } of resources)
		for (const { value: operation, method } of operations) {
			const name = `${value}/${operation}`;
			files.set(`${name}.json`, schemaOf({ ...outputSchemas[name], ...(method === 'GET' ? {} : added) }));
		}
	return files;
}

function schemaOf(fields: ZodRawShape): string {
	const schema = plain(zodToJsonSchema(z.object(fields) as never, { $refStrategy: 'none' }) as Schema);
	return `${JSON.stringify({ ...schema, version: 1 }, null, '\t')}\n`;
}

interface Schema {
	type?: string | string[];
	properties?: Record<string, Schema>;
	items?: Schema;
	anyOf?: Schema[];
}

/** Types and properties alone, and of alternatives the first: what the editor makes use of. */
function plain({ type = 'object', properties, items, anyOf }: Schema): Schema {
	if (anyOf) return plain(anyOf[0]!);
	return {
		type: [type].flat()[0],
		...(properties ? { properties: mapValues(properties, plain) } : {}),
		...(items ? { items: plain(items) } : {}),
	};
}

async function write(): Promise<void> {
	await rm(schemaFolder, { recursive: true, force: true });
	for (const [path, text] of schemas()) {
		await mkdir(dirname(join(schemaFolder, path)), { recursive: true });
		await writeFile(join(schemaFolder, path), text);
	}
}

if (require.main === module) void write();
