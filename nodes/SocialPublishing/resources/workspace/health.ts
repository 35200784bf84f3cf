import countBy from 'lodash/countBy';
import sortBy from 'lodash/sortBy';
import sumBy from 'lodash/sumBy';
import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../../api/address';
import { limits, listNames } from '../../../api/contract';
import { Failure, toFailure } from '../../../api/failure';
import { titleOf } from '../../../api/platforms';
import { iso } from '../../../api/postRange';
import { readAccount, readBatch, readPost, readSubscription, type Account } from '../../../api/records';
import type { Item } from '../../engine/item';
import { postLabel } from '../../lookups/posts';
import { excerpt } from '../../lookups/source';
import { readApprovals } from '../approval/getAll';
import { DAY_MS } from '../time';
import { readDeliveries } from '../webhook/getDeliveries';

/** The worst first. */
export const healthStatuses = ['problem', 'warning', 'ok'] as const;

/** Facts that are lists begin with what matters most. */
const resultOf =
	(status: (typeof healthStatuses)[number]) =>
	(message: string, hint: string, facts: IDataObject = {}) => ({ status, message, hint, facts });

const problem = resultOf('problem');
/** Also where something can't be known. */
export const warning = resultOf('warning');
const ok = (message: string, facts?: IDataObject) => resultOf('ok')(message, 'Nothing to do.', facts);

export type HealthResult = ReturnType<typeof warning>;

const checkThem = "Check them in the service's dashboard.";

/** Each on what the spec shows, so many days ahead at what is due and back at what failed; throws what can't be read. */
export const healthChecks: Readonly<Record<string, (item: Item, days: number) => Promise<HealthResult>>> = {
	accounts: checkAccounts,
	overdue_posts: checkOverduePosts,
	failed_posts: checkFailedPosts,
	webhooks: checkWebhooks,
	approvals: checkApprovals,
};

/** How long after its time a post counts as overdue. */
const OVERDUE_MS = 15 * 60_000;
/** How far back to look for posts that never went out. */
const MAX_OVERDUE_MS = 3650 * DAY_MS;
/** How many webhooks' deliveries one check reads: a third of what the lowest plan allows a minute. */
const MAX_WEBHOOKS = 20;
/** How many posts that wait for approval are read for their text. */
const MAX_NAMED = 3;
const MAX_BATCHES = 4 * limits.approvalsPerPage;

async function checkAccounts(item: Item, days: number): Promise<HealthResult> {
	const accounts = (await item.list({ path: '/accounts', listNames: listNames.accounts })).map(readAccount);
	const lost = accounts.filter(({ connection }) => connection === 'disconnected');
	const unknown = accounts.filter(({ connection }) => connection === 'unknown').map(accountLabel);
	if (accounts.length === 0)
		return warning('The workspace has no accounts.', "Connect one in the service's dashboard.", {
			accounts: 0,
		});
	if (lost.length + unknown.length === 0)
		return ok('No account is disconnected.', { accounts: accounts.length });

	const until = item.now + days * DAY_MS;
	const read = lost.length > 0 ? await readPosts(item, 'scheduled', item.now, until).catch(toFailure) : [];
	const open = read instanceof Failure ? [] : read.filter(({ isOpen }) => isOpen);
	const dueAt = lost.map((account) => open.filter((post) => goesTo(post, account, accounts)));
	const due = uniq(dueAt.flat()).length;
	const result = due > 0 ? problem : warning;
	return result(
		sentences(
			lost.length > 0 && `${plural(lost.length, 'account is', 'accounts are')} disconnected.`,
			due > 0 && `${plural(due, 'post is', 'posts are')} due there within ${plural(days, 'day')}.`,
			read instanceof Failure
				? `Posts that are due there could not be read: ${withoutStop(read)}.`
				: isPartial(read) && 'The service lists more than one check reads, so more posts may be due there.',
			unknown.length > 0 &&
				`${plural(unknown.length, 'account has', 'accounts have')} a connection status that this node doesn't know.`,
		),
		`Reconnect or check in the service's dashboard: ${firstThree([...lost.map(accountLabel), ...unknown])}.`,
		{
			accounts: accounts.length,
			disconnected: lost.map((account, i) => ({
				id: account.id,
				name: accountLabel(account),
				posts_due: read instanceof Failure ? null : dueAt[i]!.length,
			})),
			unknown,
		},
	);
}

const accountLabel = ({ title, platform }: Account): string =>
	platform ? `${title} · ${titleOf(platform)}` : title;

/** A post without an account goes to its platform's connected account, if there is one. */
const goesTo = (post: Post, account: Account, accounts: Account[]): boolean =>
	post.accountId === undefined
		? post.platforms.some((one) => one === account.platform) &&
			!accounts.some(({ platform, isConnected }) => platform === account.platform && isConnected)
		: post.accountId === account.id;

async function checkOverduePosts(item: Item): Promise<HealthResult> {
	const latest = item.now - OVERDUE_MS;
	const posts = await readPosts(item, 'scheduled', item.now - MAX_OVERDUE_MS, latest);
	const open = posts.filter(({ isOpen }) => isOpen);
	const overdue = open.filter(({ dueAt = Infinity }) => dueAt <= latest);
	const held = overdue.filter(({ awaitsApproval }) => awaitsApproval).length;
	if (overdue.length > 0)
		return problem(
			sentences(
				`${atLeast(overdue, 'post is', 'posts are')} overdue.`,
				held > 0 && `${plural(held, 'waits', 'wait')} for approval.`,
			),
			"Look for the reason in the service's dashboard. Then give a new time (Post: Update) or cancel (Post: Cancel).",
			postFacts(overdue),
		);
	// Null means "at once".
	const withoutTime = open.filter(({ dueAt, scheduledAt }) => dueAt === undefined && scheduledAt !== null);
	if (withoutTime.length > 0)
		return warning(
			`${atLeast(withoutTime, 'post', 'posts')} may be overdue: the service lists no time that can be read.`,
			checkThem,
			postFacts(withoutTime),
		);
	return isPartial(posts) ? notAllRead('overdue') : ok('No post is overdue.', postFacts([]));
}

async function checkFailedPosts(item: Item, days: number): Promise<HealthResult> {
	const posts = await readPosts(item, 'failed', item.now - days * DAY_MS, item.now);
	const failed = posts.filter(({ status }) => status === 'failed' || status === 'unknown');
	if (failed.length === 0)
		return isPartial(posts) ? notAllRead('failed') : ok(`No post failed ${lastDays(days)}.`, postFacts([]));
	const counts = countBy(failed, ({ failureReason }) => excerpt(failureReason) || 'no reason given');
	const reasons = sortBy(Object.entries(counts), ([, count]) => -count);
	return problem(
		`${atLeast(failed, 'post', 'posts')} failed ${lastDays(days)}: ${firstThree(reasons.map(([reason, count]) => `${reason} (${count})`))}.`,
		"Fix the cause, then create the posts again: failed posts aren't retried.",
		{ ...postFacts(failed), reasons: reasons.map(([reason, count]) => ({ reason, count })) },
	);
}

async function checkWebhooks(item: Item, days: number): Promise<HealthResult> {
	const all = await item.list({ path: '/webhooks', listNames: listNames.webhooks });
	const list = all.map(readSubscription).filter(({ isDeleted }) => !isDeleted);
	const since = item.now - days * DAY_MS;
	const webhooks = await Promise.all(
		list.map(async (one, i) => ({
			...one,
			deadLetters:
				i < MAX_WEBHOOKS ? await countDeadLetters(item, one.id, since).catch(toFailure) : undefined,
		})),
	);
	const disabled = webhooks.filter(({ isDisabled }) => isDisabled).length;
	const failures = webhooks.map((one) => one.deadLetters).filter((one) => one instanceof Failure);
	const lost = sumBy(webhooks, ({ deadLetters }) => Number(deadLetters) || 0);
	const beyond = Math.max(0, list.length - MAX_WEBHOOKS);
	const trouble = sentences(
		disabled > 0 && `${plural(disabled, 'webhook is', 'webhooks are')} disabled.`,
		lost > 0 && `${plural(lost, 'delivery', 'deliveries')} failed for good ${lastDays(days)} (dead letters).`,
		failures.length > 0 &&
			`The deliveries of ${plural(failures.length, 'webhook')} could not be read: ${withoutStop(failures[0]!)}.`,
		beyond > 0 &&
			`The deliveries of ${plural(beyond, 'webhook')} were not read: one check reads those of ${MAX_WEBHOOKS}.`,
	);
	const wrongFirst = sortBy(webhooks, (one) => !one.isDisabled && one.deadLetters === 0);
	const facts = {
		count: list.length,
		webhooks: wrongFirst.map(({ id, url, isDisabled, deadLetters }) => ({
			...{ id: id ?? null, url: url ?? null, disabled: isDisabled },
			dead_letters: typeof deadLetters === 'number' ? deadLetters : null,
		})),
	};
	const result = disabled > 0 ? problem : warning;
	const hint =
		'Find out why with Webhook: Check Delivery. A published trigger repairs its own webhook and recovers what it missed.';
	if (trouble) return result(trouble, hint, facts);
	const allArrive = `No webhook is disabled, and every delivery ${lastDays(days)} arrived or is still being retried.`;
	return ok(list.length === 0 ? 'The workspace has no webhooks.' : allArrive, facts);
}

/** Spec, "Webhook delivery status": what the service no longer retries. One without a time counts, too. */
async function countDeadLetters(item: Item, id: string | undefined, since: number): Promise<number> {
	const deliveries = await readDeliveries(item, id, 'dead_letter');
	return deliveries.filter(({ status, at = since }) => status === 'dead_letter' && at >= since).length;
}

async function checkApprovals(item: Item): Promise<HealthResult> {
	const batches = (await readApprovals(item, MAX_BATCHES)).map(readBatch);
	const pending = batches.filter(({ isPending }) => isPending);
	const unknown = batches.filter(({ isPending }) => isPending === undefined).length;
	const posts = pending.flatMap(({ pendingPostIds }) => pendingPostIds);
	if (pending.length > 0)
		return warning(
			`${plural(pending.length, 'approval batch waits', 'approval batches wait')} for a decision${posts.length > 0 ? `, with ${plural(posts.length, 'post')}` : ''}.`,
			'Remind the approver: posts are held until somebody approves them.',
			{
				pending_batches: pending.length,
				posts: await labelsOf(item, posts.slice(0, MAX_NAMED)),
				batch_ids: pending.flatMap(({ id }) => id ?? []),
				post_ids: posts,
			},
		);
	if (unknown > 0)
		return warning(
			`${plural(unknown, 'approval batch has', 'approval batches have')} a status that this node doesn't know.`,
			"Check the approvals in the service's dashboard.",
		);
	return batches.length >= MAX_BATCHES
		? notAllRead('waiting for approval')
		: ok('No approval is waiting.', { pending_batches: 0 });
}

/** What a person knows posts by; those that can't be read are left out. */
async function labelsOf(item: Item, ids: string[]): Promise<string[]> {
	const labels = ids.map(async (id) => {
		const { data } = await item.get({ path: `/posts/${pathSegment(id, 'Post')}` });
		return postLabel(data as IDataObject, item.zone);
	});
	return (await Promise.all(labels.map(async (one) => await one.catch(() => [])))).flat();
}

type Post = ReturnType<typeof readPost> & { label: string };

/** Posts of a time range in one status: as many as one answer holds. */
async function readPosts(item: Item, status: string, fromMs: number, toMs: number): Promise<Post[]> {
	const second = (ms: number): string => iso(Math.ceil(ms / 1000) * 1000);
	const qs = { limit: limits.postsPerRequest, from: second(fromMs), to: second(toMs), status };
	const list = await item.list({ path: '/posts', qs, listNames: listNames.posts });
	return list.map((record) => ({ ...readPost(record), label: postLabel(record, item.zone) }));
}

/** There may be more: the endpoint has no pages (spec, "Pagination"). */
const isPartial = (posts: Post[]): boolean => posts.length >= limits.postsPerRequest;

const notAllRead = (what: string): HealthResult =>
	warning(`The service lists more than one check reads, so some may be ${what}.`, checkThem);

const postFacts = (posts: Post[]): IDataObject => ({
	count: posts.length,
	posts: posts.map(({ label }) => label),
	post_ids: posts.map(({ id }) => id ?? null),
});

const sentences = (...parts: Array<string | false>): string => parts.filter(Boolean).join(' ');

export const withoutStop = ({ message }: Failure): string => message.replace(/\.$/, '');

const plural = (count: number, one: string, several = `${one}s`): string =>
	`${count} ${count === 1 ? one : several}`;

const atLeast = (posts: Post[], one: string, several: string): string =>
	isPartial(posts) ? `${posts.length} or more ${several}` : plural(posts.length, one, several);

const lastDays = (days: number): string => `in the last ${days === 1 ? 'day' : `${days} days`}`;

/** The first three of a list, and how many more there are. */
const firstThree = (names: string[]): string =>
	names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
