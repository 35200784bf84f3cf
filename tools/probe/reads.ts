import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { map } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../nodes/api/address';
import { deliveriesOf, lists, platforms as known } from '../../nodes/api/contract';
import { toFailure } from '../../nodes/api/failure';
import { wordsOf } from '../../nodes/api/failureTexts';
import { isRecord } from '../../nodes/api/lists';
import {
	readAccount,
	readBatch,
	readDelivery,
	readInboxItem,
	readPost,
	readSubscription,
} from '../../nodes/api/records';
import { eventOptions } from '../../nodes/shared/events';
import type { Connection, ProbedList } from './connection';

export interface Said {
	verdict: 'as assumed' | 'differs' | 'not seen';
	/** Never a word of the service: it may be a name, a text or an ID. */
	what: string;
}

export type Verdicts = Map<string, Said>;

/** The rows of docs/spec-gaps.md: number and title. */
export const rows: Array<{ number: string; title: string }> = readFileSync(
	join(__dirname, '../../docs/spec-gaps.md'),
	'utf8',
)
	.split('\n')
	.flatMap((line) => {
		const [, number, title] = /^\| (\d+[a-z]?) \| (.*?)(?<!\\) \|/.exec(line) ?? [];
		return number && title
			? [{ number, title: title.replaceAll('**', '').replace(/:? not shown$/, '') }]
			: [];
	});

export const notSeen = (what: string): Said => ({ verdict: 'not seen', what });

/** What differs, each with what the package does with it. */
export const judged = (...differences: Array<string | false>): Said => {
	const found = differences.filter((one) => one);
	return { verdict: found.length > 0 ? 'differs' : 'as assumed', what: found.join('; ') };
};

/** How a list is wrapped, compared with the names that the package expects. */
function formOf(data: unknown, { listNames }: ProbedList): string | false {
	if (Array.isArray(data)) return 'a bare list, which the package reads';
	const isNamed = isRecord(data) && listNames.some((one) => Array.isArray(data[one]));
	return !isNamed && 'a list under another name; the package takes the first list of records';
}

const isOneOf = (names: readonly string[], name = ''): boolean => names.includes(name);
const states = 'scheduled publishing processing completed failed canceled draft pending_approval'.split(' ');
const events = eventOptions.map(({ value }) => String(value));

const bounds: Readonly<Record<string, IDataObject>> = {
	posts: { limit: 100 },
	approvals: { page: 1, limit: 50 },
	insights: { limit: 20 },
};
/** The webhooks' deliveries come after the webhooks. */
const names = [
	...(['posts', 'approvals', 'insights', 'workspaces', 'accounts', 'connections', 'inbox'] as const),
	...(['webhooks', 'deliveries'] as const),
];
type List = (typeof names)[number];

interface Row {
	number: string;
	list: List;
	differencesIn: (records: IDataObject[]) => Array<string | false> | undefined;
}

/** A row that records answer: which of them count, and how many are odd in which way. */
const row = <T>(
	number: string,
	list: List,
	read: (record: IDataObject) => T | undefined,
	odd: Record<string, (one: T) => unknown> = {},
): Row => ({
	...{ number, list },
	differencesIn: (records) => {
		const all = records.map(read).filter((one) => one !== undefined);
		const found = map(odd, (isOdd, what) => countOf(all.filter(isOdd), what));
		return all.length > 0 ? found : undefined;
	},
});
const countOf = ({ length }: unknown[], what: string): string | false => length > 0 && `${length} ${what}`;

const listRows: Row[] = [
	row('1', 'posts', readPost, {
		'scheduled posts without a readable time: no free slot can be found': (post) =>
			post.isOpen && post.status === 'scheduled' && post.scheduledAt !== null && post.dueAt === undefined,
		'posts without a readable platform: no free slot can be found while one is scheduled': ({ platforms }) =>
			platforms.length === 0 || !platforms.every((one) => isOneOf(known, one)),
	}),
	row('2', 'approvals', readBatch, {
		'batches without a status that the package knows: Check Health warns': ({ isPending }) =>
			isPending === undefined,
	}),
	row('3', 'webhooks', readSubscription, {
		'webhooks without a readable ID: the trigger can only go by address': ({ id }) => !id,
		'webhooks without a readable address: the trigger can only go by ID': (one) => !one.url && !one.isDeleted,
		"webhooks that don't say whether they are disabled: Check Health warns": (one) => one.isStateUnknown,
	}),
	row('4', 'deliveries', readDelivery, {
		'records without the event itself: recovered by ID, name and time alone': ({ event }) => !event,
		"records that don't name their event: only Recover From Posts helps": (one) =>
			!one.eventId || !one.eventType,
	}),
	row('5', 'insights', ({ impact }) => String(impact), {
		'insights of another impact; passed on as they are': (impact) => !isOneOf(['high', 'medium'], impact),
	}),
	row('8', 'posts', readPost, {
		'posts in a status that is not shown; the package treats it as not final': ({ status }) =>
			!isOneOf(states, status),
	}),
	row('10', 'deliveries', (one) => (readDelivery(one).status === 'pending' ? readDelivery(one) : undefined), {
		'pending deliveries that failed before; shown as they are': ({ lastError }) => lastError,
	}),
	row('13', 'workspaces', (one) => one, { 'without `id`: choose By ID': ({ id }) => id === undefined }),
	row('14', 'accounts', readAccount, {
		'accounts without a readable ID: posted to by platform, with a warning': ({ id }) => !id,
		'accounts without a platform that the package knows: posts go out, with a warning': ({ platform }) =>
			'unclear' in platform,
		'accounts that are not clearly connected or not: no platform is refused for it': ({ connected }) =>
			'unclear' in connected,
	}),
	row('20', 'connections', (one) => one),
	row('22', 'webhooks', (one) => one),
	row('23', 'deliveries', (one) => one),
	row(
		'25',
		'inbox',
		readInboxItem,
		Object.fromEntries(
			(['id', 'platform', 'kind', 'text'] as const).map((name) => [
				`items without a readable ${name}; left out by its filter, or empty`,
				(item: ReturnType<typeof readInboxItem>) => item[name] === undefined,
			]),
		),
	),
	row('30a', 'deliveries', (one) => readDelivery(one).eventType, {
		'events of other names: use Additional Events': (type) => !isOneOf(events, type),
	}),
	row('30b', 'deliveries', (one) => readDelivery(one).event, {
		'events without `data`; passed on as they are': ({ data }) => !isRecord(data),
	}),
];
/** What is open there is the form of the list, too. */
const formRows = ['13', '14', '20', '22', '23', '25'];

/** A refusal that tells something; undefined where there is none. @throws anything else */
async function refusalOf(asked: Promise<unknown>): Promise<string | undefined> {
	try {
		await asked;
		return undefined;
	} catch (error) {
		const { status, code } = toFailure(error).details;
		if (status < 400 || status >= 500 || status === 429) throw error;
		return code;
	}
}

/** Asks with reads alone. A row that isn't in the result can only be answered by a person. */
export async function probeReads(service: Connection): Promise<Verdicts> {
	const said: Verdicts = new Map();
	/** Whatever can't be asked is not seen, and the next question is asked. */
	const look = async (numbers: string[], question: () => Promise<Said | void>): Promise<void> => {
		const verdict = await question().catch((error: unknown) => {
			const { status } = toFailure(error).details;
			return notSeen(status ? `the service answered ${status}` : 'the service could not be reached');
		});
		for (const number of numbers) if (verdict) said.set(number, verdict);
	};
	const read: Partial<Record<List, IDataObject[]>> = {};
	const unfollowed: string[] = [];
	for (const name of names) {
		const own = listRows.filter(({ list }) => list === name);
		await look(map(own, 'number'), async () => {
			const qs = bounds[name];
			const asked = name === 'deliveries' ? deliveryLists(read.webhooks) : [lists[name]];
			for (const list of asked) {
				const { records, data, hasMore } = await service.list(list, qs);
				if (hasMore && !qs) unfollowed.push(name);
				read[name] = records;
				for (const { number, differencesIn } of own) {
					const form = formRows.includes(number) && formOf(data, list);
					const found = differencesIn(records) ?? (form ? [] : undefined);
					said.set(number, found ? judged(form, ...found) : notSeen('there are none'));
				}
				if (records.length > 0) break;
			}
		});
	}
	const withRecords = (['workspaces', 'accounts', 'inbox', 'connections'] as const).filter(
		(name) => read[name]?.length,
	);
	const hasNoId = ({ id }: IDataObject): boolean => !['string', 'number'].includes(typeof id);
	const lacking = withRecords.filter((name) => read[name]!.some(hasNoId));
	if (withRecords.length > 0)
		said.set('7', judged(lacking.length > 0 && `no \`id\` in ${lacking.join(', ')}: choose By ID`));

	const one = { qs: { limit: 1 } };
	await look(['6'], async () => {
		const posts = (read.posts ?? []).map(readPost);
		const { id } = posts.find(({ status }) => status === 'completed') ?? posts[0] ?? {};
		if (!id) return notSeen('there is no post');
		const path = `/posts/${pathSegment(id, 'Post')}/analytics`;
		const { data } = await service.ask('GET', path, { qs: { granularity: 'weekly' } });
		const has = isRecord(data) && Array.isArray(data.weekly_series);
		return judged(
			!has && 'no `weekly_series`; Output: Series takes the other list ending in `_series`, else is an error',
		);
	});
	await look(['12'], async () => {
		const isLong = service.apiUrl.endsWith('/api/public/v1');
		const refused = await refusalOf(
			service.as({ apiPath: isLong ? '/v1' : '/api/public/v1' }).ask('GET', '/posts', one),
		);
		return judged(!!refused && 'only the address form that was given; choose it in the credential');
	});
	await look(['21'], async () => {
		const { data } = await service.ask('GET', '/usage');
		return judged(!isRecord(data) && 'no single record; the package passes on what comes');
	});
	await look(['24'], async () => {
		const { data } = await service.ask('GET', '/analytics');
		const figures = isRecord(data) ? (data.by_platform ?? data.platforms) : undefined;
		const isAsAssumed = Array.isArray(figures) && figures.every(isRecord);
		return judged(
			!isAsAssumed && 'another form than a list under `platforms`; read by its platforms, else as one item',
		);
	});
	await look(['28'], async () => {
		const other = service.as({ headers: { 'x-service-brand-id': 'brand-of-the-probe' } });
		const isKnown = (await refusalOf(other.ask('GET', '/posts', one))) === 'PUBLIC_API_BRAND_FORBIDDEN';
		return judged(!isKnown && 'another header than `x-service-brand-id`; the package sends none');
	});
	await look(['29'], async () => {
		const refused = await refusalOf(service.ask('GET', '/posts', { ...one, workspaceId: null }));
		return judged(!!refused && 'posts need a workspace: set one in the credential');
	});
	await look(['32'], async () => {
		if (unfollowed.length > 0)
			return judged(`${unfollowed.length} lists have more than can be read; a hint says so`);
		const refused = await refusalOf(service.ask('GET', '/posts', { qs: { cursor: 'probe' } }));
		return refused === 'PUBLIC_API_CURSOR_INVALID' ? judged() : notSeen('no list said that there is more');
	});
	await look(['33'], async () => {
		const refused = await refusalOf(service.ask('GET', '/posts/post-of-the-probe/analytics'));
		const isKnown = refused !== undefined && Object.hasOwn(wordsOf, refused);
		return judged(!isKnown && 'a code of its own, or none; the package goes by its status');
	});
	return said;
}

/** Of the first webhook that has any. */
const deliveryLists = (webhooks: IDataObject[] = []): ProbedList[] =>
	webhooks
		.slice(0, 5)
		.flatMap((one) => readSubscription(one).id ?? [])
		.map((id) => deliveriesOf(pathSegment(id, 'Webhook')));
