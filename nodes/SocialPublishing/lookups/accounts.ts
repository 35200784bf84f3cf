import filter from 'lodash/filter';
import groupBy from 'lodash/groupBy';
import map from 'lodash/map';
import sortBy from 'lodash/sortBy';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { listNames, platforms } from '../../api/contract';
import { Failure, toFailure } from '../../api/failure';
import { titleOf, titles } from '../../api/platforms';
import { readAccount } from '../../api/records';
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

/** The accounts of the chosen workspace, each once. */
async function accountsIn(context: ILoadOptionsFunctions): Promise<IDataObject[]> {
	const ask = await askFor(context, chosenWorkspace(context));
	return uniqBy((await ask(accounts)).records, ({ id }) => String(id));
}

/**
 * The seven platforms of the spec, those with a connected account first; where the accounts can't be read, each says why.
 * @param isEach whether each account of a platform with several is an option instead of the platform
 */
const platformOptions = (isEach: boolean) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const read = await accountsIn(this).catch(toFailure);
		if (read instanceof Failure)
			return platforms.map((value) => ({
				...{ name: `${titles[value]} (accounts not loaded)`, value },
				description: `Accounts could not be read: ${read.message}`,
			}));
		const accountsOf = groupBy(filter(read.map(readAccount), 'isConnected'), 'platform');
		return sortBy(platforms, (one) => !(one in accountsOf)).flatMap((value) => {
			const connected = accountsOf[value] ?? [];
			const title = titles[value];
			if (isEach && connected.length > 1)
				return connected.map((one) => ({ name: `${title}: ${one.title}`, value: `${value}:${one.id}` }));
			const name = connected.length > 0 ? title : `${title} (not connected)`;
			return [{ name, value, description: map(connected, 'title').join(', ') }];
		});
	};

/** Platforms to filter by. */
export const getPlatforms = platformOptions(false);

/** Where a post can go: platforms with one account, and each account of those with several. */
export const getTargets = platformOptions(true);

/** The accounts of the workspace. */
export async function getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await asNodeError(this, async () =>
		(await accountsIn(this)).map((record) => {
			const { id, isConnected } = readAccount(record);
			return { name: accounts.label(record) + (isConnected ? '' : ' (not connected)'), value: id };
		}),
	);
}
