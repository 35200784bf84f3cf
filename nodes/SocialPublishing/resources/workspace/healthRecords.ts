import groupBy from 'lodash/groupBy';
import type { IDataObject } from 'n8n-workflow';

import { terminalStatuses } from '../../../api/contract';
import { isRecord } from '../../../api/lists';
import { canonicalPlatform } from '../../../api/platforms';
import { readPost } from '../../../api/records';
import { isConnected } from '../../lookups/accounts';
import { excerpt } from '../../lookups/source';

/** What records show that *Check Health* asks. Most of their fields are not shown in the spec: each is read where it is there. */

export const idOf = ({ id }: IDataObject): string => String(id ?? '');

/** A time in ms; NaN where there is none. */
export const timeIn = (value: unknown): number => Date.parse(typeof value === 'string' ? value : '');

/** When a post is due, in ms; NaN where that isn't shown. */
export const dueAt = (post: IDataObject): number => timeIn(readPost(post).scheduledAt);

/** Whether a post is still to go out: not published, failed or canceled, and no draft. */
export const isOpen = ({ status, provider_post_id }: IDataObject): boolean =>
	status !== 'draft' && !provider_post_id && !(terminalStatuses as readonly unknown[]).includes(status);

/** Spec: the state while approval is pending is not shown. */
export const waitsForApproval = ({ status }: IDataObject): boolean =>
	typeof status === 'string' && /^(?!approved$).*(approv|review)/i.test(status);

/** Whether an approval, or an item of it, is undecided. */
export const isPending = ({ status }: IDataObject): boolean =>
	typeof status === 'string' && /pending|waiting|open|review/i.test(status);

/** The posts of an approval batch that nobody has decided on. */
export function pendingPostIds({ items, posts, post_ids }: IDataObject): string[] {
	const list: unknown[] = [items, posts, post_ids].find((one) => Array.isArray(one)) ?? [];
	return list
		.filter((one) => !isRecord(one) || one.status === undefined || isPending(one))
		.map((one) => String((isRecord(one) ? (one.post_id ?? one.id) : one) ?? ''));
}

const platformsOf = (record: IDataObject): string[] => readPost(record).platforms.map(canonicalPlatform);

const onPlatform = (accounts: IDataObject[], platform: string | undefined): IDataObject[] =>
	accounts.filter((one) => platform !== undefined && platformsOf(one)[0] === platform);

/** Whether a post goes to an account: to its ID, or to a platform that has no other connected account. */
export function goesTo(post: IDataObject, account: IDataObject, accounts: IDataObject[]): boolean {
	if (post.account_id) return String(post.account_id) === idOf(account);
	const [platform] = platformsOf(account);
	const others = onPlatform(accounts, platform).filter((one) => one !== account);
	return platformsOf(post).includes(platform ?? '') && !others.some(isConnected);
}

/** Posts with a time by account, as far as that is shown, else by platform; each list in the order in which they are due. */
export function perAccount(posts: IDataObject[], accounts: IDataObject[]): IDataObject[][] {
	const accountOf = (platform: string): string => {
		const [first, second] = onPlatform(accounts, platform);
		return first && !second ? idOf(first) : platform;
	};
	const placed = posts
		.filter((post) => !Number.isNaN(dueAt(post)))
		.flatMap((post) => {
			const places = post.account_id ? [String(post.account_id)] : platformsOf(post).map(accountOf);
			return places.map((place) => ({ post, place }));
		});
	return Object.values(groupBy(placed, 'place')).map((list) =>
		list.map(({ post }) => post).sort((a, b) => dueAt(a) - dueAt(b)),
	);
}

/** The text of a post, in one line; '' where it has or shows none. */
export const textOf = (post: IDataObject): string => (readPost(post).text ?? '').replace(/\s+/g, ' ').trim();

/** Why a post failed, in a few words; '' where that isn't shown. */
export function reasonOf({ error, error_message, failure_reason }: IDataObject): string {
	const value = (isRecord(error) ? (error.message ?? error.code) : error) ?? error_message ?? failure_reason;
	return excerpt(value).replace(/\.$/, '');
}

/** Whether a delivery is of this time, in ms, or later; one that shows no time is. */
export function isSince({ updated_at, created_at, occurred_at }: IDataObject, since: number): boolean {
	const time = timeIn(updated_at ?? created_at ?? occurred_at);
	return Number.isNaN(time) || time >= since;
}
