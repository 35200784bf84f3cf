import { omit, pick, pickBy } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { lists } from '../../../api/contract';
import { accountNames, readAccounts, readPost } from '../../../api/records';
import type { Item } from '../../engine/item';
import { localTime } from '../time';
import { times } from './when';

/** What people look for in a post, in the order in which the output has it. */
export const columns = [
	...['platform', 'account', 'status', 'reason', 'published_at_local', 'scheduled_at_local'],
	...['text', 'link', 'id'],
];

export const simplify = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const satisfies INodeProperties;

export const inOrder = (post: IDataObject): IDataObject => ({
	...pickBy(pick(post, columns), (value) => value !== undefined),
	...omit(post, columns),
});

/** A post of the service with Create's columns first, or these alone; `account`: what to call where it goes. */
export function asRow(post: IDataObject, zone: string, isSimple = false, account?: string): IDataObject {
	const { platforms, text, scheduledAt, publishedAt, link, failureReason } = readPost(post);
	const platform = platforms.join(', ') || undefined;
	const local = pick(times(scheduledAt, zone), 'scheduled_at_local');
	const published_at_local = localTime(publishedAt, zone) ?? undefined;
	// Why it failed; the whole record says it itself.
	const reason = isSimple ? failureReason : undefined;
	const found = { platform, account, reason, published_at_local, text, link };
	const missing = pickBy(found, (value, name) => value !== undefined && (post[name] ?? null) === null);
	const row = inOrder({ ...post, ...missing, ...local });
	return isSimple ? pick(row, columns) : row;
}

/** The same of a post that the service answered with; what its accounts are called, the service is asked once a run. */
export async function namedRow(post: IDataObject, item: Item, isSimple = false): Promise<IDataObject> {
	if (post.account || readPost(post).platforms.length === 0) return asRow(post, item.zone, isSimple);
	const accounts = await item.listAside(lists.accounts, ({ records }) => readAccounts(records));
	return asRow(post, item.zone, isSimple, accounts ? accountNames(post, accounts) : '');
}
