import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf, linesOf, readDocument } from '../tools/docs/commands';
import { type N8n, startN8n } from '../n8n/instance';
import { packPackage } from '../n8n/package';
import { type Registry, startRegistry, withVersion } from '../n8n/registry';
import { type Service, startService } from '../service';
import { importFirst } from '../support/e2e/installed';

/**
 * README, "Install", for people without the editor: the commands are taken from there and run by a shell as they stand,
 * in the home of a user who has nothing yet, against a registry that has this package and nothing else. Then n8n starts
 * in that home. The way through the editor: install.test.ts.
 */

const run = promisify(execFile);
const name = 'n8n-nodes-social-publishing';
const earlier = '0.0.9';
const { version } = jest.requireActual<{ version: string }>('../../package.json');

const blocks = blocksOf(readDocument('README.md')).filter(({ heading }) => heading === 'Install');
const [dockerfile, withNpm] = blocks;

test('there are two: a Dockerfile and a command', () => {
	expect(blocks.map(({ language }) => language)).toEqual(['dockerfile', 'sh']);
});

describe('README, Install', () => {
	let folder: string;
	let tarball: string;
	let registry: Registry;
	let service: Service;
	let n8n: N8n | undefined;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'social-readme-'));
		registry = await startRegistry();
		tarball = await packPackage();
	});

	beforeEach(async () => {
		service = await startService();
	});

	afterEach(async () => {
		await n8n?.stop();
		n8n = undefined;
		await service.close();
	});

	afterAll(async () => {
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

	/** What is in n8n's folder for packages: ours alone, no copy of n8n's own libraries beside it. */
	async function installedVersion(home: string): Promise<string> {
		const modules = join(home, '.n8n', 'nodes', 'node_modules');
		expect((await readdir(modules)).filter((one) => !one.startsWith('.'))).toEqual([name]);
		const manifest = JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8'));
		return manifest.version as string;
	}

	const start = async (home: string) => await startN8n({ userFolder: home, packageTarball: false });

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

	test('with npm: after a restart n8n has the nodes, they work, and the same command updates them', async () => {
		const home = await newHome('npm');
		const commands = linesOf(withNpm!).join('\n');
		await registry.publish(await withVersion(tarball, earlier, folder));
		n8n = await start(home);
		expect(new Set(await nodesIn(n8n))).toEqual(new Set(['Unrecognized node type']));

		await shell(commands, home);
		expect(await installedVersion(home)).toBe(earlier);
		await n8n.restart();
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		const { bothWork } = await importFirst(n8n, service);
		await bothWork();
		// n8n lists only what was installed in the editor.
		expect(await n8n.rest('GET', '/community-packages')).toEqual([]);

		await registry.publish(tarball);
		await shell(commands, home);
		expect(await installedVersion(home)).toBe(version);
		await n8n.restart();
		await bothWork();
	});

	// Without a Docker engine: FROM is looked at only, and RUN is run as Docker would (by /bin/sh, as one command), in a
	// folder of this machine that stands for the image's /home/node.
	test('in an image: what the Dockerfile makes of /home/node is an n8n with the nodes', async () => {
		const home = await newHome('image');
		const [from, ...runs] = dockerfile!.text.split('\n');
		expect(from).toBe('FROM docker.n8n.io/n8nio/n8n');
		expect(runs).toEqual([expect.stringMatching(/^RUN .* --prefix \/home\/node\/\.n8n\/nodes /)]);

		await shell(runs[0]!.replace(/^RUN /, '').replaceAll('/home/node', home), home);
		expect(await installedVersion(home)).toBe(version);
		n8n = await start(home);
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		await (await importFirst(n8n, service)).bothWork();
	});

	test('nothing but this package was fetched', () => {
		expect(registry.requests.filter((request) => request.endsWith('.tgz'))).toEqual(
			[earlier, version, version].map((one) => `GET /${name}/-/${name}-${one}.tgz`),
		);
	});
});
