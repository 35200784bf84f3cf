import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';

/** Process groups and temporary folders that a guard process takes away when this one ends, `kill -9` included. */

type Kind = 'group' | 'folder';
let guard: ChildProcess | undefined;

export const own = (kind: Kind, value: number | string) => tell({ add: kind, value });
export const disown = (kind: Kind, value: number | string) => tell({ drop: kind, value });

function tell(change: object): void {
	guard ??= startGuard();
	guard.stdin?.write(`${JSON.stringify(change)}\n`);
}

function startGuard(): ChildProcess {
	// A group of its own, so that Ctrl-C in the terminal does not end it before its work is done.
	const child = spawn(process.execPath, [join(__dirname, 'guard.js')], {
		detached: true,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	child.unref();
	(child.stdin as Socket).unref();
	return child;
}
