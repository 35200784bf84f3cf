import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { startN8n } from '../../test/n8n/instance';
import { nameOf, type Release, releases } from '../../test/n8n/releases';
import { exceptionFor } from './exceptions';
import { withoutFolders } from './log';
import { type Outcome, record } from './record';
import { start } from './rows/start';
import { tool } from './rows/tool';
import { trigger } from './rows/trigger';
import { writes } from './rows/writes';
import { type Scene, Stage } from './stage';

/**
 * `npm run compat`: drives the same rows through each n8n of `test/n8n/releases.ts`, one n8n after another, and writes
 * docs/versions.md. Arguments: versions, or starts of `version layout`, to run only these; `--rows=text` for the rows
 * that have the text in their name, written into the last whole run; `--folder=…` for an n8n that is installed already,
 * of which nothing is written down.
 */

/** Rows of one scene share a service. */
const scenes: Scene[] = [...[...start, ...tool, ...writes].map((row) => [row]), trigger];

const failure = ({ message }: Error): Outcome => ({
	is: 'FAIL',
	told: withoutFolders(message.split('\n')[0]!).slice(0, 300),
});

async function drive(release: Release, wanted: (row: string) => boolean): Promise<Record<string, Outcome>> {
	const outcomes: Record<string, Outcome> = {};
	const n8n = await startN8n({ editor: true, release });
	try {
		for (const scene of scenes) {
			if (!scene.some(({ name }) => wanted(name))) continue;
			const stage = await Stage.set(n8n).catch((error: Error) => error);
			if (stage instanceof Error) {
				// What was found before stays: an n8n that is slow once must not cost the whole run.
				for (const { name } of scene) outcomes[name] = failure(stage);
				continue;
			}
			try {
				for (const { name, run } of scene) {
					const started = Date.now();
					outcomes[name] = await run(stage).then(
						({ ok, told = '' }) =>
							ok
								? { is: 'ok', told: withoutFolders(told) }
								: {
										is: exceptionFor(name, release.version, told) ? 'exception' : 'FAIL',
										told: withoutFolders(told),
									},
						failure,
					);
					const { is, told } = outcomes[name];
					console.log(`  ${is.padEnd(9)} ${name}  ${told} (${Math.round((Date.now() - started) / 1000)} s)`);
				}
			} finally {
				await stage.close();
			}
		}
		return outcomes;
	} finally {
		await n8n.stop();
	}
}

async function main(): Promise<void> {
	const { values, positionals: names } = parseArgs({
		options: { rows: { type: 'string' }, folder: { type: 'string' } },
		allowPositionals: true,
	});
	const part = values.rows?.toLowerCase();
	const { folder } = values;
	const wanted = folder
		? [await installedIn(folder)]
		: releases.filter((each) => names.length === 0 || names.some((name) => nameOf(each).startsWith(name)));
	if (wanted.length === 0) throw new Error(`No such n8n. Known: ${releases.map(nameOf).join(', ')}`);
	const results: Outcome[] = [];
	for (const release of wanted) {
		console.log(`\n── n8n ${nameOf(release)}`);
		const outcomes = await drive(release, (row) => !part || row.toLowerCase().includes(part)).catch(
			(error: Error) => {
				console.error(error);
				return { [scenes[0]![0]!.name]: failure(error) };
			},
		);
		console.table(outcomes);
		results.push(...Object.values(outcomes));
		if (!folder) await record(nameOf(release), outcomes, part === undefined);
	}
	process.exit(results.some(({ is }) => is === 'FAIL') ? 1 : 0);
}

async function installedIn(folder: string): Promise<Release> {
	const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
	return { version, layout: 'pnpm', overrides: {}, folder };
}

void main();
