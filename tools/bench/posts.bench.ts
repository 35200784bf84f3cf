import { runNode } from '../../test/support/engine';
import { startService } from '../../test/service';
import { row, type Row } from '../figures';

/** 100 posts at a service that takes 100 ms for each answer: five at a time (the default), and one after another. */
export const name = 'posts';

const LATENCY = 100;

export async function run(scale: number): Promise<Row[]> {
	const count = Math.max(20, Math.round(scale * 100));
	const service = await startService({ latencyMs: LATENCY });
	const create = async (posts: number, concurrency?: number) => {
		const started = performance.now();
		const { json, error } = await runNode({
			parameters: {
				resource: 'post',
				operation: 'create',
				platforms: ['linkedin'],
				text: '={{ $json.text }}',
				options: concurrency === undefined ? {} : { concurrency },
			},
			credential: { baseUrl: service.url, apiKey: service.keys.full },
			items: Array.from({ length: posts }, (_, i) => ({ json: { text: `Post ${i}` } })),
			executionId: `bench-${posts}-${concurrency}`,
		});
		if (error) throw new Error('The posts were not created', { cause: error });
		const texts = json.map(({ id }) => service.store.posts.get(String(id))!.text);
		return { seconds: (performance.now() - started) / 1000, texts };
	};
	try {
		// What is loaded once counts for neither.
		await create(5);
		const together = await create(count);
		const single = await create(count, 1);
		const ratio = single.seconds / together.seconds;
		const ordered =
			together.texts.length === count && together.texts.every((text, i) => text === `Post ${i}`);
		return [
			row(
				`${count} posts, answers take ${LATENCY} ms: default by one after another`,
				`${ratio.toFixed(1)} (${together.seconds.toFixed(1)} s / ${single.seconds.toFixed(1)} s)`,
				'≥ 4',
				ratio >= 4,
			),
			row(`${count} posts: output in the order of the input`, ordered ? 'yes' : 'no', 'yes', ordered),
		];
	} finally {
		await service.close();
	}
}
