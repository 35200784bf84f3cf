import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readReadme } from '../docs/readme';

/** The README's commands, as it tells them. */

const run = promisify(execFile);
const root = resolve(__dirname, '../..');
const commands = [...readReadme().matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text.trim());

test('the README gives two commands, and both are scripts of the package', () => {
	expect(commands).toEqual(['npm start', 'npm test']);
	const { scripts } = jest.requireActual<{ scripts: Record<string, string> }>('../../package.json');
	expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test']));
});

// A clone, its dependencies and an n8n of its own take minutes: only where it is asked for (FRESH_CLONE=1). `npm test`
// is what this test itself runs in.
const inFreshClone = process.env.FRESH_CLONE === '1' ? test : test.skip;

inFreshClone(
	'the first of them, in a fresh clone: installs, plays the example, prints the addresses, ends on Ctrl-C',
	async () => {
		const folder = await mkdtemp(join(tmpdir(), 'social-clone-'));
		try {
			await run('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, folder]);
			const [command = '', ...args] = commands[0]!.split(' ');
			// A group of its own: Ctrl-C in a terminal reaches all of them.
			const child = spawn(command, args, {
				cwd: folder,
				stdio: ['ignore', 'pipe', 'inherit'],
				detached: true,
			});
			let output = '';
			const ended = new Promise<void>((done) => child.once('close', () => done()));
			child.stdout.on('data', (chunk: Buffer) => {
				output += chunk.toString();
				if (output.includes('Ctrl-C ends')) process.kill(-child.pid!, 'SIGINT');
			});
			await ended;
			expect(output).toMatch(/has run by itself, once for each post/);
			const editor = /n8n's editor +(http:\S+)/.exec(output)?.[1];
			expect(editor).toBeDefined();
			await expect(fetch(editor!)).rejects.toThrow();
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	},
	900_000,
);
