import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Fastify from 'fastify';

/**
 * A registry for one package on this machine, in memory, that `npm publish` publishes to and n8n installs from. It
 * knows nothing else and asks nobody.
 */

const run = promisify(execFile);

export interface Registry {
	url: string;
	/** What was asked, as `GET /path`. */
	requests: string[];
	/** As an author does it: `npm publish`. */
	publish(tarball: string): Promise<void>;
	/**
	 * A folder for the front of PATH: its `npm` is the machine's own, but speaks to this registry. n8n names the public
	 * registry on the command line (another one takes a licence), so a setting would not be heard.
	 */
	npmFolder: string;
	close(): Promise<void>;
}

interface Packument {
	name: string;
	'dist-tags': Record<string, string>;
	versions: Record<string, { version: string; dist: { tarball: string } }>;
	_attachments?: Record<string, { data: string }>;
}

export async function startRegistry(): Promise<Registry> {
	const packages = new Map<string, Packument>();
	const tarballs = new Map<string, Buffer>();
	const requests: string[] = [];
	const app = Fastify({ bodyLimit: 16 * 1024 * 1024 });
	app.addHook('onRequest', async ({ method, url }) => void requests.push(`${method} ${url}`));

	app.put<{ Params: { name: string }; Body: Packument }>('/:name', async ({ params, body }, reply) => {
		const known = packages.get(params.name);
		for (const version of Object.keys(body.versions))
			if (known?.versions[version]) return await reply.code(403).send({ error: 'this version exists' });
		for (const [file, { data }] of Object.entries(body._attachments ?? {}))
			tarballs.set(file, Buffer.from(data, 'base64'));
		for (const one of Object.values(body.versions))
			one.dist.tarball = `${url}/${params.name}/-/${params.name}-${one.version}.tgz`;
		packages.set(params.name, {
			name: params.name,
			'dist-tags': { ...known?.['dist-tags'], ...body['dist-tags'] },
			versions: { ...known?.versions, ...body.versions },
		});
		return await reply.code(201).send({ ok: true });
	});
	app.get<{ Params: { name: string } }>(
		'/:name',
		async ({ params }, reply) =>
			packages.get(params.name) ?? (await reply.code(404).send({ error: 'not found' })),
	);
	app.get<{ Params: { name: string; version: string } }>('/:name/:version', async ({ params }, reply) => {
		const known = packages.get(params.name);
		const version = known?.['dist-tags'][params.version] ?? params.version;
		return known?.versions[version] ?? (await reply.code(404).send({ error: 'not found' }));
	});
	app.get<{ Params: { file: string } }>('/:name/-/:file', async ({ params }, reply) => {
		const tarball = tarballs.get(params.file);
		if (!tarball) return await reply.code(404).send({ error: 'not found' });
		return await reply.type('application/octet-stream').send(tarball);
	});

	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	const folder = await mkdtemp(join(tmpdir(), 'social-registry-'));
	const npmFolder = join(folder, 'bin');
	await mkdir(npmFolder);
	const { stdout: npm } = await run('sh', ['-c', 'command -v npm']);
	await writeFile(join(npmFolder, 'npm'), `#!/bin/sh\nexec "${npm.trim()}" "$@" --registry=${url}\n`);
	await chmod(join(npmFolder, 'npm'), 0o755);

	return {
		url,
		requests,
		npmFolder,
		publish: async (tarball) => {
			const access = `--${url.replace(/^http:/, '')}/:_authToken=example`;
			const args = ['publish', tarball, `--registry=${url}`, access, '--ignore-scripts', '--loglevel=error'];
			await run('npm', args, { cwd: folder });
		},
		close: async () => {
			await app.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

/** The same package under another version number. */
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
