import groupBy from 'lodash/groupBy';
import sumBy from 'lodash/sumBy';
import uniqBy from 'lodash/uniqBy';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { limits } from '../../../api/contract';
import type { Failure } from '../../../api/errors';
import { readSubscription } from '../../../api/records';
import { accounts as accountSource, isConnected } from '../../lookups/accounts';
import { postLabel } from '../../lookups/posts';
import {
	dueAt,
	goesTo,
	idOf,
	isOpen,
	isPending,
	isSince,
	pendingPostIds,
	perAccount,
	reasonOf,
	textOf,
	timeIn,
	waitsForApproval,
} from './healthRecords';
import { usageLimits, type UsageLimit } from './usageLimits';

/** What is read of the service, each in a request or more of its own. */
export type Part = 'accounts' | 'usage' | 'approvals' | 'webhooks' | 'failed' | 'overdue' | 'upcoming';

/** What the service shows of a workspace; a part that could not be read is missing and in `unread`. */
export interface Snapshot {
	/** In ms. */
	now: number;
	/** How many days to look ahead and back. */
	days: number;
	/** The workflow's time zone, an IANA name. */
	zone: string;
	unread: Partial<Record<Part, Failure>>;
	accounts?: IDataObject[];
	/** Posts in the state `scheduled` whose time has passed, 100 at most. */
	overdue?: IDataObject[];
	/** Posts that failed in the last `days`, 100 at most. */
	failed?: IDataObject[];
	/** Posts of the last day and the next `days`, whatever their state. */
	upcoming?: IDataObject[];
	/** Where `upcoming` isn't all of that: the times in ms between which it is complete. */
	upcomingFrom?: number;
	upcomingUntil?: number;
	approvals?: IDataObject[];
	/** There are more batches than were read. */
	hasMoreApprovals?: boolean;
	webhooks?: IDataObject[];
	/** Deliveries that the service gave up, by the webhook's ID; none for a webhook that was not asked for. */
	deadLetters?: ReadonlyMap<string, IDataObject[]>;
	usage?: IDataObject;
	/** The least that was left of it while the parts were read. */
	rateLimit?: { limit?: number; remaining?: number };
}

/** The worst first. */
const statuses = ['problem', 'warning', 'ok'] as const;
export type Status = (typeof statuses)[number];

/** What a check says. */
interface Verdict {
	status: Status;
	message: string;
	hint?: string;
	facts?: IDataObject;
	/** What is left out: the service doesn't show it, or it takes too many requests. */
	notChecked?: string[];
}

interface Check {
	name: string;
	/** Without these parts there is no verdict. */
	needs: readonly Part[];
	judge: (found: Snapshot) => Verdict;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long after its time a post counts as overdue. */
const OVERDUE_MS = 15 * MINUTE_MS;
/** How far apart the posts of an account should be. */
const CLOSE_MS = 5 * MINUTE_MS;
/** Shares of a limit from which on it counts as nearly used up: of the plan, and of requests a minute. */
const NEARLY = { plan: 0.8, requests: 0.9 };
/** How many records the facts name. */
const NAMED = 10;

export const checks: readonly Check[] = [
	{ name: 'accounts', needs: ['accounts'], judge: checkAccounts },
	{ name: 'overdue_posts', needs: ['overdue'], judge: checkOverduePosts },
	{ name: 'failed_posts', needs: ['failed'], judge: checkFailedPosts },
	{ name: 'close_posts', needs: ['upcoming'], judge: checkClosePosts },
	{ name: 'repeated_texts', needs: ['upcoming'], judge: checkRepeatedTexts },
	{ name: 'approvals', needs: ['approvals', 'upcoming'], judge: checkApprovals },
	{ name: 'webhooks', needs: ['webhooks'], judge: checkWebhooks },
	{ name: 'usage', needs: ['usage'], judge: checkUsage },
	{ name: 'rate_limit', needs: [], judge: checkRateLimit },
];

/** One item a check, the worst first; of the same status in the order of {@link checks}. */
export function judgeHealth(found: Snapshot): IDataObject[] {
	const items = checks.map(({ name, needs, judge }) => {
		const missing = needs.find((part) => found.unread[part]);
		const verdict = missing ? unreadable(missing, found.unread[missing]!) : judge(found);
		const { status, message, hint = 'Nothing to do.', facts = {}, notChecked = [] } = verdict;
		const named = { ...facts, ...(notChecked.length > 0 ? { not_checked: notChecked } : {}) };
		return { check: name, status, message, hint, facts: named };
	});
	return statuses.flatMap((status) => items.filter((one) => one.status === status));
}

/** Parts as a message names them. */
const titles: Readonly<Record<Part, string>> = {
	accounts: 'Accounts',
	usage: 'Usage',
	approvals: 'Approvals',
	webhooks: 'Webhooks',
	failed: 'Failed posts',
	overdue: 'Overdue posts',
	upcoming: 'Upcoming posts',
};

function unreadable(part: Part, { details: { message, hint, code, status } }: Failure): Verdict {
	return {
		status: 'warning',
		message: `${titles[part]} could not be read: ${message}${/[.!?]$/.test(message) ? '' : '.'}`,
		hint,
		facts: { error: { code, status } },
	};
}

function checkAccounts(found: Snapshot): Verdict {
	const { accounts = [], upcoming, now, days } = found;
	if (accounts.length === 0)
		return {
			status: 'warning',
			message: 'The workspace has no accounts.',
			hint: "Connect one in the service's dashboard.",
		};
	const lostAt = (account: IDataObject): number =>
		isConnected(account) ? timeIn(account.expires_at) : -Infinity;
	const facts = (account: IDataObject): IDataObject => {
		const due = openPosts(found).filter(
			(post) => goesTo(post, account, accounts) && dueAt(post) > Math.max(now, lostAt(account)),
		);
		return {
			id: account.id ?? null,
			name: accountSource.label({ id: 'unnamed', ...account }),
			...(account.expires_at ? { expires_at: account.expires_at } : {}),
			posts_due: upcoming ? due.length : null,
		};
	};
	const lost = accounts.filter((one) => lostAt(one) <= now);
	const expiring = accounts.filter((one) => lostAt(one) > now && lostAt(one) <= now + days * DAY_MS);
	const [disconnected, about] = [lost.map(facts), expiring.map(facts)];
	const all = [...disconnected, ...about];
	const due = sumBy(all, ({ posts_due: count }) => Number(count));
	const period = `within ${plural(days, 'day')}`;
	const notChecked = [
		...(accounts.some((one) => 'expires_at' in one) ? [] : [notShown('When connections expire')]),
		...(upcoming ? postsNotRead(found) : ['Posts that are due there: they could not be read.']),
	];
	if (all.length === 0)
		return {
			status: 'ok',
			message: `${plural(accounts.length, 'account is', 'accounts are')} connected.`,
			facts: { accounts: accounts.length },
			notChecked,
		};
	return {
		status: due > 0 ? 'problem' : 'warning',
		message: sentences(
			lost.length > 0 && `${plural(lost.length, 'account is', 'accounts are')} disconnected.`,
			about.length > 0 &&
				`${plural(about.length, 'account loses its connection', 'accounts lose their connection')} ${period}.`,
			due > 0 && `${plural(due, 'post is', 'posts are')} due there ${period}.`,
		),
		hint: `Reconnect in the service's dashboard: ${listed(all.map(({ name }) => String(name)))}.`,
		facts: {
			accounts: accounts.length,
			...(lost.length > 0 ? { disconnected } : {}),
			...(expiring.length > 0 ? { expiring: about } : {}),
		},
		notChecked,
	};
}

function checkOverduePosts({ overdue = [], upcoming = [], now, zone }: Snapshot): Verdict {
	// What shows no state may have ended, unless the service was asked for a state.
	const known = upcoming.filter(({ status }) => typeof status === 'string');
	const posts = uniqBy([...overdue, ...known], idOf).filter(
		(post) => isOpen(post) && !waitsForApproval(post) && dueAt(post) < now - OVERDUE_MS,
	);
	const notChecked = overdue.every(hasTime) ? [] : [notShown('When some of the posts were due')];
	if (posts.length === 0) return { status: 'ok', message: 'No post is overdue.', notChecked };
	return {
		status: 'problem',
		message: `${atLeast(posts.length, 'post is', 'posts are')} overdue.`,
		hint: "Look for the reason in the service's dashboard. Then give a new time (Post: Update) or cancel (Post: Cancel).",
		facts: postFacts(posts, zone),
		notChecked,
	};
}

function checkFailedPosts({ failed = [], days, zone }: Snapshot): Verdict {
	const period = lastDays(days);
	if (failed.length === 0) return { status: 'ok', message: `No post failed ${period}.` };
	const reasons = Object.entries(groupBy(failed, (post) => reasonOf(post) || 'no reason given'))
		.map(([reason, posts]) => ({ reason, count: posts.length }))
		.sort((a, b) => b.count - a.count);
	return {
		status: 'problem',
		message: `${atLeast(failed.length, 'post', 'posts')} failed ${period}: ${listed(reasons.map(({ reason, count }) => `${reason} (${count})`))}.`,
		hint: "Fix the cause, then create the posts again: failed posts aren't retried.",
		facts: { ...postFacts(failed, zone), reasons: reasons.slice(0, NAMED) },
		notChecked: failed.some(reasonOf) ? [] : [notShown('Why posts failed')],
	};
}

function checkClosePosts(found: Snapshot): Verdict {
	const pairs = postsPerAccount(found).flatMap((posts) =>
		posts
			.slice(1)
			.map((post, i) => [posts[i]!, post] as const)
			.filter(([before, post]) => dueAt(post) > found.now && dueAt(post) - dueAt(before) <= CLOSE_MS),
	);
	const later = uniqBy(
		pairs.map(([, post]) => post),
		idOf,
	);
	const notChecked = [...postsNotRead(found), ...postsWithout('When posts are due', found, hasTime)];
	if (later.length === 0)
		return { status: 'ok', message: 'No two posts of an account are due within five minutes.', notChecked };
	return {
		status: 'warning',
		message: `${plural(later.length, 'post is', 'posts are')} due within five minutes of another post for the same account.`,
		hint: 'Move one post of each pair (Post: Update), or delete the one that was not meant (Post: Delete).',
		facts: { ...postFacts(uniqBy(pairs.flat(), idOf), found.zone), count: later.length },
		notChecked,
	};
}

function checkRepeatedTexts(found: Snapshot): Verdict {
	const repeated = postsPerAccount(found)
		.flatMap((posts) => Object.values(groupBy(posts.filter(textOf), textOf)))
		.map((posts) => posts.filter((post, i) => i > 0 && dueAt(post) > found.now));
	const posts = uniqBy(repeated.flat(), idOf);
	const notChecked = [
		...postsNotRead(found),
		...postsWithout('When posts are due', found, hasTime),
		...postsWithout('The text of posts', found, (post) => textOf(post) !== ''),
	];
	if (posts.length === 0)
		return { status: 'ok', message: 'No text is due twice for an account.', notChecked };
	return {
		status: 'warning',
		message: `${plural(posts.length, 'post has', 'posts have')} the same text as an earlier post for the same account.`,
		hint: 'Delete the posts that were not meant (Post: Delete), or change their text (Post: Update).',
		facts: postFacts(posts, found.zone),
		notChecked,
	};
}

function checkApprovals(found: Snapshot): Verdict {
	const { approvals = [], hasMoreApprovals, now } = found;
	const pending = approvals.filter(isPending);
	const ids = new Set(pending.flatMap(pendingPostIds));
	const waiting = openPosts(found).filter((post) => waitsForApproval(post) || ids.has(idOf(post)));
	const soon = waiting.filter((post) => dueAt(post) <= now + DAY_MS);
	const late = soon.filter((post) => dueAt(post) < now);
	const notChecked = [
		...postsNotRead(found),
		...(hasMoreApprovals ? [`Approval batches beyond the first ${approvals.length}.`] : []),
		...(pending.length > 0 && ids.size === 0 && waiting.length === 0
			? [notShown('Which posts wait for approval')]
			: []),
	];
	const facts = { waiting: waiting.length, pending_batches: pending.length };
	if (soon.length === 0)
		return { status: 'ok', message: 'No post due within a day waits for approval.', facts, notChecked };
	const passed = late.length > 0 ? ` The time of ${late.length} has passed.` : '';
	return {
		status: late.length > 0 ? 'problem' : 'warning',
		message: `${plural(soon.length, 'post due within a day waits', 'posts due within a day wait')} for approval.${passed}`,
		hint: 'Remind the approver, or give the posts a later time (Post: Update).',
		facts: { ...postFacts(soon, found.zone), ...facts },
		notChecked,
	};
}

function checkWebhooks({ webhooks = [], deadLetters, now, days }: Snapshot): Verdict {
	const facts = webhooks.map((webhook) => ({
		id: webhook.id ?? null,
		url: webhook.url ?? null,
		disabled: readSubscription(webhook).isDisabled,
		dead_letters:
			deadLetters?.get(idOf(webhook))?.filter((one) => isSince(one, now - days * DAY_MS)).length ?? null,
	}));
	const disabled = facts.filter((one) => one.disabled);
	const lossy = facts.filter(({ dead_letters: count }) => Number(count) > 0);
	const unread = facts.filter(({ dead_letters: count }) => count === null);
	const notChecked =
		unread.length > 0
			? [`Given-up deliveries of ${plural(unread.length, 'webhook')}: one check reads only some.`]
			: [];
	const given = `given up ${lastDays(days)}`;
	if (disabled.length + lossy.length === 0)
		return {
			status: 'ok',
			message:
				webhooks.length === 0
					? 'The workspace has no webhooks.'
					: `${plural(webhooks.length, 'webhook is', 'webhooks are')} active, and no delivery was ${given}.`,
			facts: { webhooks: facts.slice(0, NAMED) },
			notChecked,
		};
	const lost = sumBy(lossy, ({ dead_letters: count }) => Number(count));
	return {
		status: disabled.length > 0 ? 'problem' : 'warning',
		message: sentences(
			disabled.length > 0 && `${plural(disabled.length, 'webhook is', 'webhooks are')} disabled.`,
			lost > 0 && `${plural(lost, 'delivery was', 'deliveries were')} ${given}.`,
		),
		hint: 'Find out why with Webhook: Check Delivery. A published trigger repairs its own webhook and recovers what it missed.',
		facts: { webhooks: [...disabled, ...lossy.filter((one) => !one.disabled)].slice(0, NAMED) },
		notChecked,
	};
}

function checkUsage({ usage = {} }: Snapshot): Verdict {
	const limited = usageLimits(usage);
	const facts = { limits: limited.map((one) => ({ ...one })) };
	if (limited.length === 0)
		return {
			status: 'ok',
			message: "The service doesn't show a limit of the plan.",
			facts: { usage },
			notChecked: [notShown('How much of the plan is left')],
		};
	const full = limited.filter(({ used, limit }) => used >= limit);
	const nearly = limited.filter((one) => !full.includes(one) && one.used >= one.limit * NEARLY.plan);
	const named = (list: UsageLimit[]): string =>
		listed(list.map(({ name, used, limit }) => `${name} (${figure(used)} of ${figure(limit)})`));
	if (full.length + nearly.length === 0)
		return { status: 'ok', message: `Within the plan: ${named(limited)}.`, facts };
	return {
		status: full.length > 0 ? 'problem' : 'warning',
		message: sentences(
			full.length > 0 && `Used up: ${named(full)}.`,
			nearly.length > 0 && `Nearly used up: ${named(nearly)}.`,
		),
		hint: "Choose a larger plan in the service's dashboard, or post less until the next period begins.",
		facts,
	};
}

function checkRateLimit({ rateLimit: { limit, remaining } = {} }: Snapshot): Verdict {
	if (limit === undefined || remaining === undefined)
		return {
			status: 'ok',
			message: "The service doesn't show the rate limit of the API key.",
			notChecked: [notShown('The rate limit of the API key')],
		};
	const isNearly = limit > 0 && limit - remaining >= limit * NEARLY.requests;
	return {
		status: isNearly ? 'warning' : 'ok',
		message: `${figure(remaining)} of ${figure(limit)} read requests are left this minute.`,
		...(isNearly
			? { hint: 'Run the workflows that use this API key at different times, or choose a larger plan.' }
			: {}),
		facts: { limit, remaining },
	};
}

const openPosts = ({ upcoming = [] }: Snapshot): IDataObject[] => upcoming.filter(isOpen);

/** Posts that have gone out or will, by account. */
const postsPerAccount = ({ upcoming = [], accounts = [] }: Snapshot): IDataObject[][] =>
	perAccount(
		upcoming.filter((post) => isOpen(post) || post.status === 'completed'),
		accounts,
	);

const postFacts = (posts: IDataObject[], zone: string): IDataObject => ({
	count: posts.length,
	posts: posts.slice(0, NAMED).map((post) => postLabel(post, zone)),
	post_ids: posts.slice(0, NAMED).map(({ id }) => id ?? null),
});

/** Left out, since one check doesn't read that many posts. */
function postsNotRead({ upcomingFrom, upcomingUntil, zone }: Snapshot): string[] {
	const shown = (ms: number): string => DateTime.fromMillis(ms, { zone }).toFormat('yyyy-LL-dd HH:mm');
	return [
		...(upcomingFrom === undefined ? [] : [`Posts due before ${shown(upcomingFrom)}`]),
		...(upcomingUntil === undefined ? [] : [`Posts due after ${shown(upcomingUntil)}`]),
	].map((posts) => `${posts}: there are more than one check reads.`);
}

/** Left out, since the service doesn't show it of any post. */
const postsWithout = (
	what: string,
	{ upcoming = [] }: Snapshot,
	has: (post: IDataObject) => boolean,
): string[] => (upcoming.length > 0 && !upcoming.some(has) ? [notShown(what)] : []);

const hasTime = (post: IDataObject): boolean => !Number.isNaN(dueAt(post));

const notShown = (what: string): string => `${what}: the service doesn't show it.`;

const sentences = (...parts: Array<string | false>): string => parts.filter(Boolean).join(' ');

const figure = (value: number): string => value.toLocaleString('en-US');

const plural = (count: number, one: string, several = `${one}s`): string =>
	`${figure(count)} ${count === 1 ? one : several}`;

const lastDays = (days: number): string => (days === 1 ? 'in the last day' : `in the last ${days} days`);

/** A number of posts out of one answer, which has 100 at most. */
const atLeast = (count: number, one: string, several: string): string =>
	count >= limits.postsPerRequest
		? `${limits.postsPerRequest} or more ${several}`
		: plural(count, one, several);

/** The first three of a list, and how many more there are. */
const listed = (names: string[]): string =>
	names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
