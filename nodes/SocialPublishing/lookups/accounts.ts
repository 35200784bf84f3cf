import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { listNames, platforms } from '../../api/contract';
import { canonicalPlatform, titleOf, titles } from '../../api/platforms';
import { asNodeError, recordsOf } from './search';
import { filled, type NamedSource } from './source';

const nameOf = ({ name, username }: IDataObject): string | undefined => filled([name, username])[0];

/** Spec: `GET /accounts`. Fields of an account are not shown: each is used where it is there. */
export const accounts: NamedSource = {
	path: '/accounts',
	listNames: listNames.accounts,
	label: ({ id, name, username, platform }) =>
		filled([nameOf({ name, username }) ?? String(id), titleOf(String(platform ?? ''))]).join(' · '),
	names: ({ name, username, platform }) =>
		filled([name, username]).flatMap((one) => [
			one,
			`${one} · ${String(platform)}`,
			`${one} · ${titleOf(String(platform))}`,
		]),
};

/** Whether an account can be posted to, as far as the service says. */
export const isConnected = ({ status }: IDataObject): boolean =>
	!/disconnect|inactive|expired|revoked/i.test(String(status ?? ''));

/** The seven platforms of the spec, those with a connected account first; all of them where the service can't be asked. */
export async function getPlatforms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const list = await recordsOf(this, accounts).catch(() => []);
	const options = platforms.map((value) => {
		const connected = list.filter(
			(one) => canonicalPlatform(String(one.platform)) === value && isConnected(one),
		);
		const names = connected.map((one) => nameOf(one) ?? String(one.id));
		return names.length > 0
			? {
					name: `${titles[value]} (${names.length > 1 ? `${names.length} accounts ` : ''}connected)`,
					value,
					description: names.join(', '),
				}
			: { name: titles[value], value };
	});
	return [...options].sort((a, b) => Number('description' in b) - Number('description' in a));
}

/** The accounts of the workspace. */
export async function getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await asNodeError(this, async () =>
		(await recordsOf(this, accounts)).map((one) => ({
			name: accounts.label(one) + (isConnected(one) ? '' : ' (not connected)'),
			value: String(one.id),
		})),
	);
}
