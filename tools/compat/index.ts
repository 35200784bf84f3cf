import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { startN8n } from '../../test/n8n/instance';
import { nameOf, type Release, releases } from '../../test/n8n/releases';
import { startService } from '../../test/service';
import { Field } from '../../test/support/e2e/field';
import { exceptionFor } from './exceptions';
import { record } from './record';
import { start } from './rows/start';
import { tool } from './rows/tool';
import { trigger } from './rows/trigger';
import { writes } from './rows/writes';
import { type Scene, withoutFolders } from './stage';

/**
 * `npm run compat`: drives the same rows through each n8n of `test/n8n/releases.ts`, one n8n after another, and writes
 * docs/development/versions.md. Arguments: versions, or starts of `version layout`, to run only these; `--rows=text` for the rows
 * that have the text in their name, and `--folder=…` for an n8n that is installed already: neither is written down.
 */

/** Each row but the trigger's has a service of its own. */
const scenes: Scene[] = [
	...Object.entries({ ...start, ...tool, ...writes }).map(([name, run]) => ({ [name]: run })),
	trigger,
];

/** Name of a row → `ok`, or what was found instead. */
async function drive(release: Release, part: string): Promise<Record<string, string>> {
	const found: Record<string, string> = {};
	const n8n = await startN8n({ editor: true, release });
	for (const scene of scenes) {
		const rows = Object.entries(scene).filter(([name]) => name.toLowerCase().includes(part));
		if (rows.length === 0) continue;
		const service = await startService();
		const stage = await Field.set(n8n, service);
		for (const [name, run] of rows) {
			found[name] = await run(stage).then(
				() => 'ok',
				({ message }: Error) => withoutFolders(message.split('\n')[0]!).slice(0, 300),
			);
			console.log(`  ${name}: ${found[name]}`);
		}
		await stage.close().catch(console.log);
		await service.close();
	}
	await n8n.stop();
	return found;
}

async function main(): Promise<void> {
	const { values, positionals: names } = parseArgs({
		options: { rows: { type: 'string', default: '' }, folder: { type: 'string' } },
		allowPositionals: true,
	});
	const { rows: part, folder } = values;
	const wanted = folder
		? [await installedIn(folder)]
		: releases.filter((each) => names.length === 0 || names.some((name) => nameOf(each).startsWith(name)));
	if (wanted.length === 0) throw new Error(`No such n8n. Known: ${releases.map(nameOf).join(', ')}`);
	for (const release of wanted) {
		console.log(`\n── n8n ${nameOf(release)}`);
		const found = await drive(release, part.toLowerCase());
		if (!folder && part === '') await record(nameOf(release), found);
		for (const [name, outcome] of Object.entries(found))
			if (outcome !== 'ok' && !exceptionFor(name, release.version, outcome)) process.exitCode = 1;
	}
	process.exit();
}

async function installedIn(folder: string): Promise<Release> {
	const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
	return { version, layout: 'pnpm', overrides: {}, folder };
}

void main();
