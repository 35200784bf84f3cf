import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { Client } from '../../api/client';
import { connect } from '../../api/connect';
import { platforms } from '../../api/contract';
import { toNodeError } from '../../api/errors';
import { postsByTime, records, timeOf, wholeRange } from '../../api/paging';
import { accounts, directories, postLabel, type Directory } from './source';
import { findId, isName } from './names';
import { idOf } from '../engine/params';
import { canonicalPlatform, titles } from '../../api/platforms';

/** How long a dropdown may keep its user waiting, in ms. */
const PATIENCE = 10_000;
/** How many posts a page of the list of posts has, at least. */
const PAGE = 50;

/** Asks the service for a dropdown: in the workspace that is chosen in the node, and not for long. */
async function ask(context: ILoadOptionsFunctions, path: string, qs?: IDataObject): Promise<unknown> {
	const client = await connect(context);
	const workspaceId = await chosenWorkspace(context, client);
	return await send(client, path, workspaceId, qs);
}

async function send(
	client: Client,
	path: string,
	workspaceId: string | null | undefined,
	qs?: IDataObject,
): Promise<unknown> {
	const request = { method: 'GET' as const, path, qs, workspaceId, timeout: PATIENCE };
	return (await client.send(request, PATIENCE, Date.now() + PATIENCE)).data;
}

/** The workspace in the node's options; a name is looked up. */
async function chosenWorkspace(context: ILoadOptionsFunctions, client: Client): Promise<string | undefined> {
	const chosen = idOf(context.getCurrentNodeParameter('options.workspaceId'));
	if (!isName(chosen)) return chosen || undefined;
	const directory = directories.searchWorkspaces!;
	return findId(records(await send(client, directory.path, null)), chosen, directory, 'Workspace');
}

/** Runs a look-up; what fails shows the service's own message and never becomes an option. */
async function shown<T>(context: ILoadOptionsFunctions, act: () => Promise<T>): Promise<T> {
	try {
		return await act();
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

const isConnected = ({ status }: IDataObject): boolean =>
	!/disconnect|inactive|expired|revoked/i.test(String(status ?? ''));

/** The seven platforms of the spec, those with a connected account first; all of them where the service can't be asked. */
export async function getPlatforms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const list = records(await ask(this, accounts.path).catch(() => []));
	const options = platforms.map((value) => {
		const connected = list.filter(
			(one) => canonicalPlatform(String(one.platform)) === value && isConnected(one),
		);
		const names = connected.map(({ id, name, username }) => String(name ?? username ?? id));
		return names.length > 0
			? { name: `${titles[value]} (connected)`, value, description: names.join(', ') }
			: { name: titles[value], value };
	});
	return [...options].sort((a, b) => Number('description' in b) - Number('description' in a));
}

/** The accounts of the workspace. */
export async function getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await shown(this, async () =>
		records(await ask(this, accounts.path)).map((one) => ({
			name: accounts.label(one) + (isConnected(one) ? '' : ' (not connected)'),
			value: String(one.id),
		})),
	);
}

/** The search of a locator that picks from a list which the service gives in one piece. */
const searchIn = (directory: Directory) =>
	async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		return await shown(this, async () => {
			const { path, everywhere } = directory;
			const data = everywhere ? await send(await connect(this), path, null) : await ask(this, path);
			return { results: matching(records(data), directory.label, filter) };
		});
	};

export const searchInboxItems = searchIn(directories.searchInboxItems!);
export const searchWebhooks = searchIn(directories.searchWebhooks!);
export const searchWorkspaces = searchIn(directories.searchWorkspaces!);

/** Posts, newest first, a page at a time; the page's token is the time from which on all have been shown. */
export async function searchPosts(
	this: ILoadOptionsFunctions,
	filter = '',
	token?: string,
): Promise<INodeListSearchResult> {
	return await shown(this, async () => {
		const start = Date.now();
		const client = await connect(this);
		const workspaceId = await chosenWorkspace(this, client);
		const before = token === undefined ? Infinity : Number(token);
		const range = wholeRange(token === undefined ? {} : { to: new Date(before).toISOString() }, start);
		const asked = async (qs: IDataObject): Promise<IDataObject[]> =>
			records(await send(client, '/posts', workspaceId, qs));
		const results = new Map<unknown, INodeListSearchItems>();
		for await (const { items, end } of postsByTime(asked, range)) {
			const fresh = items.filter((post) => !wasShown(post, before));
			for (const one of matching(fresh, (post) => postLabel(post, this.getTimezone()), filter))
				results.set(one.value, one);
			const enough = results.size >= PAGE || (results.size > 0 && Date.now() - start > PATIENCE / 2);
			if (end > range.from && enough) return { results: [...results.values()], paginationToken: String(end) };
		}
		return { results: [...results.values()] };
	});
}

/** Pages overlap by a second, see {@link postsByTime}. */
const wasShown = (post: IDataObject, before: number): boolean =>
	timeOf(post) >= before - 1000 && timeOf(post) <= before;

/** The records that a person may mean who typed `filter`. */
function matching(
	list: IDataObject[],
	label: (record: IDataObject) => string,
	filter: string,
): INodeListSearchItems[] {
	const wanted = filter.trim().toLowerCase();
	return list
		.map((one) => ({ name: label(one), value: String(one.id) }))
		.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}
