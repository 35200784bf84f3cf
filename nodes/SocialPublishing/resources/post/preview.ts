import { groupBy, isUndefined, map, omitBy, sumBy, uniq } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { Failure, toFailure, type Outcome } from '../../../api/failure';
import { withoutQuery } from '../../../api/fileNames';
import { titleOf } from '../../../api/platforms';
import { iso } from '../../../api/postRange';
import { readPost } from '../../../api/records';
import { withoutSignedQueries } from '../../../api/redaction';
import { filled, firstFew } from '../../../api/texts';
import type { Item } from '../../engine/item';
import type { Planned } from '../../engine/operation';
import { postLabel } from '../../lookups/posts';
import { mayBeSame, type Destination } from '../../writes/continued';
import { withColumns } from '../../engine/tables';
import { meansNow } from '../time';
import type { CreateParams } from './createFields';
import { countText } from './networks';
import { pageOf, type Card, type PageFile } from './page';
import { namesOf, type PlannedRequest, type PostFile, type PostPlan } from './plan';
import { postsBetween } from './queue';
import { times } from './when';

/** What would be sent, and what a person may want to know before. Only reads are sent for it. */

type When = CreateParams['when'];

/** How many of the service's posts are read, and how many equal ones are compared. */
const MAX_COMPARED = 500;

/** A post of a row that is previewed, or one that the service has already. */
interface Due {
	post: Destination & { text?: string };
	at: number;
	/** What a person knows it by. */
	label: string;
	item?: Item;
	request?: PlannedRequest;
}

/** A request as an item, and as a part of a page. */
interface Preview {
	row: IDataObject;
	cards: Card[];
	request: unknown;
}

const previewColumns = ['platform', 'account', 'when', 'text', 'characters', 'warnings'];

/** What *Post: Create* would send: one item a request, or one page of all. */
export async function previewPosts(rows: ReadonlyArray<Planned<PostPlan>>): Promise<Outcome[][]> {
	const all = rows.flatMap(({ plan, item }) => plan.requests.flatMap((request) => dueOf(item, request)));
	const ofWorkspace = groupBy(all, 'item.workspaceId');
	const asPage = rows.some(
		({ item }) => (item.options as IDataObject).previewAs === 'page' && !item.isOfTool,
	);
	const previews = await Promise.all(
		rows.map(async ({ plan: { row, requests }, item }): Promise<Array<Preview | Failure>> => {
			const { files: planned, media: given, params } = row;
			const uploaded = planned.map(async (file) => await item.uploads.preview(file));
			const media = await Promise.all(uploaded).catch(toFailure);
			if ('details' in media) return [media];
			const known = planned.length > 0 ? media : given;
			const files = asPage ? filesOn(item, row) : [];
			const equal = await item.once('equal', async () => {
				const own = ofWorkspace[item.workspaceId]!;
				return groupBy([...own, ...(await listedAround(item, map(own, 'at')))], equalBy);
			});
			return requests.map((request) => {
				const due = request.sent ? [] : dueOf(item, request);
				const warnings = due.flatMap((one) => warningsOfEqual(one, equal[equalBy(one)]!));
				return previewOf(item, params.when, request, known, warnings, files);
			});
		}),
	);
	sayDuration(rows);
	const shown = previews.flat().filter((one): one is Preview => !(one instanceof Failure));
	const items: IDataObject[] = asPage ? pageItem(shown) : withColumns(map(shown, 'row'), previewColumns);
	return previews.map((some) =>
		some.flatMap((one): Outcome[] => (one instanceof Failure ? [one] : items.splice(0, 1))),
	);
}

/** Says how long the limit makes the posts take, where that is a minute or more. */
function sayDuration(rows: ReadonlyArray<Planned<PostPlan>>): void {
	const { pace } = rows[0]!.item;
	const left = rows.flatMap(({ plan }) => plan.requests.filter(({ sent, skipped }) => !sent && !skipped));
	const files = sumBy(rows, ({ plan }) => plan.row.files.length);
	const minutes = pace.minutesFor('write', left.length + files);
	if (minutes === 0) return;
	const about = `about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
	rows[0]!.item.hint(`${left.length} posts: ${about} at ${pace.limitOf('write')} a minute`, 'info');
}

/** What a page shows of a row's files. */
const filesOn = (item: Item, { files, media }: PostPlan['row']): PageFile[] => [
	...files.map((file) => item.uploads.shown(file)),
	...media.flatMap(({ readUrl }) => (readUrl ? [{ name: withoutQuery(readUrl) }] : [])),
];

/** One item for all requests; its page is at the first of them. */
const pageItem = (shown: Preview[]): IDataObject[] => [
	{
		html: pageOf(
			shown.flatMap(({ cards }) => cards),
			withoutSignedQueries(map(shown, 'request')),
		),
		approval_codes: filled(map(shown, 'row.approval_code')).join(', '),
	},
];

function dueOf(item: Item, request: PlannedRequest): Due[] {
	const at = Math.max(item.now, request.dueAt ? Date.parse(request.dueAt) : 0);
	const label = `row ${item.index + 1} of this run`;
	return request.posts.map((post) => ({ post, at, label, item, request }));
}

/** Equal posts have the same. */
const equalBy = ({ post, at }: Due): string => JSON.stringify([post.platform, post.text, at]);

/** The service's posts around these times; none where they can't be read. */
async function listedAround(item: Item, times: number[]): Promise<Due[]> {
	// Whether a range includes its ends isn't shown.
	const [from, to] = [Math.min(...times) - 1000, Math.max(...times) + 1000];
	const found = await postsBetween(item, from, to, MAX_COMPARED).catch((): IDataObject[] => []);
	return found.flatMap((record) => {
		const { isOpen, dueAt: at, platforms, accountId, text } = readPost(record);
		if (!isOpen || at === undefined) return [];
		const label = postLabel(record, item.zone);
		return platforms.map((platform) => ({ post: { platform, accountId, text }, at, label }));
	});
}

/** Warns of equal posts that may go to the same account. */
function warningsOfEqual({ item, post }: Due, equal: Due[]): string[] {
	const others = equal
		.slice(0, MAX_COMPARED)
		.filter((one) => one.item !== item && !one.request?.sent && mayBeSame(one.post, post));
	const labels = uniq(map(others, 'label'));
	if (labels.length === 0) return [];
	const named = firstFew(labels);
	return [`${titleOf(post.platform)} has another post with the same text and time: ${named}`];
}

/** What one request looks like. */
function previewOf(
	item: Item,
	when: When,
	request: PlannedRequest,
	media: PostFile[],
	near: string[],
	files: PageFile[],
): Preview {
	const { posts: group, dueAt, warnings: own, approvalCode } = request;
	const {
		warnings: sent = [],
		request: asSent,
		...preview
	} = request.sent ? item.previewSent(request.sent) : item.preview(request.writeWith(media));
	const isNow = dueAt === undefined || meansNow(dueAt, item.now);
	const at = times(isNow ? iso(Math.floor(item.now / 1000) * 1000) : dueAt, item.zone);
	const warnings = [...(sent as string[]), ...own, ...near];
	for (const warning of warnings) item.hint(warning);
	const counted = group.map(({ platform, text }) => countText(platform, text).characters);
	const time = DateTime.fromISO(String(at.scheduled_at_local), { setZone: true });
	const row = {
		...namesOf(group),
		when: isNow ? 'now' : time.toFormat('ccc d LLL yyyy HH:mm', { locale: 'en' }),
		text: group[0]!.text,
		characters: group
			.map(({ platform }, index) => (group.length > 1 ? `${titleOf(platform)} ` : '') + counted[index])
			.join(', '),
		warnings,
		note: filled([notes[when], request.hasOwnFields ? ownFieldsNote : undefined]).join('. ') || undefined,
		...at,
		approval_code: approvalCode,
		...preview,
	};
	const cards = group.map(({ platform, account = '', text }, index) => ({
		...{ ...row, platform, account, text, characters: counted[index]!, files },
		when: isNow ? 'Now' : `${row.when} (${item.zone})`,
	}));
	return { row: omitBy(row, isUndefined), cards, request: asSent };
}

const ownFieldsNote = "The service may refuse 'Fields per Platform' that its specification does not show";

/** Why it may get another time when it is sent. */
const notes: Partial<Record<When, string>> = {
	delay: 'The delay starts when the post is sent',
	nextSlot: 'The slot is chosen when the post is sent',
};
