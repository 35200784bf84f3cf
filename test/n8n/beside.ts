import { spawn } from 'node:child_process';
import { installN8n } from './install';

/**
 * `tsx test/n8n/beside.ts "<command>"`: runs what needs no n8n while n8n is installed, which takes minutes the first time
 * on a machine. Ends when both are done, or as soon as the command has failed.
 */
async function main(command: string): Promise<void> {
	let busy = true;
	// The command's output is what one looks at; the progress is shown once it has ended.
	const installed = installN8n((line) => busy || console.log(line));
	// A failure is told when its turn comes.
	installed.catch(() => undefined);
	const child = spawn(command, { shell: true, stdio: 'inherit' });
	const code = await new Promise<number>((done, failed) => {
		child.once('error', failed);
		child.once('close', (exit) => done(exit ?? 1));
	});
	busy = false;
	// The guard process (see owned.ts) takes away what was installed by half.
	if (code !== 0) process.exit(code);
	await installed;
}

main(process.argv[2] ?? '').catch((error) => {
	console.error(error);
	process.exit(1);
});
