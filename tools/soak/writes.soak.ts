import { type N8n, startN8n } from '../../test/n8n/instance';
import { type Measure, runParts, type Row, sized } from '../figures';
import { lowestPlan, posts } from './posts';
import { stops } from './stops';

export const name = 'writes';

async function withN8n(work: (n8n: N8n) => Promise<Row[]>): Promise<Row[]> {
	const n8n = await startN8n();
	try {
		return await work(n8n);
	} finally {
		await n8n.stop();
	}
}

const parts: Record<string, Measure> = {
	/** 1,000 posts through a real n8n, one request in five failing, stopped and retried; docs/idempotency.md says what it shows. */
	posts: async (scale) => await withN8n(async (n8n) => await posts(n8n, sized(1000, scale, 20))),
	/** 60 posts on the lowest plan, 20 writes a minute, with default options: three minutes of real time, as long as `scale` is 1. */
	lowestPlan: async (scale) => await withN8n(async (n8n) => await lowestPlan(n8n, 60, scale)),
	/** How long a node goes on after its execution was stopped. */
	stops: async (scale) => await stops(sized(5, scale, 1), 'one process'),
	queue: async (scale) => await stops(sized(5, scale, 1), 'queue mode', { mode: 'queue', webhooks: 1 }),
};

export const run: Measure = async (scale) => await runParts(parts, scale);
