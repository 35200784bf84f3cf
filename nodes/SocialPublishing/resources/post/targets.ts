import isEqual from 'lodash/isEqual';
import uniq from 'lodash/uniq';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import { platforms as known } from '../../../api/contract';
import { refusal, type Failure } from '../../../api/failure';
import { canonicalPlatform, titleOf } from '../../../api/platforms';
import { readPost } from '../../../api/records';
import type { ItemContext } from '../../engine/operation';
import { accounts as accountSource, isConnected } from '../../lookups/accounts';
import { findId } from '../../lookups/names';

/** Where a post goes: a platform, or an account on it. */
export interface Target {
	platform: string;
	accountId?: string;
	/** What the user gave, as far as it matters: tells the item's targets apart. */
	part: string;
}

/** Refuses what is no platform that posts can go to. */
export function checkPlatforms(names: string[], label: string): void {
	const wrong = names.find(
		(name) => name.trim() !== '' && !(known as readonly string[]).includes(canonicalPlatform(name)),
	);
	if (wrong !== undefined)
		throw refusal(
			'PLATFORM',
			`'${wrong}' isn't a platform`,
			`Correct it in '${label}'. Platforms are: ${known.join(', ')}.`,
		);
}

/** The platform of each entry; one may name an account behind a colon (`instagram:acc_1`). */
export function platformTargets(platforms: string[]): Target[] {
	const targets = platforms.map((entry): Target => {
		const colon = entry.indexOf(':');
		const platform = canonicalPlatform(colon < 0 ? entry : entry.slice(0, colon));
		const accountId = colon < 0 ? undefined : entry.slice(colon + 1).trim();
		return accountId
			? { platform, accountId, part: `${platform}:${accountId}` }
			: { platform, part: platform };
	});
	return uniqBy(targets, ({ part }) => part);
}

/**
 * The platform of each account comes from the service; an account may be given by name or @handle. What an earlier try
 * sent is not looked up again: the name may be another account's by now.
 * @throws Failure where none or several have the name, or the service says no platform
 */
export async function accountTargets(item: ItemContext, wanted: string[]): Promise<Target[]> {
	const targets: Target[] = [];
	for (const part of uniq(wanted)) {
		const sent = item.sentBefore('/posts', part)?.body;
		targets.push(sent ? { ...targetIn(sent), part } : await accountTarget(item, part));
	}
	return uniqBy(targets, ({ accountId }) => accountId);
}

/** Where a request went. */
const targetIn = ({ platform, platforms, account_id: id }: IDataObject): Omit<Target, 'part'> => ({
	platform: String([platforms ?? platform].flat()[0]),
	accountId: String(id),
});

/** All accounts, asked for once a run and workspace. */
const accountsOf = async (item: ItemContext): Promise<IDataObject[]> =>
	await item.once('accounts', async () => await item.list(accountSource));

async function accountTarget(item: ItemContext, part: string): Promise<Target> {
	const list = await accountsOf(item);
	const accountId = findId(list, part, accountSource, 'Account Names or IDs');
	const platform = list.find(({ id }) => String(id) === accountId)?.platform;
	if (typeof platform !== 'string' || platform === '')
		throw refusal(
			'ACCOUNT_PLATFORM',
			`The service doesn't say which platform the account ${accountId} is on`,
			"Set 'Post To' to 'Platforms' and choose the platform there.",
		);
	return { platform: canonicalPlatform(platform), accountId, part };
}

/** The connected accounts of a platform; undefined where the service can't be asked, or doesn't say platforms. */
export async function accountsOn(item: ItemContext, platform: string): Promise<IDataObject[] | undefined> {
	const list = await accountsOf(item).catch(() => undefined);
	if (list?.some((one) => typeof one.platform !== 'string')) return undefined;
	return list?.filter((one) => canonicalPlatform(String(one.platform)) === platform && isConnected(one));
}

/** The names of the accounts that a post goes to, as far as they are certain. */
export async function accountNames(item: ItemContext, targets: Target[]): Promise<string> {
	const names = await Promise.all(
		targets.map(async ({ platform, accountId }) => {
			const connected = (await accountsOn(item, platform)) ?? [];
			const meant = accountId ? connected.filter(({ id }) => String(id) === accountId) : connected;
			return meant.length === 1 ? [accountSource.names(meant[0]!)[0] ?? String(meant[0]!.id)] : [];
		}),
	);
	return names.flat().join(', ');
}

/** Whether a post goes to a target: to its account, or to its platform where one of the two names no account. */
export function isOn(
	post: IDataObject,
	{ platform, accountId }: Pick<Target, 'platform' | 'accountId'>,
): boolean {
	if (accountId && post.account_id) return String(post.account_id) === accountId;
	return readPost(post).platforms.map(canonicalPlatform).includes(platform);
}

/** What is wrong with posting to a platform: no account is connected, or nobody would know which of several is meant. */
export async function problemOf(
	item: ItemContext,
	{ platform, accountId }: Target,
): Promise<Failure | undefined> {
	if (accountId !== undefined) return undefined;
	const connected = await accountsOn(item, platform);
	if (!connected || connected.length === 1) return undefined;
	if (connected.length === 0)
		return refusal(
			'NOT_CONNECTED',
			`${titleOf(platform)} is not connected to this workspace`,
			'Connect it in the service or remove it here.',
		);
	const names = connected.map(
		(one) => `${accountSource.names(one)[0] ?? String(one.id)} (${String(one.id)})`,
	);
	return refusal(
		'ACCOUNT_UNCLEAR',
		`${connected.length} ${titleOf(platform)} accounts are connected: ${names.join(', ')}`,
		`Choose one of the accounts below ${titleOf(platform)} in 'Platform Names or IDs', or set 'Post To' to 'Accounts'.`,
	);
}

/**
 * Which targets share a request: in the integration guide's form none, in the quick start's the platforms without a text of
 * their own.
 */
export function groupTargets(targets: Target[], isShared: (target: Target) => boolean): Target[][] {
	const shared = targets.filter(isShared);
	return uniq(targets.map((one) => (shared.includes(one) ? shared : one))).map((one) => [one].flat());
}

/**
 * Refuses a retry that groups platforms in another way than a request that may have been sent: it could only be sent twice
 * or reported wrongly.
 */
export function refuseRegrouped(item: ItemContext, groups: Target[][]): void {
	const asked = groups.map((group) => group.map(({ platform }) => platform));
	const parts = ['', ...groups.flat().map(({ part }) => part)];
	for (const part of parts) {
		const body = item.sentBefore('/posts', part)?.body;
		if (!body) continue;
		const sent = [body.platforms ?? body.platform].flat().map((one) => canonicalPlatform(String(one)));
		if (asked.some((group) => isEqual([...group].sort(), [...sent].sort()))) continue;
		throw refusal(
			'PLATFORMS_CHANGED',
			`An earlier try of this execution sent this post to ${sent.map(titleOf).join(' and ')} in one request, or may have sent it`,
			'Choose exactly these platforms for the retry. To post to others, run the workflow again with only those.',
		);
	}
}
