import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';
import uniqBy from 'lodash/uniqBy';
import xor from 'lodash/xor';
import type { IDataObject } from 'n8n-workflow';

import { platforms as knownPlatforms } from '../../../api/contract';
import { Failure, refusal, toFailure } from '../../../api/failure';
import { canonicalPlatform, titleOf } from '../../../api/platforms';
import { readAccount, readPost, type Account } from '../../../api/records';
import type { Item } from '../../engine/item';
import { accounts as accountSource } from '../../lookups/accounts';
import { filled, shortened } from '../../lookups/source';
import type { Sent } from '../../writes/write';
import type { CreateParams } from './createFields';
import { mayBeOn } from './queue';

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

export type Chosen = Pick<CreateParams, 'postTo' | 'platforms' | 'accounts'>;

/** The workspace's accounts, or why they can't be read: asked for once a run. */
export const accountsOf = async (item: Item): Promise<Account[] | Failure> =>
	await item.once('accounts', async () => {
		const listed = await item.list(accountSource).catch(toFailure);
		return listed instanceof Failure ? listed : uniqBy(listed.records.map(readAccount), 'id');
	});

/** What to call the accounts that a post goes to, where that is certain. */
export function accountNames(record: IDataObject, accounts: Account[] | Failure): string {
	if (accounts instanceof Failure) return '';
	const { accountId, platforms } = readPost(record);
	const found = accountId
		? [accounts.filter(({ id }) => id === accountId)]
		: platforms.map((platform) => connectedTo(platform, accounts));
	return uniq(found.flatMap(([only, another]) => (only && !another ? only.title : []))).join(', ');
}

const connectedTo = (platform: string, accounts: Account[]): Account[] =>
	accounts.filter((one) => one.platform === platform && one.isConnected);

/** A request's other name: a retry finds it also where it names the account in another way. */
export const accountName = (platform: string, id: string): string => `account:${platform}:${id}`;

/**
 * Where the item's posts go, each platform or account once. What an earlier try sent is not looked up again: the name may be
 * another account's by now.
 * @throws Failure for what isn't a platform or an account, and what may be a target that was sent already
 */
export async function resolveTargets(item: Item, { postTo, platforms, accounts }: Chosen): Promise<Target[]> {
	const known = await accountsOf(item);
	const before = item.sentForItem('/posts');
	const sentAs = (name: string): Sent | undefined => before.find(({ names }) => names.includes(name));
	const [entries, resolve] =
		postTo === 'platforms' ? [platforms.map(canonicalEntry), platformTarget] : [accounts, accountTarget];
	const targets = uniq(entries).map((name) => {
		const sent = sentAs(name);
		if (sent) return { ...targetOf(sent, name, known), sent };
		const target = resolve(name, known);
		const renamed = target.accountId && sentAs(accountName(target.platform, target.accountId));
		return renamed ? { ...target, isAccountNamed: isAccountNamed(renamed), sent: renamed } : target;
	});
	// A request has one account of a platform.
	const once = uniqBy(targets, ({ sent, platform, accountId, name }) =>
		accountId ? `${platform} ${accountId}` : sent ? `${sent.key} ${platform}` : name,
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
function targetOf(sent: Sent, name: string, accounts: Account[] | Failure = []): Target {
	const { platforms, accountId } = readPost(sent.record);
	const own = platforms.find((platform) => name === platform || name.startsWith(`${platform}:`));
	const platform = own ?? platforms[0] ?? name;
	const prefix = accountName(platform, '');
	const known = sent.names.find((one) => one.startsWith(prefix))?.slice(prefix.length);
	const id = accountId ?? known;
	const account = accountNames({ account_id: id }, accounts) || undefined;
	return { platform, accountId: id, account, isAccountNamed: isAccountNamed(sent), name };
}

/** It decides which platforms share a request: a retry asks for the same requests, however accounts are named by then. */
const isAccountNamed = ({ record }: Sent): boolean => readPost(record).accountId !== undefined;

/** An entry of *Platform Names or IDs*: a platform, one of its accounts behind a colon, or an account alone. */
function platformTarget(name: string, accounts: Account[] | Failure): Target {
	const [given = '', ...rest] = name.split(':');
	const platform = canonicalPlatform(given);
	const wanted = rest.join(':');
	const label = 'Platform Names or IDs';
	if (accounts instanceof Failure) {
		// A name can't be looked up then, an ID is sent as it is.
		if (name.includes('@') || platform === '') throw accounts;
		return { platform, name, accountId: wanted || undefined, isAccountNamed: wanted !== '' };
	}
	const own = accounts.filter((one) => one.platform === platform);
	if (wanted) return accountTarget(name, own, wanted, label);
	if (isKnownPlatform(platform) || own.length > 0) return onlyAccount(platform, accounts);
	if (calledBy(accounts, name).length > 0) return accountTarget(name, accounts, name, label);
	throw refusal(
		'PLATFORM',
		`'${shortened(name)}' isn't a platform`,
		`Correct it in '${label}'. Platforms are: ${knownPlatforms.join(', ')}. To post to single accounts, choose them below their platform, or set 'Post To' to 'Accounts'.`,
	);
}

const plain = (text: string): string => text.trim().toLowerCase().replace(/^@/, '');

/** The accounts that an ID, a name or a @handle may mean, alone or as the list shows it. */
function calledBy(accounts: Account[], wanted: string): Account[] {
	const same = accounts.filter(({ id }) => id === wanted);
	const isCalled = ({ name, handle, platform }: Account): boolean =>
		filled([name, handle]).some((own) => [own, `${own} · ${platform}`].map(plain).includes(plain(wanted)));
	return same.length > 0 ? same : accounts.filter(isCalled);
}

const shownAccount = ({ title, id, platform = '' }: Account): string =>
	`${filled([title, titleOf(platform)]).join(' · ')} (${id})`;

/** The account that is called `wanted`. @throws Failure with up to three to choose from where none or several are */
function accountTarget(
	name: string,
	accounts: Account[] | Failure,
	wanted = name,
	label = 'Account Names or IDs',
): Target {
	if (accounts instanceof Failure) throw accounts;
	const called = calledBy(accounts, wanted);
	const [account, another] = called;
	if (!account || another) {
		const choice = another ? called : closestTo(accounts, wanted);
		const listed = `${choice.slice(0, 3).map(shownAccount).join(', ')}${choice.length > 3 ? ', …' : ''}`;
		throw refusal(
			another ? 'NAME_AMBIGUOUS' : 'NAME_UNKNOWN',
			`'${label}' matches ${another ? `${called.length} accounts` : 'no account'}: ${shortened(wanted)}`,
			choice.length > 0
				? `Choose one from the list or enter its ID: ${listed}.`
				: 'No account is connected there. Connect one in the service, or check the workspace.',
		);
	}
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

/** Those whose name has what was given first. */
const closestTo = (accounts: Account[], wanted: string): Account[] =>
	sortBy(accounts, ({ title, handle = '' }) => {
		const [part, name] = [plain(wanted), plain(title)];
		return !(name.includes(part) || part.includes(name) || plain(handle).includes(part));
	});

const notConnected = (what: string): Failure =>
	refusal(
		'NOT_CONNECTED',
		`${what} is not connected to this workspace`,
		'Connect it in the service or remove it here.',
	);

/** A platform without an account: the one that is connected, else nobody would know which is meant. */
function onlyAccount(platform: string, accounts: Account[]): Target {
	const target = { platform, name: platform, isAccountNamed: false };
	const connected = connectedTo(platform, accounts);
	const [only, another] = connected;
	const title = titleOf(platform);
	if (only && !another) return { ...target, accountId: only.id, account: only.title };
	// An account of an unknown platform may be on this one.
	if (!only && accounts.some((one) => one.platform === undefined)) return target;
	const problem = another
		? refusal(
				'ACCOUNT_UNCLEAR',
				`${connected.length} ${title} accounts are connected: ${connected.map(shownAccount).join(', ')}`,
				`Choose one of the accounts below ${title} in 'Platform Names or IDs', or set 'Post To' to 'Accounts'.`,
			)
		: notConnected(title);
	return { ...target, problem };
}

/** Refuses a target that may be another one of the item, or one that an earlier try sent under another name. */
function refuseUnclear(before: Sent[], targets: Target[]): void {
	const earlier = before.flatMap((sent) =>
		readPost(sent.record).platforms.map((platform) => targetOf(sent, platform)),
	);
	for (const target of targets) {
		const others = [...targets, ...(target.sent ? [] : earlier)];
		const twin = others.find((other) => other !== target && mayBeOn(other, target));
		if (!twin) continue;
		const what = earlier.includes(twin)
			? `An earlier try sent this post to ${titleOf(target.platform)}; '${target.name}'`
			: `'${target.name}' and '${twin.name}'`;
		throw refusal(
			'TARGET_UNCLEAR',
			`${what} may be the same account`,
			'Keep one of them, named as in the first try. To post to another account, run the workflow again with only that one.',
		);
	}
}

/** Refuses to group platforms in another way than a request that may have been sent: they could be sent twice. */
export function refuseRegrouped(item: Item, groups: Target[][]): void {
	const asked = groups.map((group) => group.map(({ platform }) => platform));
	const wanted = ['', ...groups.flat().map(({ name }) => name)];
	for (const { names, record } of item.sentForItem('/posts')) {
		const sent = readPost(record).platforms;
		const isKept = asked.some((group) => xor(group, sent).length === 0);
		if (isKept || !names.some((name) => wanted.includes(name))) continue;
		throw refusal(
			'PLATFORMS_CHANGED',
			`An earlier try of this execution sent this post to ${sent.map(titleOf).join(' and ')} in one request, or may have sent it`,
			'Choose exactly these platforms for the retry. To post to others, run the workflow again with only those.',
		);
	}
}
