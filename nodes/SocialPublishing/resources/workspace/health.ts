import { countBy, filter, map, pick, sortBy, sumBy, trimEnd } from 'lodash';

import { lists } from '../../../api/contract';
import { Failure, toFailure } from '../../../api/failure';
import type { Listed } from '../../../api/pages';
import { iso, posts, type AskPosts } from '../../../api/postRange';
import { factOf, readAccounts, readPost, readSubscription } from '../../../api/records';
import { excerpt, firstFew } from '../../../api/texts';
import type { Item } from '../../engine/item';
import { accountLabel } from '../../lookups/accounts';
import { postLabel } from '../../lookups/posts';
import { DAY_MS } from '../time';
import { listedDeliveries } from '../webhook/getDeliveries';

export interface Findings {
	/** How many there are of what is wrong, or can't be known; the first is what the check is for. */
	counts: Record<string, number>;
	note?: string | false | undefined;
	/** Whether posts or events are late or lost; anything else is a warning. */
	isProblem?: boolean;
	hint: string;
	/** Each begins with what matters most. */
	lists: Record<string, unknown[]>;
}

/** Each on what the spec shows, so many days ahead at what is due and back at what failed; throws what can't be read. */
export const healthChecks: Readonly<Record<string, (item: Item, days: number) => Promise<Findings>>> = {
	accounts: checkAccounts,
	overdue_posts: checkOverduePosts,
	failed_posts: checkFailedPosts,
	webhooks: checkWebhooks,
};

/** How long after its time a post counts as overdue. */
const OVERDUE_MS = 15 * 60_000;

/** What there is to say of a list that may not be whole. */
const noteOf = ({ hasMore, isComplete }: Pick<Listed, 'hasMore' | 'isComplete'>): string | false =>
	!isComplete &&
	(hasMore
		? "The service has more of them, but the next page couldn't be read."
		: 'The service may have more of them than it listed.');

async function checkAccounts(item: Item, days: number): Promise<Findings> {
	const read = await item.list(lists.accounts);
	const { all, isWhole } = readAccounts(read);
	const accounts = all.map((one) => ({ ...one, name: accountLabel(one) }));
	const lost = accounts.filter(({ connected }) => factOf(connected) === false);
	const unknown = accounts.filter(({ connected }) => factOf(connected) === undefined);
	const range = { from: iso(item.now), to: iso(item.now + days * DAY_MS) };
	const listed =
		lost.length > 0 ? await readPosts(item, 'scheduled', range).catch(toFailure) : { posts: [], note: '' };
	const isLost = (meant: typeof all): boolean =>
		meant.length > 0 && meant.every(({ connected }) => factOf(connected) === false);
	const isOn = (name: string) => all.filter(({ platform }) => factOf(platform) === name);
	// A post that names no account can go to any of its platform.
	const isStuck = (id: string | undefined, platforms: string[]): boolean =>
		id === undefined
			? isWhole && platforms.some((name) => isLost(isOn(name)))
			: isLost(all.filter((one) => one.id === id));
	const due = (listed instanceof Failure ? [] : listed.posts).filter(
		({ isOpen, accountId, platforms }) => isOpen && isStuck(accountId, platforms),
	);
	const names = firstFew(map([...lost, ...unknown], 'name'), 3);
	return {
		counts: {
			'Disconnected accounts': lost.length,
			[`Posts due there in the next ${period(days)}`]: due.length,
			"Accounts that don't say whether they are connected": unknown.length,
		},
		note:
			listed instanceof Failure
				? `Posts due there could not be read: ${trimEnd(listed.message, '.')}.`
				: noteOf(read) || listed.note || (accounts.length === 0 && 'The workspace has no accounts.'),
		isProblem: due.length > 0,
		hint: `Connect accounts in the service's dashboard${names ? `: ${names}` : '.'}`,
		lists: {
			disconnected: lost.map((one) => pick(one, 'id', 'name')),
			unknown: map(unknown, 'name'),
			...postLists(due),
		},
	};
}

async function checkOverduePosts(item: Item): Promise<Findings> {
	const latest = item.now - OVERDUE_MS;
	const listed = await readPosts(item, 'scheduled', { to: iso(latest) });
	// A time of null means "at once".
	const overdue = listed.posts.filter(
		({ isOpen, scheduledAt, dueAt = latest }) => isOpen && scheduledAt !== null && dueAt <= latest,
	);
	const withoutTime = overdue.filter(({ dueAt }) => dueAt === undefined);
	return {
		counts: {
			'Overdue posts': overdue.length,
			'Waiting for approval': overdue.filter(({ awaitsApproval }) => awaitsApproval).length,
			'Without a time that can be read': withoutTime.length,
		},
		note: listed.note,
		isProblem: withoutTime.length < overdue.length,
		hint: "Look for the reason in the service's dashboard. Then give a new time (Post: Update) or cancel (Post: Cancel).",
		lists: postLists(overdue),
	};
}

async function checkFailedPosts(item: Item, days: number): Promise<Findings> {
	const range = { from: iso(item.now - days * DAY_MS), to: iso(item.now) };
	const listed = await readPosts(item, 'failed', range);
	const failed = listed.posts.filter(({ status }) => status === 'failed' || status === 'unknown');
	const counts = countBy(failed, ({ failureReason }) => excerpt(failureReason) || 'no reason given');
	const reasons = sortBy(Object.entries(counts), ([, count]) => -count);
	const causes = firstFew(
		reasons.map(([reason, count]) => `${reason} (${count})`),
		3,
	);
	return {
		counts: { [`Failed posts in the last ${period(days)}`]: failed.length },
		note: listed.note,
		isProblem: failed.length > 0,
		hint: `Failed posts aren't retried. Fix the cause, then create them again.${causes && ` Reasons: ${causes}`}`,
		lists: postLists(failed),
	};
}

async function checkWebhooks(item: Item, days: number): Promise<Findings> {
	const listed = await item.list(lists.webhooks);
	const since = item.now - days * DAY_MS;
	const webhooks = await Promise.all(
		listed.records
			.map(readSubscription)
			.filter(({ isDeleted }) => !isDeleted)
			.map(async (one) => ({ ...one, ...(await readDeadLetters(item, one.id, since)) })),
	);
	const disabled = webhooks.filter(({ isDisabled }) => isDisabled);
	const unknown = webhooks.filter(({ isStateUnknown }) => isStateUnknown);
	const unread = webhooks.flatMap(({ dead }) => (dead instanceof Failure ? [dead] : []));
	const lost = sumBy(webhooks, ({ dead }) => Number(dead) || 0);
	const wrong = webhooks.filter((one) => one.isDisabled || one.isStateUnknown || one.isPart || one.dead);
	return {
		counts: {
			'Disabled webhooks': disabled.length,
			[`Deliveries that failed for good in the last ${period(days)}`]: lost,
			"Webhooks that don't say whether they are disabled": unknown.length,
			'Webhooks whose deliveries could not be read': unread.length,
			'Webhooks that may have more deliveries than were read': filter(webhooks, 'isPart').length,
		},
		note: unread[0] ? `${trimEnd(unread[0].message, '.')}.` : noteOf(listed),
		isProblem: disabled.length > 0,
		hint: 'Find out why with Webhook: Check Delivery. A published trigger repairs its own webhook and recovers what it missed.',
		lists: {
			webhooks: wrong.map(({ id = null, url = null, isDisabled, isStateUnknown, dead, isPart }) => ({
				...{ id, url, disabled: isStateUnknown ? null : isDisabled },
				dead_letters: dead instanceof Failure || isPart ? null : dead,
			})),
		},
	};
}

/** Spec, "Webhook delivery status": what the service no longer retries. One without a time counts, too. */
async function readDeadLetters(item: Item, id: string | undefined, since: number) {
	// Until it is one, a delivery is retried for a while.
	const read = await listedDeliveries(item, id, 'dead_letter', since - DAY_MS).catch(toFailure);
	if (read instanceof Failure) return { dead: read };
	const { deliveries, isPart } = read;
	const dead = deliveries.filter(({ status, at = since }) => status === 'dead_letter' && at >= since).length;
	return { dead, isPart };
}

/** The posts in one status, of ten years or from a time on. */
async function readPosts(item: Item, status: string, range: { from?: string; to: string }) {
	const ask: AskPosts = async (part) => await item.list({ ...lists.posts, qs: { ...part, status } });
	const { records, isUnclear } = await posts(ask, range, item.now, Infinity);
	return {
		posts: records.map((record) => ({ ...readPost(record), label: postLabel(record, item.zone) })),
		note: isUnclear ? 'The service may have more posts than it listed.' : '',
	};
}

const postLists = (list: Awaited<ReturnType<typeof readPosts>>['posts']) => ({
	posts: list.map(({ label }) => label),
	post_ids: list.map(({ id }) => id ?? null),
});

const period = (days: number): string => (days === 1 ? 'day' : `${days} days`);
