import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findChromium } from './chromium';
import { installN8n } from './install';

/**
 * `tsx test/n8n/beside.ts "<command>"`: runs what needs no n8n while n8n and a browser are installed, which takes minutes the
 * first time on a machine. Ends when both are done, or as soon as the command has failed.
 */
async function main(command: string): Promise<void> {
	const installed = Promise.all([installN8n(), findChromium()]);
	// A failure is told when its turn comes.
	installed.catch(() => undefined);
	const [code] = await once(spawn(command, { shell: true, stdio: 'inherit' }), 'close');
	// The guard process (see owned.ts) takes away what was installed by half.
	if (code !== 0) process.exit(code ?? 1);
	await installed;
}

void main(process.argv[2] ?? '');
