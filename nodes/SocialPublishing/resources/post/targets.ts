import { lowerFirst, sortBy, uniq, uniqBy, xor } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import {
	canonicalPlatform,
	isPlatform,
	lists,
	platforms as knownPlatforms,
	titleOf,
} from '../../../api/contract';
import { Failure, refusal, toFailure } from '../../../api/failure';
import { factOf, placeIn, readAccounts, type Account, type Accounts } from '../../../api/records';
import { filled, firstFew, shortened, visible } from '../../../api/texts';
import type { Item } from '../../engine/item';
import { accountLabel } from '../../lookups/accounts';
import type { NamedDestination } from '../../writes/continued';
import type { KeyMode } from '../../writes/key';
import type { CreateParams } from './createFields';

/** Its account: the one that the user named, or the only one that is connected to the platform. */
export interface Target extends NamedDestination {
	account?: string;
	/** The only one that is listed, where nothing but the length of the list says that there may be others. */
	listedId?: string;
	/** The user named the account: its ID goes along. */
	isAccountNamed: boolean;
	/** Its account's ID as the service writes it, which may be a number. */
	sentId?: IDataObject[string];
	/** Why nothing can be posted there. */
	problem?: Failure;
	/** What could not be read of its account. */
	warning?: string;
}

export type Chosen = Pick<CreateParams, 'postTo' | 'platforms' | 'accounts'>;

/** `failure`: why none of them could be read. */
type ReadAccounts = Accounts & { failure?: Failure };

/** The workspace's accounts: asked for once a run. @throws Failure where the key is refused */
export const accountsOf = async (item: Item): Promise<ReadAccounts> =>
	await item.once('accounts', async () => {
		const listed = await item.list(lists.accounts).catch(toFailure);
		if (!(listed instanceof Failure)) return readAccounts(listed);
		if (listed.details.status === 401) throw listed;
		const unclear = [`The accounts could not be read (${lowerFirst(listed.message)})`];
		return { all: [], unclear, isWhole: false, hasMore: false, failure: listed };
	});

const isOn = ({ platform: known }: Account, platform: string): boolean => factOf(known) === platform;

/** The accounts of a platform that aren't said to be disconnected. */
const on = (platform: string, accounts: Account[]): Account[] =>
	accounts.filter((one) => isOn(one, platform) && factOf(one.connected) !== false);

/** Where a row asks to post, in its words: what can't be found has a problem. @throws Failure where the key is refused */
export async function resolveTargets(item: Item, { postTo, platforms, accounts }: Chosen): Promise<Target[]> {
	const known = await accountsOf(item);
	const isByPlatform = postTo === 'platforms';
	const asked = (isByPlatform ? platforms : accounts).map((entry): AskedTarget => {
		const { place, accountId: name = entry } = placeIn(entry, known.all);
		return isByPlatform ? parsed(place || entry, known) : { name, wanted: name };
	});
	return uniqBy(asked, 'name').map((one) => {
		const { name, wanted } = one;
		try {
			return wanted === undefined
				? onlyAccount(name, known, item.keyMode)
				: namedAccount({ ...one, wanted }, known, isByPlatform);
		} catch (error) {
			return { name, platform: '', account: name, isAccountNamed: false, problem: toFailure(error) };
		}
	});
}

interface AskedTarget {
	name: string;
	/** Of an account: where the user says that it is. */
	platform?: string;
	/** The account; left out: the name is a platform's. */
	wanted?: string;
}

/** An entry of *Platform Names or IDs*, such as `Twitter`, `Twitter:acc_1` or `acc_1`. */
function parsed(entry: string, { all, unclear, failure }: ReadAccounts): AskedTarget {
	const [given = '', ...rest] = entry.split(':');
	const [platform, wanted] = [canonicalPlatform(given.replace(unseen, '')), rest.join(':').trim()];
	const isListed = isPlatform(platform) || all.some((one) => isOn(one, platform));
	// A colon may be a part of an account's name, of an address, or of an object.
	const mayBeListed = unclear.length > 0 && /^[\p{L}\p{N}_.-]+$/u.test(platform) && !/^\/\/|\s/.test(wanted);
	if (wanted && (isListed || (mayBeListed && calledBy(all, entry).length === 0)))
		return { name: `${platform}:${wanted}`, platform, wanted };
	// Where accounts can't be read, what isn't written like one is taken for a platform.
	const mayBeOne = failure && platform && !platform.includes('@');
	const whole = wanted ? entry.trim() : given.trim();
	return !wanted && (mayBeOne || isListed) ? { name: platform } : { name: whole, wanted: whole };
}

const unseen = /[\p{Cf}\p{DI}]/gu;

/** A name as it is compared: without what can't be seen, and in one of the ways in which its letters are stored. */
const comparable = (text: string): string =>
	text
		.normalize('NFC')
		.replace(unseen, '')
		.replace(/[\u2018\u2019\u02bc\u00b4`]/g, "'")
		.replace(/[\u201c\u201d]/g, '"')
		.replace(/[\u2010-\u2013]/g, '-')
		.replace(/\s+/g, ' ')
		.trim()
		.toLowerCase()
		.replace(/^@/, '');

const shortNames: Readonly<Record<string, string>> = {
	...{ bsky: 'bluesky', fb: 'facebook', ig: 'instagram', insta: 'instagram', li: 'linkedin' },
	...{ tt: 'tiktok', tw: 'x', tweet: 'x', yt: 'youtube' },
};

/** The platforms that a misspelt name, or several in one, may mean. */
function meantPlatform(name: string): string | undefined {
	const given = comparable(name.normalize('NFKC'));
	const letters = given.replace(/[^a-z]/g, '');
	const parts = given.split(/[^a-z]+/).map((part) => shortNames[part] ?? canonicalPlatform(part));
	const named = uniq(parts.filter(isPlatform));
	if (named.length > 0) return named.join(', ');
	const isClose = (one: string): boolean =>
		one.length > 1 && letters.length > 4 && one[0] === letters[0] && xor([...letters], [...one]).length < 3;
	return knownPlatforms.find((one) => one === letters) ?? knownPlatforms.find(isClose);
}

/** The accounts that an ID, a name or a @handle may mean, alone or as the list shows it. */
function calledBy(accounts: Account[], wanted: string): Account[] {
	const same = accounts.filter(({ id }) => id === wanted);
	const isCalled = ({ name, handle, platform }: Account): boolean =>
		filled([name, handle]).some((own) =>
			[own, `${own} · ${factOf(platform)}`].map(comparable).includes(comparable(wanted)),
		);
	return same.length > 0 ? same : accounts.filter(isCalled);
}

const shownAccount = (account: Account): string => `${accountLabel(account)} (${account.id ?? 'no ID'})`;

/** The account that is called `wanted`. @throws Failure where none or several are, or the service doesn't say where it is */
function namedAccount(
	{ name, platform, wanted }: Required<Pick<AskedTarget, 'name' | 'wanted'>> & AskedTarget,
	accounts: ReadAccounts,
	isByPlatform: boolean,
): Target {
	const { all, unclear, failure } = accounts;
	const mayBeThere = (one: Account) =>
		!platform || (factOf(one.platform) ?? one.mayBe ?? platform) === platform;
	const candidates = all.filter(mayBeThere);
	const called = calledBy(candidates, wanted);
	const [account, another] = called;
	const isId = called.every(({ id }) => id === wanted);
	// Which account it is, or that it isn't listed, is no fact: its ID goes as it is.
	if (platform && (account ? another && isId : unclear.length > 0 && !name.includes('@'))) {
		const found = account ? 'may be several' : 'is none';
		const warning = `'${shortened(wanted)}' ${found} of the accounts that could be read: ${unclear.join(', ')}`;
		return { platform, accountId: wanted, sentId: account?.sentId, isAccountNamed: true, name, warning };
	}
	if (!account && failure) throw failure;
	if (!account && isByPlatform && platform === undefined) {
		const meant = meantPlatform(name);
		throw refusal(
			'PLATFORM',
			`'${visible(name)}' isn't a platform${meant ? ` (did you mean ${meant}?)` : ''}`,
			`Correct it in 'Platform Names or IDs'. Platforms are: ${knownPlatforms.join(', ')}. To post to single accounts, choose them in the list, or set 'Post To' to 'Accounts'.`,
		);
	}
	if (!account || another) {
		const label = isByPlatform ? 'Platform Names or IDs' : 'Account Names or IDs';
		const choice = another ? called : closestTo(candidates, wanted);
		const listed = firstFew(choice.map(shownAccount), 3);
		const unread = !another && unclear.length > 0 ? ` (${unclear.join(', ')})` : '';
		throw refusal(
			another ? 'NAME_AMBIGUOUS' : 'NAME_UNKNOWN',
			`'${label}' matches ${another ? `${called.length} accounts` : 'no account'}: ${visible(wanted)}${unread}`,
			another && isId
				? chooseThere
				: choice.length > 0
					? `Choose one from the list or enter its ID: ${listed}.`
					: 'The service lists no account there. Connect one in the service, or check the workspace.',
		);
	}
	const { id, sentId, title, mayBe, connected } = account;
	const place = platform ?? factOf(account.platform) ?? mayBe;
	// Without an ID, its platform is enough where it is the only one.
	if (place && !id && on(place, all).length === 1) return { ...onlyAccount(place, accounts), name };
	if (!place || !id)
		throw refusal(
			'ACCOUNT_PLATFORM',
			`The service doesn't say which ${place ? 'ID' : 'platform'} the account ${shownAccount(account)} ${place ? 'has' : 'is on'}`,
			chooseThere,
		);
	// An ID may be one of its platform alone.
	const isSure = factOf(account.platform) !== undefined || all.filter((one) => one.id === id).length === 1;
	const isLost = isSure && factOf(connected) === false;
	const problem = isLost ? notConnected(`The account ${shownAccount(account)}`) : undefined;
	return { platform: place, accountId: id, sentId, account: title, isAccountNamed: true, name, problem };
}

const chooseThere = "Set 'Post To' to 'Platforms' and choose the platform there.";

/** Those whose name has what was given first, then those with the most letters in common. */
function closestTo(accounts: Account[], wanted: string): Account[] {
	const part = comparable(wanted);
	const isPart = ({ title, handle = '' }: Account): boolean =>
		[comparable(title), comparable(handle)].some((name) => name.includes(part)) ||
		part.includes(comparable(title));
	return sortBy(accounts, [
		(one) => !isPart(one),
		({ title }) => xor([...part], [...comparable(title)]).length,
	]);
}

const notConnected = (what: string): Failure =>
	refusal(
		'NOT_CONNECTED',
		`${what} is not connected to this workspace`,
		'Connect it in the service or remove it here.',
	);

const otherKey = ' Rows that earlier runs sent without an account would be posted again: leave them out.';

/** A platform without an account: the one that is connected, else nobody would know which is meant. */
function onlyAccount(
	platform: string,
	{ all, unclear, isWhole, hasMore }: Accounts,
	keyMode: KeyMode = 'execution',
): Target {
	const connected = on(platform, all);
	const [only, another] = connected;
	const account = isWhole && only && !another ? { accountId: only.id, account: only.title } : {};
	const target = { platform, name: platform, isAccountNamed: false, ...account };
	const title = titleOf(platform);
	const withId = connected.filter(({ id }) => id !== undefined);
	if (withId.length > 1)
		return {
			...target,
			problem: refusal(
				'ACCOUNT_UNCLEAR',
				`The workspace has ${withId.length} ${title} accounts: ${withId.map(shownAccount).join(', ')}`,
				`Choose one of these accounts in 'Platform Names or IDs', or set 'Post To' to 'Accounts'.${keyMode === 'execution' ? '' : otherKey}`,
			),
		};
	if (!only && unclear.length === 0) return { ...target, problem: notConnected(title) };
	const isUnsure = (one: Account): boolean =>
		'is' in one.platform
			? connected.includes(one) &&
				(one.id === undefined || Boolean('unclear' in one.connected && one.connected.unclear))
			: (one.mayBe ?? platform) === platform;
	if (only && !hasMore && !all.some(isUnsure)) return { ...target, listedId: only.id };
	const warning = `${unclear.join(', ')}; ${title} is posted to whichever account the service uses`;
	return { ...target, warning };
}
