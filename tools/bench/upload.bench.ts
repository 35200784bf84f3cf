import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startService } from '../../test/service';
import { row, sized, type Row } from '../figures';

/** 1 GiB from n8n's file-system binary mode to a signed URL, next to a plain undici stream to the same server. */
export const name = 'upload';

const MiB = 2 ** 20;
const ROUNDS = 3;

interface Measured {
	seconds: number;
	/** In bytes. */
	growth: number;
}

export async function run(scale: number): Promise<Row[]> {
	const size = sized(2 ** 30, scale, 16 * MiB);
	const service = await startService();
	try {
		const measured: Record<'node' | 'undici', Measured[]> = { node: [], undici: [] };
		// In turns, so that what else the machine does meets both.
		for (let round = 0; round < ROUNDS; round++)
			for (const way of ['node', 'undici'] as const)
				measured[way].push(await transfer(way, service.url, service.keys.full, size));
		const seconds = (way: 'node' | 'undici') => Math.min(...measured[way].map((one) => one.seconds));
		const speed = (way: 'node' | 'undici') => `${Math.round(size / MiB / seconds(way))} MiB/s`;
		const growth = Math.max(...measured.node.map((one) => one.growth)) / MiB;
		const ratio = seconds('undici') / seconds('node');
		const what = `upload of ${Math.round(size / MiB)} MiB`;
		return [
			row(`${what}: memory grows by, most of ${ROUNDS}`, `${growth.toFixed(0)} MiB`, '< 64 MiB', growth < 64),
			row(
				`${what}: speed by a plain undici stream, best of ${ROUNDS}`,
				`${ratio.toFixed(2)} (${speed('node')} / ${speed('undici')})`,
				'≥ 0.8',
				ratio >= 0.8,
			),
		];
	} finally {
		await service.close();
	}
}

/** One transfer in a process of its own. */
async function transfer(way: string, url: string, apiKey: string, size: number): Promise<Measured> {
	const script = join(__dirname, '../../test/support/transfer.ts');
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[require.resolve('tsx/cli'), script, way, url, apiKey, String(size)],
		{ maxBuffer: MiB },
	);
	return JSON.parse(stdout) as Measured;
}
