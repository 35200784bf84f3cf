import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { type Block, blocksOf, linesOf, readDocument } from '../support/documents';
import { type N8n, startN8n } from '../n8n/instance';
import { packPackage } from '../n8n/package';
import { type Registry, startRegistry, withVersion } from '../n8n/registry';
import { type Service, startService } from '../service';
import { importFirst } from '../support/e2e/installed';

/**
 * docs/install.md, the ways without the editor: the commands and settings are taken from there and used as they stand, in
 * the home of a user who has nothing yet, against a registry that has this package and nothing else. Then n8n starts in
 * that home. The way through the editor: install.test.ts.
 */

const run = promisify(execFile);
const name = 'n8n-nodes-social-publishing';
const earlier = '0.0.9';
const { version } = jest.requireActual<{ version: string }>('../../package.json');

const blocksUnder = (wanted: string) =>
	blocksOf(readDocument('docs/install.md')).filter(({ heading }) => heading === wanted);
const [dockerfile] = blocksUnder('In an image of your own');
const [withNpm, anew] = blocksUnder('With npm');
const [managed] = blocksUnder('From environment variables');
const settings = blocksUnder('n8n 3');
/** What a compose file sets. */
const environmentOf = ({ text }: Block): Record<string, string> => parse(text).services.n8n.environment;
const composed = environmentOf(settings[0]!);

test('there are a Dockerfile, two commands and settings', () => {
	const blocks = [dockerfile, withNpm, anew, managed];
	expect(blocks.map((block) => block?.language)).toEqual(['dockerfile', 'sh', 'sh', 'yaml']);
});

test('n8n 3: the compose file and the command set the same', () => {
	expect(settings.map(({ language }) => language)).toEqual(['yaml', 'sh']);
	expect(Object.keys(composed)).toContain('N8N_UNVERIFIED_PACKAGES_ENABLED');
	const given = [...settings[1]!.text.matchAll(/-e (N8N_\w+)=(\w+)/g)];
	expect(Object.fromEntries(given.map(([, name, value]) => [name, value]))).toEqual(composed);
	expect(settings[0]!.text).toContain(`image: ${settings[1]!.text.split(' ').at(-1)}\n`);
});

describe('docs/install.md', () => {
	let folder: string;
	let tarball: string;
	let registry: Registry;
	let service: Service;
	let n8n: N8n | undefined;

	beforeAll(async () => {
		tarball = await packPackage();
	});

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'social-readme-'));
		registry = await startRegistry();
		service = await startService();
	});

	afterEach(async () => {
		await n8n?.stop();
		n8n = undefined;
		await service.close();
		await registry.close();
		await rm(folder, { recursive: true, force: true });
	});

	async function newHome(whose: string): Promise<string> {
		const home = join(folder, whose);
		await mkdir(home);
		return home;
	}

	/** As a user types it; `npm` is the machine's own, but speaks to our registry. */
	async function shell(command: string, home: string): Promise<void> {
		const own = Object.entries(process.env).filter(([variable]) => !/^npm_/i.test(variable));
		const PATH = [registry.npmFolder, process.env.PATH].join(delimiter);
		await run('/bin/sh', ['-c', command], {
			cwd: home,
			env: { ...Object.fromEntries(own), HOME: home, PATH },
		});
	}

	const modulesOf = (home: string) => join(home, '.n8n', 'nodes', 'node_modules');
	const packagesIn = async (home: string) =>
		(await readdir(modulesOf(home))).filter((one) => !one.startsWith('.'));

	/** What is in n8n's folder for packages: ours alone, no copy of n8n's own libraries beside it. */
	async function installedVersion(home: string): Promise<string> {
		expect(await packagesIn(home)).toEqual([name]);
		const manifest = JSON.parse(await readFile(join(modulesOf(home), name, 'package.json'), 'utf8'));
		return manifest.version as string;
	}

	const start = async (home: string, env: Record<string, string> = {}) =>
		await startN8n({ userFolder: home, packageTarball: false, env });

	/** The names of the package's nodes, where n8n has them. */
	const nodesIn = async (client: N8n): Promise<string[]> =>
		await Promise.all(
			['socialPublishing', 'socialPublishingTrigger'].map(async (node) => {
				const nodeInfos = [{ name: `${name}.${node}`, version: 1 }];
				try {
					return (await client.rest('POST', '/node-types', { nodeInfos }))[0].displayName;
				} catch (error) {
					return /Unrecognized node type/.exec((error as Error).message)![0];
				}
			}),
		);

	const bothNodes = ['Social Publishing', 'Social Publishing Trigger'];

	/** The versions of this package that were fetched, in order; nothing but this package was. */
	const fetched = (): string[] =>
		registry.requests
			.filter((request) => request.endsWith('.tgz'))
			.map((request) => {
				const [, found] = new RegExp(`^GET /${name}/-/${name}-(.*)\\.tgz$`).exec(request) ?? [];
				if (!found) throw new Error(`Something else was fetched: ${request}`);
				return found;
			});

	/** A package with other libraries than n8n's: zod 4, and luxon 1 and p-limit 7 that fail as soon as they are asked for. */
	async function publishNeighbour(): Promise<void> {
		const pack = async (folderOf: string) => {
			const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
			return join(folder, (await run('npm', args, { cwd: folderOf })).stdout.trim());
		};
		const make = async (manifest: { name: string; version: string; dependencies?: object }, code: string) => {
			const place = join(folder, manifest.name);
			await mkdir(place);
			await writeFile(join(place, 'package.json'), JSON.stringify(manifest));
			await writeFile(join(place, 'index.js'), code);
			await registry.publish(await pack(place));
		};
		await registry.publish(await pack(dirname(require.resolve('zod-4/package.json'))));
		const { version: zod } = jest.requireActual<{ version: string }>('zod-4/package.json');
		const dependencies = { zod, luxon: '1.28.1', 'p-limit': '7.0.0' };
		for (const library of ['luxon', 'p-limit'] as const)
			await make(
				{ name: library, version: dependencies[library] },
				`throw new Error("a neighbour's ${library}");`,
			);
		await make({ name: 'n8n-nodes-neighbour', version: '1.0.0', dependencies }, '');
	}

	test('with npm: n8n has the nodes, they work, the same command updates them, and neighbours keep their libraries', async () => {
		const home = await newHome('npm');
		const commands = linesOf(withNpm!).join('\n');
		await registry.publish(await withVersion(tarball, earlier, folder));
		await shell(commands, home);
		expect(await installedVersion(home)).toBe(earlier);
		n8n = await start(home);
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		const { bothWork } = await importFirst(n8n, service);
		await bothWork();
		// n8n lists only what was installed in the editor.
		expect(await n8n.rest('GET', '/community-packages')).toEqual([]);

		await registry.publish(tarball);
		await shell(commands, home);
		expect(await installedVersion(home)).toBe(version);
		expect(fetched()).toEqual([earlier, version]);

		await publishNeighbour();
		const both = ['n8n-nodes-neighbour', name];
		const neighbour = commands.replace(name, both[0]!);
		const tidy = await newHome('tidy');
		await shell(`${neighbour} && ${commands}`, tidy);
		expect(await packagesIn(tidy)).toEqual(both);

		await shell(neighbour.replace(/ --install-strategy=\w+/, ''), home);
		expect(await packagesIn(home)).toEqual(expect.arrayContaining(['luxon', 'zod']));
		await shell(linesOf(anew!).join('\n'), home);
		expect(await packagesIn(home)).toEqual(both);
		await n8n.restart();
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		await bothWork();
	});

	// Without a Docker engine: FROM is looked at only, and RUN is run as Docker would (by /bin/sh, as one command), in a
	// folder of this machine that stands for the image's /home/node.
	test('in an image: what the Dockerfile makes of /home/node is an n8n with the nodes', async () => {
		const home = await newHome('image');
		const [from, ...runs] = dockerfile!.text.split('\n');
		expect(from).toBe('FROM docker.n8n.io/n8nio/n8n');
		expect(runs).toEqual([expect.stringMatching(/^RUN .* --prefix \/home\/node\/\.n8n\/nodes /)]);

		await registry.publish(tarball);
		await shell(runs[0]!.replace(/^RUN /, '').replaceAll('/home/node', home), home);
		expect(await installedVersion(home)).toBe(version);
		expect(fetched()).toEqual([version]);
		// n8n 3 can't be had without Docker; 2.41 knows its settings already.
		n8n = await start(home, composed);
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		await (await importFirst(n8n, service)).bothWork();
	});

	test('from environment variables: at startup n8n has the nodes, again where their files are lost, no others', async () => {
		const home = await newHome('managed');
		const PATH = [registry.npmFolder, process.env.PATH].join(delimiter);
		const env: Record<string, string> = { ...environmentOf(managed!), PATH };
		expect(JSON.parse(env.N8N_COMMUNITY_PACKAGES!)).toEqual([{ name, version }]);
		await registry.publish(tarball);
		n8n = await start(home, env);
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		const { bothWork } = await importFirst(n8n, service);
		await n8n.stop();

		await rm(join(home, '.n8n', 'nodes'), { recursive: true });
		await n8n.restart();
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		await bothWork();
		await n8n.stop();

		n8n = await start(home, { ...env, N8N_COMMUNITY_PACKAGES: '[]' });
		expect(new Set(await nodesIn(n8n))).toEqual(new Set(['Unrecognized node type']));
		await n8n.stop();
		// As n8n 3 has it by default.
		n8n = undefined;
		await expect(start(home, { ...env, N8N_UNVERIFIED_PACKAGES_ENABLED: 'false' })).rejects.toThrow();
	});
});
