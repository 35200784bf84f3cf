import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { installN8n } from './install';
import { disown, own } from './owned';

/**
 * `tsx test/n8n/beside.ts "<command>" "<command that needs n8n>"`: runs both at the same time, the second one, which mostly
 * waits, as soon as n8n is installed (minutes, the first time on a machine). What that one prints is shown once the first
 * has ended. Ends as soon as one has failed.
 */
async function main(first: string, second: string): Promise<void> {
	const held: Array<() => void> = [];
	let holds = true;
	const show = (print: () => void) => void (holds ? held.push(print) : print());
	const withN8n = installN8n((line) => show(() => console.log(line))).then(async () => {
		// A group of its own, which the guard process (see owned.ts) ends with this one.
		const child = spawn(second, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
		if (child.pid) own('group', child.pid);
		child.stdout.on('data', (chunk: Buffer) => show(() => process.stdout.write(chunk)));
		child.stderr.on('data', (chunk: Buffer) => show(() => process.stderr.write(chunk)));
		return await exitCode(child).finally(() => child.pid && disown('group', child.pid));
	});
	// A failure is reported when its turn comes.
	withN8n.catch(() => undefined);
	const code = await exitCode(spawn(first, { shell: true, stdio: 'inherit' }));
	if (code !== 0) process.exit(code);
	holds = false;
	for (const print of held) print();
	process.exitCode = await withN8n;
}

async function exitCode(child: ReturnType<typeof spawn>): Promise<number> {
	const [code] = await once(child, 'close');
	return code ?? 1;
}

const [first = '', second = ''] = process.argv.slice(2);
main(first, second).catch((error) => {
	console.error(error);
	process.exit(1);
});
