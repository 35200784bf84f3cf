import type { IDataObject } from 'n8n-workflow';

import { platforms as known } from '../../../api/contract';
import { Failure, refusal } from '../../../api/errors';
import { canonicalPlatform, titleOf } from '../../../api/platforms';
import type { ItemContext } from '../../engine/operation';
import { accounts as accountSource, isConnected } from '../../lookups/accounts';
import { findId, typoOf } from '../../lookups/names';

/** Where a post goes: platforms, or accounts with theirs. */
export interface Target {
	platform: string;
	accountId?: string;
}

/** A request of an item. */
export interface Planned {
	/** Tells this request from the item's others; '' where the item has one request for all platforms. */
	part: string;
	/** The platforms or the account that it is for. */
	targets: string[];
	body: IDataObject;
	/** Stands for the body in keys of mode `content`. */
	content?: IDataObject;
}

/** What one platform or account gets. */
export type PlannedPost = Target & { text: string; media: string[]; hasOwnText: boolean };

/** Refuses a typo. What is like none of the known platforms may be one that was added later: the service says. */
export function checkPlatforms(names: string[], label: string): void {
	for (const name of names) {
		const platform = canonicalPlatform(name);
		if ((known as readonly string[]).includes(platform)) continue;
		const meant = typoOf(known, platform);
		if (meant)
			throw refusal(
				'PLATFORM',
				`'${name}' is no platform. Did you mean ${meant}?`,
				`Correct it in '${label}'. Platforms are: ${known.join(', ')}.`,
			);
	}
}

export const platformTargets = (platforms: string[]): Target[] =>
	[...new Set(platforms.map(canonicalPlatform))].map((platform) => ({ platform }));

/**
 * The platform of each account comes from the service; an account may be given by name or @handle.
 * @throws Failure where the service says no platform
 */
export async function accountTargets(item: ItemContext, wanted: string[]): Promise<Target[]> {
	const list = await item.list(accountSource);
	const ids = wanted.map((one) => findId(list, one, accountSource, 'Account Names or IDs'));
	return [...new Set(ids)].map((accountId) => {
		const platform = list.find(({ id }) => String(id) === accountId)?.platform;
		if (typeof platform !== 'string' || platform === '')
			throw refusal(
				'ACCOUNT_PLATFORM',
				`The service does not say on which platform the account ${accountId} is`,
				"Set 'Post To' to 'Platforms' and choose the platform there.",
			);
		return { platform: canonicalPlatform(platform), accountId };
	});
}

/** The connected accounts of a platform; undefined where the service can't be asked. */
export async function accountsOn(item: ItemContext, platform: string): Promise<IDataObject[] | undefined> {
	const list = await item.list(accountSource).catch(() => undefined);
	return list?.filter((one) => canonicalPlatform(String(one.platform)) === platform && isConnected(one));
}

/** Refuses a platform with several connected accounts: nobody would know to which of them the post went. */
export async function refuseUnclear(item: ItemContext, platforms: string[]): Promise<void> {
	for (const { platform } of platformTargets(platforms)) {
		const connected = (await accountsOn(item, platform)) ?? [];
		if (connected.length < 2) continue;
		const names = connected.map(
			(one) => `${accountSource.names(one)[0] ?? String(one.id)} (${String(one.id)})`,
		);
		throw refusal(
			'ACCOUNT_UNCLEAR',
			`${connected.length} ${titleOf(platform)} accounts are connected: ${names.join(', ')}`,
			"Set 'Post To' to 'Accounts' and choose the one that you mean. Nothing was sent.",
		);
	}
}

/** A refused form of request, in the words of what is wrong: no account of the platform is connected. */
export async function notConnected(
	item: ItemContext,
	failure: Failure,
	platforms: string[],
): Promise<Failure> {
	if (failure.details.code !== 'PUBLIC_API_BODY_INVALID') return failure;
	for (const platform of platforms)
		if ((await accountsOn(item, platform))?.length === 0)
			return failure.with({
				message: `${titleOf(platform)} is not connected to this workspace`,
				hint: 'Connect it in the service or remove it here.',
				service_message: failure.details.service_message ?? failure.details.message,
			});
	return failure;
}
