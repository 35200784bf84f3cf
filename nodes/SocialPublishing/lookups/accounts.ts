import sortBy from 'lodash/sortBy';
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

/** A platform of the spec and its connected accounts; undefined where the service can't be asked. */
interface Connected {
	platform: (typeof platforms)[number];
	accounts?: IDataObject[];
}

/** The seven platforms of the spec, those with a connected account first. */
async function connectedPlatforms(context: ILoadOptionsFunctions): Promise<Connected[]> {
	const list = await recordsOf(context, accounts).catch(() => undefined);
	const all = platforms.map((platform) => ({
		platform,
		accounts: list?.filter((one) => canonicalPlatform(String(one.platform)) === platform && isConnected(one)),
	}));
	return sortBy(all, ({ accounts: connected }) => (connected?.length ? 0 : 1));
}

/** Platforms to filter by. */
export async function getPlatforms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return (await connectedPlatforms(this)).map((one) => platformOption(one, 'accounts'));
}

/** Where a post can go: platforms, and below one with several accounts each of these. */
export async function getTargets(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return (await connectedPlatforms(this)).flatMap((one) => {
		const { platform, accounts: connected = [] } = one;
		const below = connected.length > 1 ? connected.map((account) => accountOption(platform, account)) : [];
		return [platformOption(one, 'accounts, choose one below'), ...below];
	});
}

/** @param several what is said of a platform with several accounts */
function platformOption({ platform, accounts: connected }: Connected, several: string): INodePropertyOptions {
	const [name, names] = [titles[platform], connected?.map((one) => nameOf(one) ?? String(one.id))];
	if (!names) return { name, value: platform };
	if (names.length === 0) return { name: `${name} (not connected)`, value: platform };
	const title = names.length > 1 ? `${name} (${names.length} ${several})` : name;
	return { name: title, value: platform, description: names.join(', ') };
}

const accountOption = (platform: Connected['platform'], account: IDataObject): INodePropertyOptions => ({
	name: `${titles[platform]}: ${nameOf(account) ?? String(account.id)}`,
	value: `${platform}:${String(account.id)}`,
});

/** The accounts of the workspace. */
export async function getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await asNodeError(this, async () =>
		(await recordsOf(this, accounts)).map((one) => ({
			name: accounts.label(one) + (isConnected(one) ? '' : ' (not connected)'),
			value: String(one.id),
		})),
	);
}
