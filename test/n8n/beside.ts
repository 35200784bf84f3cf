import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findChromium } from './chromium';
import { installN8n } from './install';

/**
 * `tsx test/n8n/beside.ts "<first>" "<with n8n>" "<without>"`, three commands. n8n and a browser are installed meanwhile, which
 * takes minutes the first time on a machine. What needs them then runs beside what doesn't: it mostly waits.
 */

async function run(command: string): Promise<number> {
	const [code] = await once(spawn(command, { shell: true, stdio: 'inherit' }), 'close');
	return code ?? 1;
}

async function main([first = '', withN8n = '', without = '']: string[]): Promise<void> {
	const installed = Promise.all([installN8n(), findChromium()]).then(
		() => true,
		(error) => void console.error(error),
	);
	const code = await run(first);
	// The guard process (see owned.ts) takes away what was installed by half.
	if (code !== 0) process.exit(code);
	const afterwards = async () => ((await installed) ? await run(withN8n) : 1);
	process.exit(Math.max(...(await Promise.all([run(without), afterwards()]))));
}

void main(process.argv.slice(2));
