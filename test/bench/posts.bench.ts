import { runNode } from '../integration/engine';
import { startService } from '../service';
import type { Row } from './row';

const count = 100;
const latencyMs = 100;

/** 100 posts at a service that takes 100 ms for each answer, five at a time (the default) and one after another. */
export const name = 'Creating 100 posts';

export async function run(): Promise<Row[]> {
	const service = await startService({ latencyMs });
	try {
		const create = async (concurrency?: number) => {
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
				items: Array.from({ length: count }, (_, i) => ({ json: { text: `Post ${i}` } })),
				executionId: `bench-${concurrency}`,
			});
			if (error) throw new Error('The posts were not created', { cause: error });
			const texts = json.map(({ id }) => service.store.posts.get(String(id))!.text);
			return { seconds: (performance.now() - started) / 1000, texts };
		};
		const together = await create();
		const single = await create(1);
		const ordered = together.texts.every((text, i) => text === `Post ${i}`);
		const ratio = single.seconds / together.seconds;
		return [
			{
				what: `Five at a time (${together.seconds.toFixed(1)} s) against one after another (${single.seconds.toFixed(1)} s)`,
				value: ratio,
				shown: `${ratio.toFixed(1)} times as fast`,
				target: 'at least 4 times',
				ok: ratio >= 4,
			},
			{
				what: 'Output in the order of the input',
				value: ordered ? 1 : 0,
				shown: ordered ? 'yes' : 'no',
				target: 'yes',
				ok: ordered,
			},
		];
	} finally {
		await service.close();
	}
}
