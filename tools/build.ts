import { mapValues } from 'lodash';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';

import { resources } from '../nodes/SocialPublishing/resources';
import { outputSchemas } from './outputSchemas';

/**
 * What `npm run build` puts into `dist` beside the compiled code: the icons, and the output schemas that n8n's editor shows
 * before the first run.
 */

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
	items?: Schema;
}

/** Types and properties alone, and of alternatives the first: what the editor makes use of. */
function schemaOf(type: z.ZodTypeAny): Schema {
	if (type instanceof z.ZodObject)
		return { type: 'object', properties: mapValues(type.shape as z.ZodRawShape, (one) => schemaOf(one)) };
	if (type instanceof z.ZodArray) return { type: 'array', items: schemaOf(type.element) };
	if (type instanceof z.ZodUnion) return schemaOf(type.options[0]);
	if (type instanceof z.ZodOptional || type instanceof z.ZodNullable) return schemaOf(type.unwrap());
	if (type instanceof z.ZodCatch) return schemaOf(type.removeCatch());
	if (type instanceof z.ZodEffects) return schemaOf(type.innerType());
	if (type instanceof z.ZodNumber) return { type: 'number' };
	if (type instanceof z.ZodBoolean || type instanceof z.ZodLiteral) return { type: 'boolean' };
	if (type instanceof z.ZodString) return { type: 'string' };
	return { type: 'object' };
}

/** What the node adds to the answer of a write. */
const added = { idempotency_key: z.string(), request_id: z.string() };

/** `<resource>/<operation>` → its schema. */
export function schemas(): Record<string, Schema & { version: number }> {
	const all = resources.flatMap(({ value, operations }) =>
		operations.map(({ value: operation, method }) => {
			const name = `${value}/${operation}`;
			const fields = { ...outputSchemas[name], ...(method === 'GET' ? {} : added) };
			return [name, { ...schemaOf(z.object(fields)), version: 1 }] as const;
		}),
	);
	return Object.fromEntries(all);
}

async function build(): Promise<void> {
	const root = resolve(__dirname, '..');
	await cp(join(root, 'icons'), join(root, 'dist/icons'), { recursive: true });
	for (const [name, schema] of Object.entries(schemas())) {
		const path = join(root, `dist/nodes/SocialPublishing/__schema__/v1.0.0/${name}.json`);
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, JSON.stringify(schema));
	}
}

if (require.main === module) void build();
