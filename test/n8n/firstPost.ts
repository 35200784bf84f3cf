import type { IDataObject } from 'n8n-workflow';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '../service';
import { credentialFor, example } from './examples';
import { own } from './owned';

/**
 * Runs "Schedule a post" in n8n's engine, which the development dependencies bring: long before n8n itself is installed.
 * The posts that the node gives out. `npm run build` first.
 */
export async function scheduleFirstPost({
	url,
	keys,
}: Pick<Service, 'url' | 'keys'>): Promise<IDataObject[]> {
	const { nodes } = await example('schedule-a-post');
	const { parameters } = nodes.find(({ name }: { name: string }) => name === 'Schedule the post');
	const { runNode } = await engine();
	const { json, error } = await runNode({
		parameters,
		credential: credentialFor({ url }, keys.full) as IDataObject,
		timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
	});
	if (error) throw new Error(`"Schedule a post" failed: ${error.message}`);
	return json;
}

/** The engine reads its settings when it is loaded, and writes a file of its own: not into this person's `~/.n8n`. */
async function engine(): Promise<typeof import('../support/engine')> {
	const folder = await mkdtemp(join(tmpdir(), 'n8n-social-engine-'));
	own('folder', folder);
	process.env.N8N_USER_FOLDER = folder;
	process.env.N8N_LOG_LEVEL = 'silent';
	return await import('../support/engine');
}
