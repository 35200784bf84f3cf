import { map, union, uniqBy } from 'lodash';

import { canonicalPlatform, lists, platforms, titleOf } from '../../../api/contract';
import { refusal } from '../../../api/failure';
import { readAccounts, type Account } from '../../../api/records';
import { firstFew, visible } from '../../../api/texts';
import type { Item } from '../../engine/item';

/** Where a post goes: to a platform, or to one of its accounts. */
export interface Target {
	platform: string;
	/** Of an account that the user named; it goes along. */
	accountId?: string;
	/** What the account is called, where that is known. */
	account?: string;
	/** `<platform>` or `<platform>:<account id>`. */
	name: string;
}

/** The workspace's accounts: read once a run, best effort. */
export const accountsOf = async (item: Item): Promise<Account[]> =>
	await item.once('accounts', async () => {
		const listed = await item.list(lists.accounts).catch(() => undefined);
		return listed ? readAccounts(listed.records) : [];
	});

/**
 * Where a row goes, by what *Platform Names or IDs* has: a platform, `<platform>:<account>`, or what a listed account is
 * called. @throws Failure for what is none of these, and for a platform with several accounts of which none is named
 */
export function resolveTargets(entries: readonly string[], accounts: readonly Account[]): Target[] {
	const targets = entries.map((entry) => targetFor(entry, accounts));
	// `x` beside an account of X is that account.
	const named = new Set(
		map(
			targets.filter(({ accountId }) => accountId !== undefined),
			'platform',
		),
	);
	const needed = targets.filter(({ accountId, platform }) => accountId !== undefined || !named.has(platform));
	return uniqBy(needed, 'name');
}

function targetFor(entry: string, accounts: readonly Account[]): Target {
	const [word = '', ...rest] = entry.split(':');
	const platform = canonicalPlatform(word);
	const id = rest.join(':').trim();
	const isKnown = union<string>(platforms, map(accounts, 'platform')).includes(platform);
	const onIt = accounts.filter((one) => one.platform === platform);
	if (isKnown && id) {
		const [one, other] = calledBy(id, onIt);
		// An ID that isn't listed goes as it is.
		return accountTarget(platform, one && !other ? one.id : id, onIt);
	}
	if (isKnown && !rest.length) return platformTarget(platform, onIt);
	const called = calledBy(entry, accounts);
	const [account, another] = called;
	if (!account) throw unknown(entry, accounts);
	if (another)
		throw refusal(
			'NAME_AMBIGUOUS',
			`'Platform Names or IDs' matches ${called.length} accounts: ${visible(entry)}`,
			`Choose one from the list: ${firstFew(map(called, labelOf))}.`,
		);
	return accountTarget(account.platform, account.id, accounts);
}

function accountTarget(platform: string, accountId: string, accounts: readonly Account[]): Target {
	const listed = accounts.find((one) => one.id === accountId && one.platform === platform);
	return { platform, accountId, account: listed?.title, name: `${platform}:${accountId}` };
}

function platformTarget(platform: string, accounts: readonly Account[]): Target {
	const [only, another] = accounts;
	if (another)
		throw refusal(
			'ACCOUNT_UNCLEAR',
			`The workspace has ${accounts.length} ${titleOf(platform)} accounts: ${firstFew(map(accounts, labelOf))}`,
			"Choose one of these accounts in 'Platform Names or IDs'.",
		);
	return { platform, account: only?.title, name: platform };
}

/** The accounts with this ID, else those with this name or @handle. */
function calledBy(entry: string, accounts: readonly Account[]): Account[] {
	const wanted = entry.trim().toLowerCase().replace(/^@/, '');
	const withId = accounts.filter(({ id }) => id === entry.trim());
	const isCalled = (own?: string): boolean => own?.toLowerCase().replace(/^@/, '') === wanted;
	return withId.length > 0
		? withId
		: accounts.filter(({ name, handle }) => isCalled(name) || isCalled(handle));
}

const labelOf = ({ platform, id, title }: Account): string => `${platform}:${id} (${title})`;

const unknown = (entry: string, accounts: readonly Account[]) =>
	refusal(
		'PLATFORM',
		`'${visible(entry)}' isn't a platform or an account`,
		`Platforms are: ${platforms.join(', ')}. ${accounts.length > 0 ? `Accounts are: ${firstFew(map(accounts, labelOf))}.` : ''}`.trim(),
	);
