import sortBy from 'lodash/sortBy';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { listNames, platforms, type Platform } from '../../api/contract';
import { toFailure } from '../../api/failure';
import { titleOf, titles } from '../../api/platforms';
import { readAccount, type Account } from '../../api/records';
import { asNodeError, askFor, type LookupSource } from '../../shared/search';
import { chosenWorkspace, filled } from './source';

/** Spec: `GET /accounts`. */
export const accounts: LookupSource = {
	path: '/accounts',
	listNames: listNames.accounts,
	label: (record) => {
		const { title, platform = '' } = readAccount(record);
		return filled([title, titleOf(platform)]).join(' · ');
	},
};

/** Whether an account can be posted to. */
export const isConnected = (record: IDataObject): boolean => readAccount(record).isConnected;

/** The accounts of the chosen workspace, each once. */
async function accountsIn(context: ILoadOptionsFunctions): Promise<IDataObject[]> {
	const ask = await askFor(context, chosenWorkspace(context));
	return uniqBy(await ask(accounts), ({ id }) => String(id));
}

/**
 * The seven platforms of the spec as options, those with a connected account first. Where the accounts can't be read, each
 * can still be chosen and says why.
 */
async function platformOptions(
	context: ILoadOptionsFunctions,
	optionsOf: (platform: Platform, connected: Account[]) => INodePropertyOptions[],
): Promise<INodePropertyOptions[]> {
	let all: Account[];
	try {
		all = (await accountsIn(context)).map(readAccount).filter((one) => one.isConnected);
	} catch (error) {
		const description = `Accounts could not be read: ${toFailure(error).message}`;
		return platforms.map((value) => ({
			name: `${titles[value]} (accounts not loaded)`,
			value,
			description,
		}));
	}
	const on = platforms.map((one) => ({ one, connected: all.filter(({ platform }) => platform === one) }));
	return sortBy(on, ({ connected }) => (connected.length > 0 ? 0 : 1)).flatMap(({ one, connected }) =>
		connected.length > 0
			? optionsOf(one, connected)
			: [{ name: `${titles[one]} (not connected)`, value: one }],
	);
}

const platformOption = (value: Platform, connected: Account[]): INodePropertyOptions => ({
	name: titles[value] + (connected.length > 1 ? ` (${connected.length} accounts)` : ''),
	value,
	description: connected.map(({ title }) => title).join(', '),
});

/** Platforms to filter by. */
export async function getPlatforms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await platformOptions(this, (platform, connected) => [platformOption(platform, connected)]);
}

/** Where a post can go: platforms with one account, and each account of those with several. */
export async function getTargets(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await platformOptions(this, (platform, connected) =>
		connected.length === 1
			? [platformOption(platform, connected)]
			: connected.map(({ id, title }) => ({
					name: `${titles[platform]}: ${title}`,
					value: `${platform}:${id}`,
				})),
	);
}

/** The accounts of the workspace. */
export async function getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await asNodeError(this, async () =>
		(await accountsIn(this)).map((record) => ({
			name: accounts.label(record) + (isConnected(record) ? '' : ' (not connected)'),
			value: readAccount(record).id,
		})),
	);
}
