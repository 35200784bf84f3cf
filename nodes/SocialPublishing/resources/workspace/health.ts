import { countBy, map, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { deliveriesOf, lists } from '../../../api/contract';
import { pathSegment } from '../../../api/address';
import { iso, posts, type AskPosts } from '../../../api/postRange';
import { readAccounts, readDelivery, readPost, readSubscription } from '../../../api/records';
import { excerpt, firstFew } from '../../../api/texts';
import { hintOfMore, type Item } from '../../engine/item';
import { accountLabel } from '../../lookups/accounts';
import { postLabel } from '../../lookups/posts';
import { DAY_MS } from '../time';

/** What a check found. */
export interface Finding {
	status: 'ok' | 'warning' | 'problem';
	message: string;
	hint: string;
	facts: IDataObject & { count: number };
}

/** How long after its time a post counts as overdue. */
const OVERDUE_MS = 15 * 60_000;

/** Each looks at what the spec shows: at posts due by now, and so many days back at what failed. */
export const healthChecks: Readonly<Record<string, (item: Item, days: number) => Promise<Finding>>> = {
	async accounts(item) {
		const accounts = readAccounts(await read(item, lists.accounts));
		const lost = accounts.filter(({ isDisconnected }) => isDisconnected);
		const hint = "Reconnect the account in the service's dashboard.";
		if (accounts.length > 0)
			return finding(lost.length, 'Accounts to reconnect', 'warning', hint, {
				accounts: lost.map((one) => ({ id: one.id, name: accountLabel(one), status: one.status })),
			});
		const none = finding(1, '', 'warning', "Connect an account in the service's dashboard.", {});
		return { ...none, message: 'The workspace has no accounts.' };
	},

	async overdue_posts(item) {
		const latest = item.now - OVERDUE_MS;
		const listed = await readPosts(item, 'scheduled', { to: iso(latest) });
		const overdue = listed.filter(({ dueAt = Infinity }) => dueAt <= latest);
		const hint =
			"Look for the reason in the service's dashboard. Then give a new time (Post: Update) or cancel (Post: Cancel).";
		return finding(overdue.length, 'Overdue posts', 'problem', hint, postsIn(overdue));
	},

	async failed_posts(item, days) {
		const range = { from: iso(item.now - days * DAY_MS), to: iso(item.now) };
		const failed = await readPosts(item, 'failed', range);
		const counts = countBy(failed, ({ failureReason }) => excerpt(failureReason) || 'no reason given');
		const reasons = sortBy(Object.entries(counts), ([, count]) => -count);
		const named = firstFew(
			reasons.map(([reason, count]) => `${reason} (${count})`),
			3,
		);
		const hint = `Failed posts aren't retried. Fix the cause, then create them again. Reasons: ${named}`;
		const what = `Failed posts in the last ${period(days)}`;
		return finding(failed.length, what, 'problem', hint, postsIn(failed));
	},

	async webhooks(item, days) {
		const webhooks = (await read(item, lists.webhooks)).map(readSubscription);
		const since = item.now - days * DAY_MS;
		const checked = await Promise.all(
			webhooks.map(async ({ id = null, url = null, isDisabled: disabled }) => {
				return { id, url, disabled, dead_letters: id === null ? 0 : await deadLetters(item, id, since) };
			}),
		);
		const disabled = checked.filter((one) => one.disabled).length;
		const withLost = checked.filter((one) => one.dead_letters > 0).length;
		const wrong = { webhooks: checked.filter((one) => one.disabled || one.dead_letters > 0) };
		const hint =
			'Find out why with Webhook: Check Delivery. A published trigger repairs its own webhook and recovers what it missed.';
		if (disabled > 0) return finding(disabled, 'Disabled webhooks', 'problem', hint, wrong);
		const what = `Webhooks with deliveries that failed for good in the last ${period(days)}`;
		return finding(withLost, what, 'warning', hint, wrong);
	},
};

/** How many entries of a list stand in the facts. */
const MAX_IN_FACTS = 10;

function finding(
	count: number,
	what: string,
	status: Finding['status'],
	hint: string,
	lists: Record<string, unknown[]>,
): Finding {
	if (count === 0) return { status: 'ok', message: `${what}: 0.`, hint: 'Nothing to do.', facts: { count } };
	const first = Object.entries(lists).map(([name, list]) => [name, list.slice(0, MAX_IN_FACTS)]);
	return { status, message: `${what}: ${count}.`, hint, facts: { count, ...Object.fromEntries(first) } };
}

async function read(item: Item, request: Parameters<Item['list']>[0]): Promise<IDataObject[]> {
	const listed = await item.list(request);
	hintOfMore(item, listed);
	return listed.records;
}

/** Spec, "Webhook delivery status": what the service no longer retries. */
async function deadLetters(item: Item, id: string, since: number): Promise<number> {
	const request = { ...deliveriesOf(pathSegment(id, 'Webhook')), qs: { status: 'dead_letter' } };
	return (await read(item, request)).map(readDelivery).filter(({ at = since }) => at >= since).length;
}

/** The posts in one status, of ten years or from a time on. */
async function readPosts(item: Item, status: string, range: { from?: string; to: string }) {
	const ask: AskPosts = async (part) => await item.list({ ...lists.posts, qs: { ...part, status } });
	const records = await posts(ask, range, item.now, Infinity);
	return records
		.map((record) => ({ ...readPost(record), label: postLabel(record, item.zone) }))
		.filter((post) => post.status === status);
}

const postsIn = (list: Awaited<ReturnType<typeof readPosts>>) => ({
	posts: map(list, 'label'),
	post_ids: map(list, 'id'),
});

const period = (days: number): string => (days === 1 ? 'day' : `${days} days`);
