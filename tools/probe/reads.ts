import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../nodes/api/address';
import { listNames, platforms as known } from '../../nodes/api/contract';
import { Failure } from '../../nodes/api/failure';
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
import type { Connection } from './connection';

const isPlatform = (name: string): boolean => (known as readonly string[]).includes(name);

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
export const judged = (differences: Array<string | false | undefined>): Said => {
	const found = differences.filter((one) => one);
	return found.length > 0
		? { verdict: 'differs', what: found.join('; ') }
		: { verdict: 'as assumed', what: '' };
};

const some = (list: unknown[], what: string): string | false => list.length > 0 && `${list.length} ${what}`;

/** How a list is wrapped, compared with the names that the package expects. */
function formOf(data: unknown, name: keyof typeof listNames): string | false {
	if (Array.isArray(data)) return 'a bare list, which the package reads';
	const isNamed = isRecord(data) && listNames[name].some((one) => Array.isArray(data[one]));
	return !isNamed && 'a list under another name; the package takes the first list of records';
}

/** Asks with reads alone. A row that isn't in the result can only be answered by a person. */
export async function probeReads(service: Connection): Promise<Verdicts> {
	const said: Verdicts = new Map();
	/** Whatever can't be asked is not seen, and the next question is asked. */
	const look = async (numbers: string[], question: () => Promise<void>): Promise<void> => {
		try {
			await question();
		} catch (error) {
			const status = error instanceof Failure ? error.details.status : undefined;
			const why = status ? `the service answered ${status}` : 'the service could not be reached';
			for (const number of numbers) if (!said.has(number)) said.set(number, notSeen(why));
		}
	};
	const withoutId: string[] = [];
	let withId = 0;
	const unfollowed: string[] = [];
	const list = async (path: string, name: keyof typeof listNames, qs?: IDataObject) => {
		const read = await service.list(path, name, qs);
		if (read.hasMore && !qs) unfollowed.push(path);
		if (['workspaces', 'accounts', 'inbox', 'connections'].includes(name) && read.records.length > 0) {
			const lacks = read.records.some(({ id }) => !['string', 'number'].includes(typeof id));
			if (lacks) withoutId.push(name);
			else withId++;
		}
		return read;
	};
	const judgeRecords = (number: string, all: IDataObject[], ...differences: Array<string | false>): void => {
		const form = differences.filter((one) => one);
		said.set(
			number,
			all.length === 0 && form.length === 0 ? notSeen('the list is empty') : judged(differences),
		);
	};

	let post: string | undefined;
	await look(['1', '8'], async () => {
		const { records: all } = await list('/posts', 'posts', { limit: 100 });
		const posts = all.map(readPost);
		post = posts.find(({ status }) => status === 'completed')?.id ?? posts[0]?.id;
		judgeRecords(
			'1',
			all,
			some(
				posts.filter(
					({ isOpen, status, scheduledAt, dueAt }) =>
						isOpen && status === 'scheduled' && scheduledAt !== null && dueAt === undefined,
				),
				'scheduled posts without a readable time: no free slot can be found',
			),
			some(
				posts.filter(({ platforms }) => platforms.length === 0 || !platforms.every(isPlatform)),
				'posts without a readable platform: no free slot can be found while one is scheduled',
			),
		);
		const states = /^(scheduled|publishing|processing|completed|failed|canceled|draft|pending_approval)$/;
		judgeRecords(
			'8',
			all,
			some(
				posts.filter(({ status }) => !states.test(status)),
				'posts in a status that is not shown; the package treats it as not final',
			),
		);
	});
	await look(['2'], async () => {
		const { records: all } = await list('/approvals', 'approvals', { page: 1, limit: 50 });
		judgeRecords(
			'2',
			all,
			some(
				all.filter((one) => readBatch(one).isPending === undefined),
				'batches without a status that the package knows: Check Health warns',
			),
		);
	});
	await look(['13'], async () => {
		const { records: all, data } = await list('/workspaces', 'workspaces');
		const lacks = all.filter(({ id }) => id === undefined);
		judgeRecords('13', all, formOf(data, 'workspaces'), some(lacks, 'without `id`: choose By ID'));
	});
	await look(['14'], async () => {
		const { records: all, data } = await list('/accounts', 'accounts');
		const accounts = all.map(readAccount);
		judgeRecords(
			'14',
			all,
			formOf(data, 'accounts'),
			some(
				accounts.filter(({ id }) => id === undefined),
				'accounts without a readable ID: posted to by platform, with a warning',
			),
			some(
				accounts.filter(({ platform }) => 'unclear' in platform),
				'accounts without a platform that the package knows: posts go out, with a warning',
			),
			some(
				accounts.filter(({ connected }) => 'unclear' in connected),
				'accounts that are not clearly connected or disconnected: never refused for it',
			),
		);
	});
	await look(['20'], async () => {
		const { records: all, data } = await list('/social-connections', 'connections');
		judgeRecords('20', all, formOf(data, 'connections'));
	});
	await look(['21'], async () => {
		const { data } = await service.ask('GET', '/usage');
		said.set('21', judged([!isRecord(data) && 'no single record; the package passes on what comes']));
	});
	await look(['3', '22', '4', '23', '30a', '10'], async () => {
		const { records: all, data } = await list('/webhooks', 'webhooks');
		const hooks = all.map(readSubscription);
		judgeRecords('22', all, formOf(data, 'webhooks'));
		judgeRecords(
			'3',
			all,
			some(
				hooks.filter(({ id }) => id === undefined),
				'webhooks without a readable ID: the trigger can only go by address',
			),
			some(
				hooks.filter(({ url, isDisabled }) => url === undefined && !isDisabled),
				'webhooks without a readable address: the trigger can only go by ID',
			),
		);
		for (const { id } of hooks.slice(0, 5)) {
			if (!id) continue;
			const path = `/webhooks/${pathSegment(id, 'Webhook')}/deliveries`;
			const { records: found, data: answer } = await list(path, 'deliveries');
			const deliveries = found.map(readDelivery);
			judgeRecords('23', found, formOf(answer, 'deliveries'));
			const types = deliveries.flatMap(({ eventType }) => eventType ?? []);
			judgeRecords(
				'4',
				found,
				some(
					deliveries.filter(({ event }) => !event),
					'records without the event itself: recovered by ID, name and time alone',
				),
				some(
					deliveries.filter(({ eventId, eventType }) => !eventId || !eventType),
					"records that don't name their event: only Recover From Posts helps",
				),
			);
			const unknown = types.filter((one) => !eventOptions.some(({ value }) => value === one));
			if (types.length > 0)
				said.set('30a', judged([some(unknown, 'events of other names: use Additional Events')]));
			if (found.length > 0) break;
		}
	});
	await look(['24'], async () => {
		const { data } = await service.ask('GET', '/analytics');
		const figures = isRecord(data) ? (data.by_platform ?? data.platforms) : undefined;
		const isAsAssumed = Array.isArray(figures) && figures.every(isRecord);
		said.set(
			'24',
			judged([
				!isAsAssumed && 'another form than a list under `platforms`; read by its platforms, else as one item',
			]),
		);
	});
	await look(['25'], async () => {
		const { records: all, data } = await list('/inbox', 'inbox');
		const items = all.map(readInboxItem);
		const lacks = (what: string, name: 'id' | 'platform' | 'kind' | 'text'): string | false =>
			some(
				items.filter((one) => one[name] === undefined),
				`items without a readable ${what}; left out by its filter, or empty`,
			);
		const parts = [
			lacks('ID', 'id'),
			lacks('platform', 'platform'),
			lacks('kind', 'kind'),
			lacks('text', 'text'),
		];
		judgeRecords('25', all, formOf(data, 'inbox'), ...parts);
	});
	await look(['6'], async () => {
		if (!post) return void said.set('6', notSeen('there is no post'));
		const path = `/posts/${pathSegment(post, 'Post')}/analytics`;
		const { data } = await service.ask('GET', path, { qs: { granularity: 'weekly' } });
		const has = isRecord(data) && Array.isArray(data.weekly_series);
		said.set(
			'6',
			judged([
				!has &&
					'no `weekly_series`; Output: Series takes the other list ending in `_series`, else is an error',
			]),
		);
	});
	await look(['12'], async () => {
		const other = service.apiUrl.endsWith('/api/public/v1')
			? service.apiUrl.replace(/\/api\/public\/v1$/, '/v1')
			: service.apiUrl.replace(/\/v1$/, '/api/public/v1');
		await service.ask('GET', '/posts', { qs: { limit: 1 }, apiUrl: other }).then(
			() => said.set('12', judged([])),
			(error: unknown) => {
				if (!(error instanceof Failure) || error.details.status === 403) throw error;
				said.set('12', judged(['only the address form that was given; choose it in the credential']));
			},
		);
	});
	await look(['29'], async () => {
		await service.ask('GET', '/posts', { qs: { limit: 1 }, withoutWorkspace: true }).then(
			() => said.set('29', judged([])),
			(error: unknown) => {
				if (!(error instanceof Failure) || error.details.status >= 500) throw error;
				said.set('29', judged(['posts need a workspace: set one in the credential']));
			},
		);
	});
	if (withId + withoutId.length > 0)
		said.set('7', judged([withoutId.length > 0 && `no \`id\` in ${withoutId.join(', ')}: choose By ID`]));
	if (unfollowed.length > 0)
		said.set('32', judged([`${unfollowed.length} lists have more than can be read; a hint says so`]));
	return said;
}
