import { Binaries, itemWith } from './binaries';
import { runNode } from './engine';

/** Uploads one file of zeros in a process of its own, for its memory. Arguments: address, API key, size in bytes. */
async function main([url, apiKey, bytes]: string[]): Promise<void> {
	const binaries = new Binaries();
	await binaries.use('filesystem');
	try {
		// What is loaded once (modules, connections, pools) is not what one upload costs.
		for (let round = 0; round < 2; round++) await upload(binaries, url!, apiKey!, 2 ** 20);
		globalThis.gc?.();
		const before = process.memoryUsage.rss();
		let peak = before;
		const look = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);
		await upload(binaries, url!, apiKey!, Number(bytes));
		clearInterval(look);
		process.stdout.write(JSON.stringify({ growth: peak - before }));
	} finally {
		await binaries.remove();
	}
}

async function upload(binaries: Binaries, baseUrl: string, apiKey: string, size: number): Promise<void> {
	const data = await binaries.sparse('film.mp4', 'video/mp4', size);
	const { error, json } = await runNode({
		parameters: { resource: 'media', operation: 'upload' },
		credential: { baseUrl, apiKey },
		items: [itemWith({ data })],
		// Each run is an execution of its own.
		executionId: `${size}-${performance.now()}`,
	});
	if (error || json[0]?.size !== size) throw new Error('The upload did not work', { cause: error });
}

void main(process.argv.slice(2)).then(
	() => process.exit(0),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
