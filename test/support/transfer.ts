import { createReadStream } from 'node:fs';
import { request } from 'undici';
import { Binaries, itemWith } from './binaries';
import { runNode } from './engine';

/**
 * A process of its own that uploads one file of zeros, so that memory and time are its own. Prints JSON.
 * Arguments: `node` (the node in n8n's engine, file-system binary mode) or `undici` (a plain stream), the service's
 * address, API key, size in bytes.
 */
async function main([way, url, apiKey, bytes]: string[]): Promise<void> {
	const size = Number(bytes);
	const binaries = new Binaries();
	await binaries.use('filesystem');
	try {
		const upload = way === 'node' ? withNode : withUndici;
		// What is loaded once (modules, connections, pools) is not what one upload costs.
		for (let round = 0; round < 2; round++) await upload(binaries, url!, apiKey!, 2 ** 20);
		globalThis.gc?.();
		const before = process.memoryUsage.rss();
		let peak = before;
		const look = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);
		const started = performance.now();
		await upload(binaries, url!, apiKey!, size);
		const seconds = (performance.now() - started) / 1000;
		clearInterval(look);
		process.stdout.write(JSON.stringify({ seconds, growth: peak - before }));
	} finally {
		await binaries.remove();
	}
}

async function withNode(binaries: Binaries, baseUrl: string, apiKey: string, size: number): Promise<void> {
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

async function withUndici(binaries: Binaries, baseUrl: string, apiKey: string, size: number): Promise<void> {
	const data = await binaries.sparse('film.mp4', 'video/mp4', size);
	const asked = await request(`${baseUrl}/api/public/v1/media/upload-url`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${apiKey}`,
			'content-type': 'application/json',
			'idempotency-key': `plain-${size}-${performance.now()}`,
		},
		body: JSON.stringify({ filename: 'film.mp4', content_type: 'video/mp4', size }),
	});
	const answer = (await asked.body.json()) as { data: { upload_url: string } };
	const sent = await request(answer.data.upload_url, {
		method: 'PUT',
		headers: { 'content-type': 'video/mp4', 'content-length': String(size) },
		body: createReadStream(binaries.pathOf(data)),
		headersTimeout: 0,
		bodyTimeout: 0,
	});
	await sent.body.dump();
	if (sent.statusCode !== 200) throw new Error(`The store answered ${sent.statusCode}`);
}

void main(process.argv.slice(2)).then(
	() => process.exit(0),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
