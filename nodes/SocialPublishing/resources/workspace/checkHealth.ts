import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../../api/address';
import { limits, listNames } from '../../../api/contract';
import { Failure } from '../../../api/errors';
import { isRecord, records } from '../../../api/lists';
import { iso } from '../../../api/postRange';
import { rateLimit } from '../../../api/rateLimitHeaders';
import { healthItem } from '../../../api/schema';
import { operation, type ItemContext, type Request } from '../../engine/operation';
import { judgeHealth, type Part, type Snapshot } from './health';
import { idOf } from './healthRecords';
import { upcomingPosts } from './upcomingPosts';

/** Requests of one check: a sixth of what the lowest plan allows a minute (spec, "Rate limits"). */
const MOST_REQUESTS = 10;
/** Of them for webhooks, where posts would take all. */
const FOR_WEBHOOKS = 2;
const DAY_MS = 24 * 60 * 60_000;
const MOST_DAYS = 365;
/** How far back to look for posts that never went out: as far as anywhere else, ten years. */
const OVERDUE_DAYS = 3650;
/** How many parts there are, see {@link Part}. */
const PARTS = 7;

/** Reads what shows the state of a workspace and judges it. Nothing is written. */
export const checkHealth = operation({
	name: 'Check Health',
	value: 'checkHealth',
	action: 'Check health of workspace',
	description:
		'Check accounts, posts, approvals, webhooks and limits: one item per check, worst first, with what to do',
	method: 'GET',
	fields: [
		{
			displayName: 'Days',
			name: 'days',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MOST_DAYS },
			default: 7,
			description: 'How many days to look ahead at posts that are due, and back at posts that failed',
		},
	],
	run: async (item, { days }) => judgeHealth(await read(item, Math.min(days, MOST_DAYS))),
	output: healthItem,
});

/** @throws Failure where nothing can be read, or for a reason that no part is to blame for, such as a wrong key */
async function read(item: ItemContext, days: number): Promise<Snapshot> {
	const { now, zone } = item;
	const day = (count: number): number => Math.floor(now / 1000) * 1000 + count * DAY_MS;
	let left = MOST_REQUESTS;
	let scarcest: Snapshot['rateLimit'];
	const ask = async (request: Request): Promise<unknown> => {
		left--;
		const answer = await item.answer(request);
		const limit = rateLimit(answer.headers)?.state;
		// The run may wait for the next minute: what was left before that tells more.
		if (!scarcest || Number(limit?.remaining) < Number(scarcest.remaining)) scarcest = limit;
		return answer.data;
	};
	const list = async (name: keyof typeof listNames, request: Request): Promise<IDataObject[]> =>
		records(await ask({ ...request, expects: { list: listNames[name] } }), listNames[name]);
	const posts = async (qs: IDataObject): Promise<IDataObject[]> =>
		await list('posts', { path: '/posts', qs: { limit: limits.postsPerRequest, ...qs } });

	const unread: Snapshot['unread'] = {};
	const part = async <T>(name: Part, ofService: () => Promise<T>): Promise<T | undefined> =>
		await ofService().catch((error: unknown) => {
			if (!isOfOnePart(error)) throw error;
			unread[name] = error;
			return undefined;
		});

	const accounts = await part('accounts', async () => await list('accounts', { path: '/accounts' }));
	const usage = await part('usage', async () => await ask({ path: '/usage', expects: 'records' }));
	const approvals = await part('approvals', async () => {
		const qs = { page: 1, limit: limits.approvalsPerPage };
		return await ask({ path: '/approvals', qs, expects: { list: listNames.approvals } });
	});
	const webhooks = await part('webhooks', async () => await list('webhooks', { path: '/webhooks' }));
	const failed = await part(
		'failed',
		async () => await posts({ from: iso(day(-days)), to: iso(day(0)), status: 'failed' }),
	);
	const overdue = await part(
		'overdue',
		async () => await posts({ from: iso(day(-OVERDUE_DAYS)), to: iso(day(0)), status: 'scheduled' }),
	);
	const range = { from: day(-1), now: day(0), to: day(days) };
	const upcoming = await part(
		'upcoming',
		async () => await upcomingPosts(posts, range, left - Math.min(webhooks?.length ?? 0, FOR_WEBHOOKS)),
	);
	const deadLetters = new Map<string, IDataObject[]>();
	for (const id of (webhooks ?? []).map(idOf).slice(0, left)) {
		const deliveries = async (): Promise<IDataObject[]> => {
			const path = `/webhooks/${pathSegment(id, 'Webhook')}/deliveries`;
			return await list('deliveries', { path, qs: { status: 'dead_letter' } });
		};
		// Of a webhook that is gone, or whose deliveries can't be read, nothing is said.
		const given = await deliveries().catch((error: unknown) => {
			if (!isOfOnePart(error)) throw error;
		});
		if (given) deadLetters.set(id, given);
	}
	const [failure, ...others] = Object.values(unread);
	if (failure && others.length === PARTS - 1) throw failure;
	return {
		...{ now, days, zone, unread, accounts, failed, overdue, webhooks, deadLetters },
		upcoming: upcoming?.posts,
		...(upcoming && upcoming.from > range.from ? { upcomingFrom: upcoming.from } : {}),
		...(upcoming && upcoming.until < range.to ? { upcomingUntil: upcoming.until } : {}),
		approvals: approvals === undefined ? undefined : records(approvals, listNames.approvals),
		hasMoreApprovals:
			isRecord(approvals) && isRecord(approvals.pagination) && approvals.pagination.hasNext === true,
		usage: [usage].flat().find(isRecord),
		rateLimit: scarcest,
	};
}

/**
 * Whether a failure concerns only what was asked for: not allowed for this key, not there, in trouble, or of an odd ID. A key, a
 * workspace or a network that is wrong is wrong for all of it.
 */
const isOfOnePart = (error: unknown): error is Failure =>
	error instanceof Failure &&
	error.details.code !== 'PUBLIC_API_WORKSPACE_FORBIDDEN' &&
	(error.details.status === 403 ||
		error.details.status === 404 ||
		error.details.status >= 500 ||
		error.details.code === 'NODE_ID');
