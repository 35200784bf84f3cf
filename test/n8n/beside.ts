import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findChromium } from './chromium';
import { installN8n } from './install';

/**
 * `npm test`, after the build: n8n and a browser are installed (minutes, the first time on a machine), then the end-to-end
 * tests run. They mostly wait, so everything else runs beside them.
 */

/** Its exit code. */
async function npmRun(...scripts: string[]): Promise<number> {
	for (const script of scripts) {
		const [code] = await once(spawn('npm', ['run', script], { stdio: 'inherit', shell: true }), 'close');
		if (code !== 0) return code ?? 1;
	}
	return 0;
}

async function main(): Promise<void> {
	const installed = Promise.all([installN8n(), findChromium()]).then(
		() => true,
		(error) => void console.error(error),
	);
	const built = await npmRun('build');
	// The guard process (see owned.ts) takes away what was installed by half.
	if (built !== 0) process.exit(built);
	const endToEnd = async () => ((await installed) ? await npmRun('test:e2e') : 1);
	process.exit(Math.max(...(await Promise.all([npmRun('lint', 'test:fast'), endToEnd()]))));
}

void main();
