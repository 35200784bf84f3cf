import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ZodTypeAny } from 'zod';
import { zodToJsonSchema } from 'zod-to-json-schema';
import type { Operation } from '../nodes/SocialPublishing/engine/operation';
import { resources } from '../nodes/SocialPublishing/resources';
import { outputSchemas } from './outputSchemas';

/**
 * The output schemas that n8n's editor shows before the first run, from `outputSchemas.ts`:
 * `nodes/SocialPublishing/__schema__/v1.0.0/<resource>/<operation>.json`. Run with `npm run schemas`.
 */

export const schemaFolder = join(__dirname, '../nodes/SocialPublishing/__schema__/v1.0.0');

/** What the node adds to the answer of a write. */
const added = { idempotency_key: { type: 'string' }, request_id: { type: 'string' } };

/** `<resource>/<operation>.json` → its text. */
export function schemas(): Map<string, string> {
	return new Map(
		resources.flatMap(({ value, operations }) =>
			operations.map((one) => {
				const name = `${value}/${one.value}`;
				return [`${name}.json`, schemaOf(outputSchemas[name], one)] as const;
			}),
		),
	);
}

function schemaOf(output: ZodTypeAny | undefined, { method }: Operation): string {
	const { properties = {} } = plain(zodToJsonSchema(output as never, { $refStrategy: 'none' })) as Schema;
	return `${JSON.stringify(
		{ type: 'object', properties: { ...properties, ...(method === 'GET' ? {} : added) }, version: 1 },
		null,
		'\t',
	)}\n`;
}

interface Schema {
	type?: string | string[];
	properties?: Record<string, unknown>;
	items?: unknown;
	anyOf?: unknown[];
}

/** Types and properties alone, and of alternatives the first: what the editor makes use of. */
function plain(schema: unknown): unknown {
	const { type, properties, items, anyOf } = schema as Schema;
	if (anyOf) return plain(anyOf[0]);
	return {
		type: Array.isArray(type) ? type[0] : (type ?? 'object'),
		...(properties
			? {
					properties: Object.fromEntries(
						Object.entries(properties).map(([name, value]) => [name, plain(value)]),
					),
				}
			: {}),
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
