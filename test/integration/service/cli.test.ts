import { spawn, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { bare, dialectOf, differences } from '../../service/dialect';
import { blocksOf, linesOf, readDocument } from '../../support/documents';

/** `npm run service`, as its README tells it; only the port is any free one, since 4010 may be taken. */

const root = resolve(__dirname, '../../..');
const command = blocksOf(readDocument('test/service/README.md'))
	.filter(({ language }) => language === 'sh')
	.flatMap(linesOf);

/** Runs a line until it has said everything; what it said, and a way to press Ctrl-C. */
async function start(line: string) {
	// A group of its own: Ctrl-C in a terminal reaches all of it.
	const child = spawn('sh', ['-c', line], { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
	const ended = new Promise<void>((done) => child.once('close', () => done()));
	let output = '';
	const ready = new Promise<void>((done) => {
		const keep = (chunk: Buffer) => {
			output += chunk.toString();
			if (output.includes('Press Ctrl-C here')) done();
		};
		child.stdout.on('data', keep);
		child.stderr.on('data', keep);
	});
	await Promise.race([ready, ended]);
	expect(output).toContain('Press Ctrl-C here');
	return {
		output,
		ctrlC: async () => {
			process.kill(-child.pid!, 'SIGINT');
			await ended;
		},
	};
}

test('prints address, API key, workspace and page; Ctrl-C ends it', async () => {
	expect(command).toHaveLength(1);
	expect(command[0]).toContain('--port 4010');
	const { output, ctrlC } = await start(command[0]!.replace('--port 4010', '--port 0'));
	try {
		const told = (label: string) => new RegExp(`^ *${label} +(\\S+)$`, 'm').exec(output)![1]!;
		expect(told('Workspace')).toBe('ws_main');
		const page = await fetch(told('Page'));
		expect(page.headers.get('content-type')).toContain('text/html');
		const posts = await fetch(`${told('API')}/posts?limit=5`, {
			headers: {
				authorization: `Bearer ${told('API key')}`,
				'x-service-workspace-id': told('Workspace'),
			},
		});
		expect(posts.status).toBe(200);
	} finally {
		await ctrlC();
	}
	await expect(fetch(/http:\S+/.exec(output)![0])).rejects.toThrow();
});

test.each(['bare', 'random', '7'])('--dialect %s: says which it is, and speaks it', async (given) => {
	const { output, ctrlC } = await start(
		`${command[0]!.replace('--port 4010', '--port 0')} --dialect ${given}`,
	);
	await ctrlC();
	const [, name, seed, said] = /Dialect +(bare|seed (\d+)) (\{.*\})$/m.exec(output) ?? [];
	const dialect = given === 'bare' ? bare : dialectOf(Number(seed));
	expect(JSON.parse(said!)).toEqual(differences(dialect));
	expect(name).toMatch({ bare: /^bare$/, random: /^seed \d+$/ }[given] ?? /^seed 7$/);
});

test('where its port is taken, it says the whole command for another one', async () => {
	const { output, ctrlC } = await start(command[0]!.replace('--port 4010', '--port 0'));
	const port = Number(new URL(/http:\S+/.exec(output)![0]).port);
	const line = command[0]!.replace('--port 4010', `--port ${port}`);
	const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: root });
	await ctrlC();
	expect(status).toBe(1);
	expect(stderr.toString()).toContain(`npm run service -- --seed demo --speed 60 --port ${port + 1}\n`);
});

test('another word for a dialect is refused with the help', () => {
	const { status, stdout } = spawnSync('sh', ['-c', `${command[0]} --dialect nonsense`], { cwd: root });
	expect([status, stdout.toString().includes('--dialect bare')]).toEqual([2, true]);
});
