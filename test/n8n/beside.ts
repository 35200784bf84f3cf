import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findChromium } from './chromium';
import { installN8n } from './install';

/**
 * `tsx test/n8n/beside.ts "<first>" … "<then, with n8n>"`: the first commands run at the same time, since none of them
 * keeps both cores busy, and n8n and a browser are installed meanwhile, which takes minutes the first time on a machine. What
 * needs them comes after that: at the same time as the others it would time out on two cores.
 */

async function run(command: string): Promise<number> {
	const [code] = await once(spawn(command, { shell: true, stdio: 'inherit' }), 'close');
	return code ?? 1;
}

async function main(commands: string[]): Promise<void> {
	const [withN8n, first] = [commands.at(-1)!, commands.slice(0, -1)];
	const installed = Promise.all([installN8n(), findChromium()]).then(
		() => true,
		(error) => void console.error(error),
	);
	const codes = await Promise.all(first.map(run));
	const failed = first.filter((_, index) => codes[index] !== 0);
	if (failed.length > 0) console.error(`Failed: ${failed.join('; ')}`);
	// The guard process (see owned.ts) takes away what was installed by half.
	process.exit(failed.length === 0 && (await installed) ? await run(withN8n) : 1);
}

void main(process.argv.slice(2));
