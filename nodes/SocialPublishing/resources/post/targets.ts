import isEqual from 'lodash/isEqual';
import uniq from 'lodash/uniq';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import { platforms as knownPlatforms } from '../../../api/contract';
import { Failure, refusal, toFailure } from '../../../api/failure';
import { canonicalPlatform, titleOf } from '../../../api/platforms';
import { readAccount, readPost, type Account } from '../../../api/records';
import type { Item } from '../../engine/item';
import { accounts as accountSource } from '../../lookups/accounts';
import type { Sent } from '../../writes/write';

/** Where a post goes. */
export interface Target {
	platform: string;
	/** The account: the one that the user named, or the only one that is connected to the platform. */
	accountId?: string;
	/** Its name, for people. */
	account?: string;
	/** The user named the account: its ID goes along. */
	isAccountNamed: boolean;
	/** As the user gave it: identifies a target of the item. */
	name: string;
	/** Why nothing can be posted there. */
	problem?: Failure;
	/** What an earlier try sent there, or may have. */
	sent?: Sent;
}

export interface Chosen {
	postTo: 'platforms' | 'accounts';
	platforms: string[];
	accounts: string[];
}

/** The workspace's accounts, or why they can't be read: asked for once a run. */
export async function accountsOf(item: Item): Promise<Account[] | Failure> {
	const read = async (): Promise<Account[] | Failure> => {
		const records = await item.list(accountSource).catch(toFailure);
		return records instanceof Failure ? records : uniqBy(records.map(readAccount), 'id');
	};
	return await item.once('accounts', read);
}

/** What to call the accounts that a post goes to, where that is certain. */
export function accountNames(record: IDataObject, accounts: Account[] | Failure): string {
	if (accounts instanceof Failure) return '';
	const { accountId, platforms } = readPost(record);
	const names = platforms.flatMap((platform) => {
		const own = accounts.filter((one) =>
			accountId ? one.id === accountId : one.platform === platform && one.isConnected,
		);
		return own.length === 1 ? own[0]!.title : [];
	});
	return uniq(names).join(', ');
}

/** A request's other name: a retry finds it also where it names the account in another way. */
export const accountName = (id: string): string => `account:${id}`;

/**
 * Where the item's posts go: each platform or account once, however it is named. What an earlier try sent is not looked up
 * again: the name may be another account's by now.
 * @throws Failure for what isn't a platform or an account, and what may be a target that was sent already
 */
export async function resolveTargets(item: Item, { postTo, platforms, accounts }: Chosen): Promise<Target[]> {
	const known = await accountsOf(item);
	const before = item.sentForItem('/posts');
	const resolve = postTo === 'platforms' ? platformTarget : accountTarget;
	const entries = postTo === 'platforms' ? platforms.map(canonicalEntry) : accounts;
	const targets = [...new Set(entries)].map((name) => {
		const sent = before.find(({ names }) => names.includes(name));
		const target = sent ? { ...targetOf(sent, name), sent } : resolve(name, known);
		if (target.sent || !target.accountId) return target;
		const id = accountName(target.accountId);
		return { ...target, sent: before.find(({ names }) => names.includes(id)) };
	});
	// A request has one account of a platform.
	const once = uniqBy(targets, ({ sent, platform, accountId, name }) =>
		sent ? `${sent.key} ${platform}` : (accountId ?? name),
	);
	refuseUnclear(before, once);
	return once;
}

const isKnownPlatform = (platform: string): boolean =>
	(knownPlatforms as readonly string[]).includes(platform);

/** `Twitter:acc_1` as `x:acc_1`; an account's ID stays as it is. */
function canonicalEntry(entry: string): string {
	const [given = '', ...account] = entry.split(':');
	const [platform, rest] = [canonicalPlatform(given), account.join(':').trim()];
	return rest ? `${platform}:${rest}` : isKnownPlatform(platform) ? platform : given.trim();
}

/** Where a request went. */
function targetOf({ record, names }: Sent, name: string): Target {
	const { platforms, accountId } = readPost(record);
	const own = platforms.find((platform) => name === platform || name.startsWith(`${platform}:`));
	const other = platforms.length === 1 ? accountIn(names) : undefined;
	return {
		platform: own ?? platforms[0] ?? name,
		accountId: accountId ?? other,
		isAccountNamed: accountId !== undefined,
		name,
	};
}

const accountIn = (names: readonly string[]): string | undefined =>
	names.find((name) => name.startsWith(accountName('')))?.slice(accountName('').length);

/** An entry of *Platform Names or IDs*: a platform, one of its accounts behind a colon, or an account alone. */
function platformTarget(name: string, accounts: Account[] | Failure): Target {
	const [given = '', ...rest] = name.split(':');
	const platform = canonicalPlatform(given);
	const label = 'Platform Names or IDs';
	if (accounts instanceof Failure) {
		// A name can't be looked up then, an ID is sent as it is.
		if (name.includes('@') || platform === '') throw accounts;
		const accountId = rest.join(':') || undefined;
		return { platform, name, ...(accountId ? { accountId } : {}), isAccountNamed: accountId !== undefined };
	}
	const own = accounts.filter((one) => one.platform === platform);
	if (rest.length > 0) return accountOn(name, findAccount(own, rest.join(':'), label));
	if (isKnownPlatform(platform) || own.length > 0) return onlyAccount(platform, accounts);
	const called = calledBy(accounts, name);
	if (called.length > 0) return accountOn(name, findAccount(accounts, name, label));
	throw refusal(
		'PLATFORM',
		`'${name.slice(0, 100)}' isn't a platform`,
		`Correct it in '${label}'. Platforms are: ${knownPlatforms.join(', ')}. To post to single accounts, choose them below their platform, or set 'Post To' to 'Accounts'.`,
	);
}

function accountTarget(name: string, accounts: Account[] | Failure): Target {
	if (accounts instanceof Failure) throw accounts;
	return accountOn(name, findAccount(accounts, name, 'Account Names or IDs'));
}

const plain = (text: string): string => text.trim().toLowerCase().replace(/^@/, '');

/** The accounts that an ID, a name or a @handle may mean. */
function calledBy(accounts: Account[], wanted: string): Account[] {
	const same = accounts.filter(({ id }) => id === wanted);
	if (same.length > 0) return same;
	return accounts.filter((one) =>
		[one.name, one.handle].some((own) =>
			[own, `${own} · ${one.platform}`, `${own} · ${titleOf(one.platform ?? '')}`].some(
				(text) => own !== undefined && plain(text!) === plain(wanted),
			),
		),
	);
}

const shownAccount = ({ title, id, platform }: Account): string =>
	`${title}${platform ? ` · ${titleOf(platform)}` : ''} (${id})`;

/** @throws Failure with up to three accounts to choose from where none or several are called so */
function findAccount(accounts: Account[], wanted: string, label: string): Account {
	const called = calledBy(accounts, wanted);
	if (called.length === 1) return called[0]!;
	const choice = called.length > 0 ? called : closestTo(accounts, wanted);
	const listed = `${choice.slice(0, 3).map(shownAccount).join(', ')}${choice.length > 3 ? ', …' : ''}`;
	const given = wanted.slice(0, 100);
	if (called.length > 1)
		throw refusal(
			'NAME_AMBIGUOUS',
			`'${label}' is ambiguous: ${called.length} accounts are called ${given}`,
			`Use one of these IDs: ${listed}.`,
		);
	throw refusal(
		'NAME_UNKNOWN',
		`'${label}' matches no account: ${given}`,
		choice.length > 0
			? `Accounts are: ${listed}. Choose one from the list or enter its ID.`
			: 'No account is connected there. Connect one in the service, or check the workspace.',
	);
}

/** Those whose name has what was given first. */
function closestTo(accounts: Account[], wanted: string): Account[] {
	const part = plain(wanted);
	const fits = ({ title, handle = '' }: Account): boolean =>
		plain(title).includes(part) || part.includes(plain(title)) || plain(handle).includes(part);
	return [...accounts.filter(fits), ...accounts.filter((one) => !fits(one))];
}

function accountOn(name: string, account: Account): Target {
	const { id, title, platform, isConnected } = account;
	if (!platform)
		throw refusal(
			'ACCOUNT_PLATFORM',
			`The service doesn't say which platform the account ${id} is on`,
			"Set 'Post To' to 'Platforms' and choose the platform there.",
		);
	const problem = isConnected ? undefined : notConnected(`The account ${shownAccount(account)}`);
	return { platform, accountId: id, account: title, isAccountNamed: true, name, problem };
}

const notConnected = (what: string): Failure =>
	refusal(
		'NOT_CONNECTED',
		`${what} is not connected to this workspace`,
		'Connect it in the service or remove it here.',
	);

/** A platform without an account: the one that is connected, else nobody would know which is meant. */
function onlyAccount(platform: string, accounts: Account[]): Target {
	const target = { platform, name: platform, isAccountNamed: false };
	const connected = accounts.filter((one) => one.platform === platform && one.isConnected);
	const [only] = connected;
	if (only && connected.length === 1) return { ...target, accountId: only.id, account: only.title };
	const title = titleOf(platform);
	if (connected.length > 1) {
		const names = connected.map((one) => `${one.title} (${one.id})`);
		const problem = refusal(
			'ACCOUNT_UNCLEAR',
			`${connected.length} ${title} accounts are connected: ${names.join(', ')}`,
			`Choose one of the accounts below ${title} in 'Platform Names or IDs', or set 'Post To' to 'Accounts'.`,
		);
		return { ...target, problem };
	}
	// An account of an unknown platform may be on this one.
	if (accounts.some((one) => one.platform === undefined)) return target;
	return { ...target, problem: notConnected(title) };
}

/** Whether two targets may be one and the same, though they are named differently. */
const mayBeSame = (a: Pick<Target, 'platform' | 'accountId'>, b: typeof a): boolean =>
	a.platform === b.platform && (a.accountId === undefined || b.accountId === undefined);

/** Refuses a target that may be another one of the item, or one that an earlier try sent under another name. */
function refuseUnclear(before: Sent[], targets: Target[]): void {
	const others = before.flatMap((sent) => {
		const { platforms, accountId } = readPost(sent.record);
		return platforms.map((platform) => ({
			...targetOf(sent, platform),
			platform,
			accountId: accountId ?? accountIn(sent.names),
		}));
	});
	for (const target of targets) {
		if (target.sent) continue;
		const sent = others.find((other) => mayBeSame(target, other));
		const twin = targets.find((other) => other !== target && mayBeSame(target, other));
		if (!sent && !twin) continue;
		throw refusal(
			'TARGET_UNCLEAR',
			sent
				? `An earlier try sent this post to ${titleOf(target.platform)}; '${target.name}' may be the same account`
				: `'${target.name}' and '${twin!.name}' may be the same account`,
			sent
				? 'Name it as in the first try. To post to another account, run the workflow again with only that one.'
				: 'Keep one of them.',
		);
	}
}

/**
 * Which targets share a request: in the integration guide's form none, in the quick start's the platforms without a text or
 * fields of their own.
 */
export function groupTargets<T extends Target>(targets: T[], isShared: (target: T) => boolean): T[][] {
	const shared = targets.filter(isShared);
	return [
		...(shared.length > 0 ? [shared] : []),
		...targets.filter((one) => !shared.includes(one)).map((one) => [one]),
	].sort(([a], [b]) => targets.indexOf(a!) - targets.indexOf(b!));
}

/**
 * Refuses a retry that groups platforms in another way than a request that may have been sent: it could only be sent twice
 * or reported wrongly.
 */
export function refuseRegrouped(item: Item, groups: Target[][]): void {
	const asked = groups.map((group) => group.map(({ platform }) => platform).sort());
	const names = ['', ...groups.flat().map((one) => one.name)];
	for (const before of item.sentForItem('/posts')) {
		if (!before.names.some((name) => names.includes(name))) continue;
		const sent = readPost(before.record).platforms;
		if (asked.some((group) => isEqual(group, [...sent].sort()))) continue;
		throw refusal(
			'PLATFORMS_CHANGED',
			`An earlier try of this execution sent this post to ${sent.map(titleOf).join(' and ')} in one request, or may have sent it`,
			'Choose exactly these platforms for the retry. To post to others, run the workflow again with only those.',
		);
	}
}
