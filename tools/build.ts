import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { resources } from '../nodes/SocialPublishing/resources';
import { object, outputSchemas, strings, type Fields } from './outputSchemas';

/**
 * What `npm run build` puts into `dist` beside the compiled code: the icons, and the output schemas that n8n's editor shows
 * before the first run.
 */

/** What the node adds to the answer of a write. */
const added = strings('idempotency_key', 'request_id');

/** `<resource>/<operation>` → its schema. */
export function schemas(): Record<string, { version: number; properties?: Fields }> {
	const all = resources.flatMap(({ value, operations }) =>
		operations.map(({ value: operation, method }) => {
			const name = `${value}/${operation}`;
			const fields = { ...outputSchemas[name], ...(method === 'GET' ? {} : added) };
			return [name, { ...object(fields), version: 1 }] as const;
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
