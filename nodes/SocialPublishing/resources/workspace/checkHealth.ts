import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../../api/address';
import { limits, listNames } from '../../../api/contract';
import { Failure } from '../../../api/errors';
import { isRecord, records } from '../../../api/lists';
import { iso } from '../../../api/postRange';
import { rateLimit } from '../../../api/rateLimitHeaders';
import type { Item, ReadRequest } from '../../engine/item';
import { operation } from '../../engine/operation';
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
});

/** Reads the parts of a snapshot one after another, and counts the requests. */
class PartReader {
	left = MOST_REQUESTS;
	readonly unread: Snapshot['unread'] = {};
	/** The least that was left of the rate limit: the run may wait for the next minute, and what was before tells more. */
	scarcest: Snapshot['rateLimit'];
	private parts = 0;

	constructor(private readonly item: Item) {}

	async ask(request: ReadRequest): Promise<unknown> {
		this.left--;
		const { data, headers } = await this.item.get(request);
		const limit = rateLimit(headers)?.state;
		if (!this.scarcest || Number(limit?.remaining) < Number(this.scarcest.remaining)) this.scarcest = limit;
		return data;
	}

	async list(name: keyof typeof listNames, request: ReadRequest): Promise<IDataObject[]> {
		const expects = { list: listNames[name] };
		return records(await this.ask({ ...request, expects }), listNames[name]);
	}

	async posts(qs: IDataObject): Promise<IDataObject[]> {
		return await this.list('posts', { path: '/posts', qs: { limit: limits.postsPerRequest, ...qs } });
	}

	/** What `read` reads; undefined, and noted in `unread`, where this part alone can't be read. */
	async part<T>(name: Part, read: () => Promise<T>): Promise<T | undefined> {
		this.parts++;
		return await read().catch((error: unknown) => {
			if (!isOfOnePart(error)) throw error;
			this.unread[name] = error;
			return undefined;
		});
	}

	/** @throws Failure the first one, where no part could be read */
	throwIfNoneRead(): void {
		const [failure, ...others] = Object.values(this.unread);
		if (failure && others.length + 1 === this.parts) throw failure;
	}
}

/** @throws Failure where nothing can be read, or for a reason that no part is to blame for, such as a wrong key */
async function read(item: Item, days: number): Promise<Snapshot> {
	const reader = new PartReader(item);
	const { now, zone } = item;
	// Up to the end of this second, in whole seconds.
	const day = (count: number): number => Math.ceil(now / 1000) * 1000 + count * DAY_MS;
	const range = { from: day(-1), now: day(0), to: day(days) };
	const postsIn = async (status: string, from: number): Promise<IDataObject[]> =>
		await reader.posts({ from: iso(day(from)), to: iso(day(0)), status });

	const accounts = await reader.part(
		'accounts',
		async () => await reader.list('accounts', { path: '/accounts' }),
	);
	const usage = await reader.part(
		'usage',
		async () => await reader.ask({ path: '/usage', expects: 'records' }),
	);
	const approvals = await reader.part('approvals', async () => {
		const qs = { page: 1, limit: limits.approvalsPerPage };
		return await reader.ask({ path: '/approvals', qs, expects: { list: listNames.approvals } });
	});
	const webhooks = await reader.part(
		'webhooks',
		async () => await reader.list('webhooks', { path: '/webhooks' }),
	);
	const failed = await reader.part('failed', async () => await postsIn('failed', -days));
	const overdue = await reader.part('overdue', async () => await postsIn('scheduled', -OVERDUE_DAYS));
	const upcoming = await reader.part('upcoming', async () => {
		const mostRequests = reader.left - Math.min(webhooks?.length ?? 0, FOR_WEBHOOKS);
		return await upcomingPosts(async (qs) => await reader.posts(qs), range, mostRequests);
	});
	reader.throwIfNoneRead();
	return {
		...{ now, days, zone, unread: reader.unread, accounts, failed, overdue, webhooks },
		deadLetters: await deadLettersOf(webhooks ?? [], reader),
		upcoming: upcoming?.posts,
		...(upcoming && upcoming.from > range.from ? { upcomingFrom: upcoming.from } : {}),
		...(upcoming && upcoming.until < range.to ? { upcomingUntil: upcoming.until } : {}),
		approvals: approvals === undefined ? undefined : records(approvals, listNames.approvals),
		hasMoreApprovals:
			isRecord(approvals) && isRecord(approvals.pagination) && approvals.pagination.hasNext === true,
		usage: [usage].flat().find(isRecord),
		rateLimit: reader.scarcest,
	};
}

/** Deliveries that were given up, by webhook, as far as the requests go; none of one that is gone or can't be read. */
async function deadLettersOf(
	webhooks: IDataObject[],
	reader: PartReader,
): Promise<ReadonlyMap<string, IDataObject[]>> {
	const found = new Map<string, IDataObject[]>();
	for (const id of webhooks.map(idOf).slice(0, reader.left)) {
		const read = async (): Promise<IDataObject[]> => {
			const path = `/webhooks/${pathSegment(id, 'Webhook')}/deliveries`;
			return await reader.list('deliveries', { path, qs: { status: 'dead_letter' } });
		};
		const deadLetters = await read().catch((error: unknown) => {
			if (!isOfOnePart(error)) throw error;
		});
		if (deadLetters) found.set(id, deadLetters);
	}
	return found;
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
