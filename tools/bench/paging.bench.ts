import type { IDataObject } from 'n8n-workflow';

import { runNode } from '../../test/support/engine';
import { startService } from '../../test/service';
import { generator } from '../../test/service/faults';
import { insertPost } from '../../test/service/seed';
import { row, told, type Row } from '../figures';

export const name = 'Return All on /posts: requests for 5,000 posts';

const DAY = 86_400_000;

/** When post `i` was published, in ms before now. */
const spread: Record<string, (i: number, random: () => number) => number> = {
	'one an hour': (i) => i * 3_600_000,
	'at random over a year': (_i, random) => random() * 365 * DAY,
	'at 9, 12 and 18 each day': (_i, random) =>
		Math.floor(random() * 400) * DAY + [0, 6, 9][Math.floor(random() * 3)]! * 3_600_000,
	'twenty at a time, every six hours': (i) => Math.floor(i / 20) * 6 * 3_600_000,
};

/** The node in n8n's engine against the embedded service; what counts is how often it asks. */
export async function run(scale: number): Promise<Row[]> {
	const count = Math.max(500, Math.round(5000 * scale));
	// An answer is known to be complete only where it has fewer than 100.
	const least = Math.ceil(count / 99);
	const rows: Row[] = [];
	for (const [what, ago] of Object.entries(spread))
		for (const ends of ['inclusive', 'exclusive'] as const) {
			const service = await startService();
			service.store.rangeEnds = ends;
			const random = generator(7);
			const noon = Math.floor(Date.now() / DAY) * DAY - DAY;
			for (let i = 0; i < count; i++)
				insertPost(service, {
					id: `post_${i}`,
					text: `Post ${i}`,
					platforms: ['linkedin'],
					status: 'completed',
					at: Math.floor((noon - ago(i, random)) / 1000) * 1000,
				});
			const started = Date.now();
			const { json, error } = await runNode({
				parameters: { resource: 'post', operation: 'getAll', returnAll: true },
				credential: { baseUrl: service.url, apiKey: service.keys.full },
			});
			const seconds = (Date.now() - started) / 1000;
			if (error) throw error as Error;
			const found = new Set(json.map(({ id }: IDataObject) => id)).size;
			const asked = service.requests.length;
			const title = `${count} posts, ${what}, ends ${ends}`;
			rows.push(
				row(
					`${title}: requests, times the least possible`,
					(asked / least).toFixed(2),
					'≤ 3',
					asked <= 3 * least,
				),
				row(
					`${title}: each once`,
					`${found} of ${json.length}`,
					String(count),
					found === count && json.length === count,
				),
				told(`${title}: ${asked} requests`, `${seconds.toFixed(1)} s`),
			);
			await service.close();
		}
	return rows;
}
