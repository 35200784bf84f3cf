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

/** A platform of the spec and its connected accounts. */
interface Connected {
	platform: (typeof platforms)[number];
	accounts: IDataObject[];
}

/** The seven platforms of the spec, those with a connected account first. */
async function connectedPlatforms(context: ILoadOptionsFunctions): Promise<Connected[] | undefined> {
	const list = (await recordsOf(context, accounts)).filter(isConnected);
	const isOn = (platform: string) => (one: IDataObject) =>
		canonicalPlatform(String(one.platform)) === platform;
	const all = platforms.map((platform) => ({ platform, accounts: list.filter(isOn(platform)) }));
	return sortBy(all, ({ accounts: { length } }) => (length > 0 ? 0 : 1));
}

/** Platforms to choose from; all seven where the service can't be asked. */
export async function getPlatforms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const known = await connectedPlatforms(this).catch(() => undefined);
	if (!known) return platforms.map((value) => ({ name: titles[value], value }));
	return known.map(platformOption);
}

/** Where a post can go: platforms, and below one with several accounts each of these. */
export async function getTargets(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const known = await connectedPlatforms(this).catch(() => undefined);
	if (!known) return platforms.map((value) => ({ name: titles[value], value }));
	return known.flatMap((one) => [
		platformOption(one),
		...(one.accounts.length > 1 ? one.accounts.map((account) => accountOption(one.platform, account)) : []),
	]);
}

function platformOption({ platform, accounts: connected }: Connected): INodePropertyOptions {
	const [title, names] = [titles[platform], connected.map((one) => nameOf(one) ?? String(one.id))];
	if (names.length === 0) return { name: `${title} (not connected)`, value: platform };
	const several = `${title} (${names.length} accounts, choose one below)`;
	return { name: names.length > 1 ? several : title, value: platform, description: names.join(', ') };
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
