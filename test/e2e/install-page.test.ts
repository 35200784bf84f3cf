import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { run } from '../n8n/install';
import { startN8n } from '../n8n/instance';
import { type Block, blocksOf, linesOf, readDocument } from '../support/documents';
import {
	bothNodes,
	earlier,
	importFirst,
	nodesIn,
	packageName,
	useInstallation,
	version,
} from '../support/e2e/installed';

/**
 * docs/install.md, the ways without the editor: the commands and settings are taken from there and used as they stand, in
 * the home of a user who has nothing yet, against a registry that has this package and nothing else. Then n8n starts in
 * that home. The way through the editor: install.test.ts.
 */

const blocksUnder = (wanted: string) =>
	blocksOf(readDocument('docs/install.md')).filter(({ heading }) => heading === wanted);
const [dockerfile] = blocksUnder('In an image of your own');
const [withNpm, anew] = blocksUnder('With npm');
const [managed] = blocksUnder('From environment variables');
const [compose, command] = blocksUnder('n8n 3');
/** What a compose file sets. */
const environmentOf = ({ text }: Block): Record<string, string> => parse(text).services.n8n.environment;

test('there are a Dockerfile, commands and settings; for n8n 3 the compose file and the command set the same', () => {
	const languages = [dockerfile, withNpm, anew, managed, compose, command].map((block) => block?.language);
	expect(languages).toEqual(['dockerfile', 'sh', 'sh', 'yaml', 'yaml', 'sh']);
	const given = [...command!.text.matchAll(/-e (N8N_\w+)=(\w+)/g)].map(([, name, value]) => [name, value]);
	expect(Object.keys(environmentOf(compose!))).toContain('N8N_UNVERIFIED_PACKAGES_ENABLED');
	expect(Object.fromEntries(given)).toEqual(environmentOf(compose!));
	expect(compose!.text).toContain(`image: ${command!.text.split(' ').at(-1)}\n`);
});

describe('docs/install.md', () => {
	const own = useInstallation();

	async function newHome(whose: string): Promise<string> {
		const home = join(own.folder, whose);
		await mkdir(home);
		return home;
	}

	/** As a user types it. */
	async function shell(typed: string, home: string): Promise<void> {
		const inherited = Object.entries(process.env).filter(([variable]) => !/^npm_/i.test(variable));
		const env = { ...Object.fromEntries(inherited), HOME: home, PATH: own.PATH };
		await run('/bin/sh', ['-c', typed], { cwd: home, env });
	}

	const modulesOf = (home: string) => join(home, '.n8n', 'nodes', 'node_modules');
	const packagesIn = async (home: string) =>
		(await readdir(modulesOf(home))).filter((one) => !one.startsWith('.'));

	/** What is in n8n's folder for packages: ours alone, no copy of n8n's own libraries beside it. */
	async function installedVersion(home: string): Promise<string> {
		expect(await packagesIn(home)).toEqual([packageName]);
		return JSON.parse(await readFile(join(modulesOf(home), packageName, 'package.json'), 'utf8')).version;
	}

	/** The tarballs that were fetched, in order. */
	const fetched = () => own.registry.requests.filter((request) => request.endsWith('.tgz'));
	const tarballs = (...versions: string[]) =>
		versions.map((one) => `GET /${packageName}/-/${packageName}-${one}.tgz`);

	/** The names of all that is in n8n's folder for packages, and what is to be there. */
	async function contentOf(home: string): Promise<[files: string[], manifest: string]> {
		const folder = join(home, '.n8n', 'nodes');
		const files = await readdir(folder, { recursive: true });
		return [files.sort(), await readFile(join(folder, 'package.json'), 'utf8')];
	}

	// In the image, without a Docker engine: FROM is looked at only, and RUN is run as Docker would (by /bin/sh, as one
	// command), in a folder of this machine that stands for the image's /home/node.
	test('with npm: n8n has the nodes, they work, the same command updates them, two others reinstall them; an image has the same', async () => {
		const home = await newHome('npm');
		const commands = linesOf(withNpm!).join('\n');
		await shell(commands, home);
		expect(await installedVersion(home)).toBe(earlier);
		// n8n 3 can't be had without Docker; 2.41 knows its settings already.
		await own.start({ userFolder: home, env: environmentOf(compose!) });
		const { n8n, service } = own;
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		const { bothWork } = await importFirst(n8n, service);
		await bothWork();
		// n8n lists only what was installed in the editor.
		expect(await n8n.rest('GET', '/community-packages')).toEqual([]);

		await own.publish();
		await shell(commands, home);
		expect(await installedVersion(home)).toBe(version);
		expect(fetched()).toEqual(tarballs(earlier, version));

		await shell(linesOf(anew!).join('\n'), home);
		expect(await installedVersion(home)).toBe(version);
		await n8n.restart();
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		await bothWork();

		const image = await newHome('image');
		const [from, ...runs] = dockerfile!.text.split('\n');
		expect(from).toBe('FROM docker.n8n.io/n8nio/n8n');
		expect(runs).toEqual([expect.stringMatching(/^RUN .* --prefix \/home\/node\/\.n8n\/nodes /)]);
		await shell(runs[0]!.replace(/^RUN /, '').replaceAll('/home/node', image), image);
		expect(await installedVersion(image)).toBe(version);
		expect(await contentOf(image)).toEqual(await contentOf(home));
	});

	test('from environment variables: at startup n8n has the nodes, again where their files are lost, no others', async () => {
		const home = await newHome('managed');
		const env: Record<string, string> = { ...environmentOf(managed!), PATH: own.PATH };
		expect(JSON.parse(env.N8N_COMMUNITY_PACKAGES!)).toEqual([{ name: packageName, version }]);
		await own.publish();
		await own.start({ userFolder: home, env });
		const { n8n, service } = own;
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		const { bothWork } = await importFirst(n8n, service);

		await rm(join(home, '.n8n', 'nodes'), { recursive: true });
		await n8n.restart();
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		await bothWork();

		Object.assign(n8n.main.options.env, { N8N_COMMUNITY_PACKAGES: '[]' });
		await n8n.restart();
		expect(new Set(await nodesIn(n8n))).toEqual(new Set(['Unrecognized node type']));
		await n8n.stop();
		// As n8n 3 has it by default.
		const refused = { ...env, N8N_UNVERIFIED_PACKAGES_ENABLED: 'false' };
		const starting = startN8n({ packageTarball: false, userFolder: home, env: refused });
		await expect(starting).rejects.toThrow();
	});
});
