import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyReply } from 'fastify';
import { run } from './install';

/** A registry on this machine, in memory, that n8n installs from. It knows what is published here and asks nobody. */

export interface Registry {
	url: string;
	requests: string[];
	publish(tarball: string): Promise<void>;
	/** For the front of PATH: an `npm` that speaks to this registry, since n8n names the public one on the command line. */
	npmFolder: string;
	close(): Promise<void>;
}

interface Packument {
	name: string;
	'dist-tags': Record<string, string>;
	versions: Record<string, { version: string; dist: { tarball: string } }>;
}

export async function startRegistry(): Promise<Registry> {
	const packages = new Map<string, Packument>();
	const tarballs = new Map<string, Buffer>();
	const requests: string[] = [];
	const app = Fastify();
	app.addHook('onRequest', async ({ method, url }) => void requests.push(`${method} ${url}`));
	const found = async (reply: FastifyReply, what: unknown) => what ?? (await reply.code(404).send({}));
	app.get<{ Params: { name: string } }>('/:name', async ({ params: { name } }, reply) => {
		return await found(reply, packages.get(name));
	});
	app.get<{ Params: { name: string; version: string } }>('/:name/:version', async ({ params }, reply) => {
		const known = packages.get(params.name);
		const version = known?.['dist-tags'][params.version] ?? params.version;
		return await found(reply, known?.versions[version]);
	});
	app.get<{ Params: { file: string } }>('/:name/-/:file', async ({ params: { file } }, reply) => {
		return await found(reply.type('application/octet-stream'), tarballs.get(file));
	});

	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	const folder = await mkdtemp(join(tmpdir(), 'social-registry-'));
	const npmFolder = join(folder, 'bin');
	await mkdir(npmFolder);
	const { stdout: npm } = await run('sh', ['-c', 'command -v npm']);
	const options = `--registry=${url} --cache=${join(folder, 'cache')}`;
	await writeFile(join(npmFolder, 'npm'), `#!/bin/sh\nexec "${npm.trim()}" "$@" ${options}\n`);
	await chmod(join(npmFolder, 'npm'), 0o755);

	return {
		url,
		requests,
		npmFolder,
		publish: async (tarball) => {
			const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
			const manifest = JSON.parse(stdout);
			const { name, version } = manifest;
			const file = `${name}-${version}.tgz`;
			tarballs.set(file, await readFile(tarball));
			const added = { [version]: { ...manifest, dist: { tarball: `${url}/${name}/-/${file}` } } };
			const versions = { ...packages.get(name)?.versions, ...added };
			packages.set(name, { name, 'dist-tags': { latest: version }, versions });
		},
		close: async () => {
			await app.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

export async function withVersion(tarball: string, version: string, folder: string): Promise<string> {
	const place = join(folder, version);
	await mkdir(place, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', place]);
	const path = join(place, 'package', 'package.json');
	const manifest = JSON.parse(await readFile(path, 'utf8'));
	await writeFile(path, JSON.stringify({ ...manifest, version }, null, '\t'));
	const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', place];
	const { stdout } = await run('npm', args, { cwd: join(place, 'package') });
	return join(place, stdout.trim());
}
