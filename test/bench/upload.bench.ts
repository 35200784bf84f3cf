import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startService } from '../service';
import type { Row } from './row';

const size = 2 ** 30;
const rounds = 3;
const MiB = 2 ** 20;

interface Measured {
	seconds: number;
	growth: number;
}

/** 1 GiB from n8n's file-system binary mode to a signed URL, next to a plain undici stream to the same server. */
export const name = 'Upload of 1 GiB';

export async function run(): Promise<Row[]> {
	const service = await startService();
	try {
		const measured: Record<'node' | 'undici', Measured[]> = { node: [], undici: [] };
		// In turns, so that what else the machine does meets both.
		for (let round = 0; round < rounds; round++)
			for (const way of ['node', 'undici'] as const)
				measured[way].push(await transfer(way, service.url, service.keys.full));
		const seconds = (way: 'node' | 'undici') => Math.min(...measured[way].map((one) => one.seconds));
		const growth = Math.max(...measured.node.map((one) => one.growth)) / MiB;
		const ratio = seconds('undici') / seconds('node');
		const speed = (way: 'node' | 'undici') => `${Math.round(size / MiB / seconds(way))} MiB/s`;
		return [
			{
				what: 'Memory that the process grows by, at most',
				value: growth,
				shown: `${growth.toFixed(0)} MiB`,
				target: 'less than 64 MiB',
				ok: growth < 64,
			},
			{
				what: `Speed of the node (${speed('node')}) against a plain undici stream (${speed('undici')}), best of ${rounds}`,
				value: ratio,
				shown: `${ratio.toFixed(2)} times`,
				target: 'at least 0.8 times',
				ok: ratio >= 0.8,
			},
		];
	} finally {
		await service.close();
	}
}

/** One transfer in a process of its own. */
async function transfer(way: string, url: string, apiKey: string): Promise<Measured> {
	const script = join(__dirname, 'transfer.ts');
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[require.resolve('tsx/cli'), script, way, url, apiKey, String(size)],
		{ maxBuffer: MiB },
	);
	return JSON.parse(stdout) as Measured;
}
