import { startN8n } from '../../test/n8n/instance';
import type { Row } from '../figures';
import { lowestPlan, posts } from './posts';
import { stops } from './stops';

/** With `SOAK_PARTS=stops,queue` only those. */
const parts: Record<string, (scale: number) => Promise<Row[]>> = {
	/** 1,000 posts through a real n8n, one request in five failing, stopped and retried; docs/idempotency.md says what it shows. */
	posts: async (scale) => {
		const n8n = await startN8n();
		try {
			return await posts(n8n, Math.max(20, Math.round(1000 * scale)));
		} finally {
			await n8n.stop();
		}
	},
	/** 60 posts on the lowest plan, 20 writes a minute, with default options: three minutes of real time. */
	lowestPlan: async (scale) => {
		const n8n = await startN8n();
		try {
			return await lowestPlan(n8n, Math.max(25, Math.round(60 * scale)));
		} finally {
			await n8n.stop();
		}
	},
	/** How long a node goes on after its execution was stopped. */
	stops: async (scale) => await stops(Math.max(1, Math.round(5 * scale)), 'one process'),
	queue: async (scale) =>
		await stops(Math.max(1, Math.round(5 * scale)), 'queue mode', { mode: 'queue', webhooks: 1 }),
};

export const name = 'writes';

export async function run(scale: number): Promise<Row[]> {
	const wanted = process.env.SOAK_PARTS?.split(',');
	const rows: Row[] = [];
	for (const [part, measure] of Object.entries(parts))
		if (!wanted || wanted.includes(part)) rows.push(...(await measure(scale)));
	return rows;
}
