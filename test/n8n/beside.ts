import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findChromium } from './chromium';
import { installN8n } from './install';

/**
 * `tsx test/n8n/beside.ts "<first>" "<then, with n8n>"`: n8n and a browser are installed during the first command, which takes
 * minutes the first time on a machine. Both at the same time would make each time out on two cores.
 */

async function run(command: string): Promise<number> {
	const [code] = await once(spawn(command, { shell: true, stdio: 'inherit' }), 'close');
	return code ?? 1;
}

async function main([first = '', withN8n = '']: string[]): Promise<void> {
	const installed = Promise.all([installN8n(), findChromium()]).then(
		() => true,
		(error) => void console.error(error),
	);
	const code = await run(first);
	// The guard process (see owned.ts) takes away what was installed by half.
	process.exit(code !== 0 || !withN8n ? code : (await installed) ? await run(withN8n) : 1);
}

void main(process.argv.slice(2));
