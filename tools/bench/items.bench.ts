import type { IDataObject } from 'n8n-workflow';

import { type RunResult, runNode } from '../../test/support/engine';
import { createParameters } from '../../test/support/e2e/flow';
import { startService } from '../../test/service';
import { row, sized, type Row } from '../figures';

/** Many items: time by item. Beside n8n's HTTP Request node: posts.bench.ts. */
export const name = 'items';

/** Time by item in n8n's engine, also of a retry whose items come in reversed order. */
export async function run(scale: number): Promise<Row[]> {
	const [few, many] = [sized(1_000, scale, 100), sized(10_000, scale, 100)];
	// What is loaded once counts for neither.
	await postsAndRetry(100);
	const [short, long] = [await postsAndRetry(few), await postsAndRetry(many)];
	return (['run', 'retry'] as const).map((part) => {
		const ratio = long[part] / many / (short[part] / few);
		const what = part === 'run' ? 'one run' : 'a retry in reversed order';
		return row(`${what}: time by item, ${many} items by ${few}`, ratio.toFixed(2), '≤ 1.5', ratio <= 1.5);
	});
}

async function postsAndRetry(count: number): Promise<{ run: number; retry: number }> {
	const service = await startService({ speed: 0 });
	const rows = Array.from({ length: count }, (_, index) => ({ json: { text: `Post ${index}` } }));
	const timed = async (more: object): Promise<RunResult & { ms: number }> => {
		const startMs = performance.now();
		const result = await runNode({
			parameters: createParameters() as IDataObject,
			credential: { baseUrl: service.url, apiKey: service.keys.full },
			items: rows,
			...more,
		});
		return { ...result, ms: performance.now() - startMs };
	};
	service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: count - 1 });
	const first = await timed({});
	const { contextData } = first.run.data.executionData!;
	const retry = await timed({ items: [...rows].reverse(), contextData, executionId: '2', mode: 'retry' });
	if (retry.error || service.store.posts.size !== count)
		throw new Error('The retry did not end', { cause: retry.error });
	await service.close();
	return { run: first.ms, retry: retry.ms };
}
