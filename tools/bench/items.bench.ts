import { type RunResult, runNode } from '../../test/support/engine';
import { createParameters, flow, type FlowNode, socialPublishing } from '../../test/support/e2e/flow';
import { type Service, startService } from '../../test/service';
import { row, told, type Row } from '../figures';
import { httpRequest, inOwnN8n, items } from './ownN8n';

/** Many items: time and memory by item, next to n8n's HTTP Request node that makes the same posts in the same n8n. */
export const name = 'items';

export async function run(scale: number): Promise<Row[]> {
	const [few, many] = [1_000, 10_000].map((count) => Math.max(100, Math.round(count * scale))) as [
		number,
		number,
	];
	return [...(await linear(few, many)), ...(await besideHttpRequest(many))];
}

/** Time by item in n8n's engine, also of a retry whose items come in reversed order. */
async function linear(few: number, many: number): Promise<Row[]> {
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
			parameters: {
				resource: 'post',
				operation: 'create',
				platforms: ['x'],
				when: 'now',
				text: '={{ $json.text }}',
			},
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

/** Each in an n8n of its own, so that its memory is its own. */
async function besideHttpRequest(count: number): Promise<Row[]> {
	const service = await startService({ speed: 0 });
	const ours = await inN8n(service, count, socialPublishing(createParameters()));
	const batch = { batchSize: 5, batchInterval: 0 };
	const theirs = await inN8n(
		service,
		count,
		httpRequest(service, '={{ $execution.id }}-{{ $itemIndex }}', batch),
	);
	await service.close();
	const time = ours.ms / theirs.ms;
	const memory = ours.bytes / theirs.bytes;
	const perItem = (bytes: number) => `${(bytes / count / 1024).toFixed(1)} KiB`;
	return [
		row(`${count} posts: time by that of n8n's HTTP Request node`, time.toFixed(2), '≤ 1.5', time <= 1.5),
		row(
			`${count} posts: memory by that of n8n's HTTP Request node`,
			memory.toFixed(2),
			'≤ 1.5',
			memory <= 1.5,
		),
		told(
			`${count} posts: time of the node / of HTTP Request`,
			`${(ours.ms / 1000).toFixed(1)} s / ${(theirs.ms / 1000).toFixed(1)} s`,
		),
		told(`${count} posts: n8n's memory grows by item`, `${perItem(ours.bytes)} / ${perItem(theirs.bytes)}`),
	];
}

async function inN8n(
	service: Service,
	count: number,
	node: FlowNode,
): Promise<{ ms: number; bytes: number }> {
	const workflowOf = (posts: number) => flow(`${posts} items`, [...items(posts), node]);
	const { execution, bytes } = await inOwnN8n(service, workflowOf, count);
	const { error, runData } = execution.data.resultData;
	if (error) throw new Error('The posts were not made', { cause: error });
	return { ms: runData[node.name]![0]!.executionTime, bytes };
}
