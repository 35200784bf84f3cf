import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { cacheFolder, filled, run } from './install';

/** The browser of tests and pictures: an installed one, or that of npm package @sparticuz/chromium in the cache folder. */

/** The last one that runs on Node 20. */
const shipped = '@sparticuz/chromium@143.0.4';

const installed = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/usr/bin/google-chrome-stable',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

interface Chromium {
	executablePath: string;
	env?: Record<string, string>;
}

/** CHROMIUM_PATH names another one; empty, it asks for the one of the package. `undefined`: there is none for this machine. */
export async function findChromium(): Promise<Chromium | undefined> {
	const executablePath = process.env.CHROMIUM_PATH ?? installed.find((path) => existsSync(path));
	if (executablePath) return { executablePath };
	if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
	const folder = join(cacheFolder(), shipped.replace(/\W+/g, '-').slice(1));
	if (!existsSync(folder) && !(await tryInstall(folder))) return undefined;
	const env: Record<string, string> = { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_PATH: folder };
	return { executablePath: join(folder, 'chromium'), env: { ...(process.env as typeof env), ...env } };
}

/** Without a network, or with a registry that lacks it, there is no browser: its tests are skipped, the others run. */
async function tryInstall(folder: string): Promise<boolean> {
	try {
		await install(folder);
		return true;
	} catch (error) {
		console.log(`${shipped} could not be installed: ${(error as Error).message.split('\n', 1)[0]}`);
		return false;
	}
}

async function install(folder: string): Promise<void> {
	console.log(
		`No Chromium or Chrome found: installing ${shipped} into the cache (once, some seconds, 65 MB to fetch):`,
	);
	console.log(`  ${folder}`);
	await filled(folder, async (draft) => {
		const packed = await mkdtemp(join(draft, 'packed-'));
		const { stdout } = await run('npm', ['pack', shipped, '--silent'], { cwd: packed });
		await run('tar', ['-xzf', stdout.trim()], { cwd: packed });
		// Its own installer unpacks to /tmp, and the libraries on AWS only.
		for (const name of ['chromium', 'al2023.tar', 'fonts.tar']) {
			const source = createReadStream(join(packed, 'package', 'bin', `${name}.br`));
			const isArchive = name.endsWith('.tar');
			const target = join(isArchive ? packed : draft, name);
			await pipeline(source, createBrotliDecompress(), createWriteStream(target, { mode: 0o755 }));
			if (isArchive) await run('tar', ['-xf', target, '--no-same-owner'], { cwd: draft });
		}
		await rm(packed, { recursive: true });
		await writeFile(
			join(draft, 'fonts.conf'),
			`<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
		);
	});
}
