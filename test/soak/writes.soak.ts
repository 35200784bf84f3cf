import { startN8n } from '../n8n/instance';
import { writes } from './support/writes';
import type { Row } from '../figures';

/** 1,000 posts through a real n8n, one request in five failing, stopped and retried; docs/idempotency.md says what it shows. */
export const name = 'writes';

export async function run(scale: number): Promise<Row[]> {
	const n8n = await startN8n();
	try {
		return await writes(n8n, Math.max(20, Math.round(1000 * scale)));
	} finally {
		await n8n.stop();
	}
}
