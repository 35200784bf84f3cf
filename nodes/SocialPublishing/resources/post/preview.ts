import { groupBy, isUndefined, map, omit, omitBy, uniq } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { inTurn } from '../../../api/concurrency';
import { Failure, toFailure, type Outcome } from '../../../api/failure';
import { withoutQuery } from '../../../api/fileTypes';
import { titleOf } from '../../../api/contract';
import { iso } from '../../../api/postRange';
import { readPost } from '../../../api/records';
import { withoutSignedQueries } from '../../../api/redaction';
import { filled, firstFew } from '../../../api/texts';
import type { Item } from '../../engine/item';
import { postLabel } from '../../lookups/posts';
import type { FileFacts } from '../../media/files';
import { mayBeSame, type Destination } from '../../writes/continued';
import { withColumns } from '../../engine/tables';
import { meansNow } from '../time';
import type { CreateParams } from './createFields';
import { countText } from './networks';
import { pageOf } from './page';
import { leftOf, namesOf, type PlannedRequest, type PostFile, type PostPlan } from './plan';
import { postsBetween } from './queue';
import { times } from './when';

/** What would be sent, and what a person may want to know before. Only reads are sent for it. */

/** How many of the service's posts are read, and how many equal ones are compared. */
const MAX_COMPARED = 500;

/** A post of a row that is previewed, or one that the service has already. */
interface Due {
	post: Destination & { text?: string };
	at: number;
	/** What a person knows it by. */
	label: string;
	request?: PlannedRequest;
}

const previewColumns = ['platform', 'account', 'when', 'text', 'characters', 'warnings'];

/** What *Post: Create* would send: one item a request, or one page of all. */
export async function previewPosts(plans: readonly PostPlan[]): Promise<Outcome[][]> {
	const asPage = plans.some(({ item, params }) => params.options.previewAs === 'page' && !item.isOfTool);
	const all = plans.flatMap(({ requests }) => requests.flatMap(dueOf));
	const ofWorkspace = groupBy(all, 'request.plan.item.workspaceId');
	const previewsOf = async (plan: PostPlan) => {
		const { item, media, requests } = plan;
		// What was sent before is shown as it was, since its files may be gone.
		const files = leftOf(plan).length > 0 ? plan.files : [];
		const opened = await Promise.all(files.map(async (file) => await item.uploads.preview(file)));
		const shown = asPage ? filesOn(plan) : [];
		const equal = await item.once('equal', async () => {
			const own = ofWorkspace[item.workspaceId]!;
			return groupBy([...own, ...(await listedAround(item, map(own, 'at')))], equalBy);
		});
		return requests.map((request) => {
			const due = request.sent ? [] : dueOf(request);
			const warnings = due.flatMap((one) => warningsOfEqual(one, equal[equalBy(one)]!));
			return previewOf(request, files.length > 0 ? opened : media, warnings, shown);
		});
	};
	const previews = await inTurn(plans, async (plan) => await previewsOf(plan).catch(toFailure));
	const shown = previews.flatMap((one) => (one instanceof Failure ? [] : one));
	const items = asPage ? [pageItem(shown)] : withColumns(map(shown, 'row'), previewColumns);
	return previews.map((one) => (one instanceof Failure ? [one] : items.splice(0, one.length)));
}

const filesOn = ({ item, files, media }: PostPlan): FileFacts[] => [
	...files.map((file) => item.uploads.shown(file)),
	...media.flatMap(({ readUrl }) => (readUrl ? [{ name: withoutQuery(readUrl) }] : [])),
];

const pageItem = (shown: Array<ReturnType<typeof previewOf>>): IDataObject => ({
	html: pageOf(
		shown.flatMap(({ cards }) => cards),
		withoutSignedQueries(map(shown, 'request')),
	),
	approval_codes: filled(map(shown, 'row.approval_code')).join(', '),
});

function dueOf(request: PlannedRequest): Due[] {
	const { now, index } = request.plan.item;
	const at = Math.max(now, request.dueAt ? Date.parse(request.dueAt) : 0);
	return request.posts.map((post) => ({ post, at, label: `row ${index + 1} of this run`, request }));
}

const equalBy = ({ post, at }: Due): string => JSON.stringify([post.platform, post.text, at]);

/** The service's posts around these times, as far as they can be read. */
async function listedAround(item: Item, times: number[]): Promise<Due[]> {
	// Whether a range includes its ends isn't shown.
	const [from, to] = [Math.min(...times) - 1000, Math.max(...times) + 1000];
	const unread = { records: [], isUnclear: true };
	const { records, isUnclear } = await postsBetween(item, from, to, MAX_COMPARED + 1).catch(() => unread);
	if (isUnclear || records.length > MAX_COMPARED) item.hint(notCompared, 'info');
	return records.flatMap((record) => {
		const { isOpen, dueAt: at, platforms, accountId, text } = readPost(record);
		if (!isOpen || at === undefined) return [];
		const label = postLabel(record, item.zone);
		return platforms.map((platform) => ({ post: { platform, accountId, text }, at, label }));
	});
}

const notCompared =
	"Not all of the service's posts could be compared with these, so an equal one may be missing from the warnings";

function warningsOfEqual({ request, post }: Due, equal: Due[]): string[] {
	const isOther = (one?: PlannedRequest) => one?.plan !== request!.plan && !one?.sent;
	const others = equal
		.slice(0, MAX_COMPARED)
		.filter((one) => isOther(one.request) && mayBeSame(one.post, post));
	const labels = uniq(map(others, 'label'));
	if (labels.length === 0) return [];
	return [`${titleOf(post.platform)} has another post with the same text and time: ${firstFew(labels)}`];
}

function previewOf(request: PlannedRequest, media: PostFile[], near: string[], files: FileFacts[]) {
	const { plan, posts, sent, corrects, dueAt, approvalCode } = request;
	const { item, params, fields } = plan;
	const asSent = sent
		? item.writer.previewOf(sent.entry)
		: item.writer.preview(item, request.writeWith(media));
	const isPublished = !sent && params.options.ifPast === 'publish';
	const isNow =
		dueAt === undefined || meansNow(dueAt, item.now) || (isPublished && Date.parse(dueAt) <= item.now);
	const at = times(isNow ? iso(Math.floor(item.now / 1000) * 1000) : dueAt, item.zone);
	// What is wrong with a request that wasn't sent is in its own warnings.
	const warnings = [...((sent || corrects ? asSent.warnings : []) as string[]), ...request.warnings, ...near];
	for (const warning of warnings) item.hint(warning);
	const counted = posts.map(({ platform, text }) => countText(platform, text).characters);
	const titled = posts.map(({ platform }, index) => `${titleOf(platform)} ${counted[index]}`);
	const time = DateTime.fromISO(String(at.scheduled_at_local), { setZone: true });
	const hasOwnFields = !sent && fields?.has(posts[0]!.platform);
	const facts = filled([notes[params.when], hasOwnFields && ownFieldsNote]);
	const note = facts.join('. ');
	// In the table, a column of them would make each row six lines high.
	if (!item.isOfTool) for (const one of facts) item.hint(one, 'info');
	const row = {
		...namesOf(posts),
		when: isNow ? 'now' : time.toFormat('ccc d LLL yyyy HH:mm', { locale: 'en' }),
		text: posts[0]!.text,
		characters: (posts.length > 1 ? titled : counted).join(', '),
		note: item.isOfTool && note ? note : undefined,
		...at,
		approval_code: approvalCode,
		...omit(asSent, 'request'),
		warnings,
	};
	const cards = posts.map(({ platform, account = '', text }, index) => ({
		...{ ...row, note, platform, account, text, characters: counted[index]!, files },
		when: isNow ? 'Now' : `${row.when} (${item.zone})`,
	}));
	return { row: omitBy(row, isUndefined), cards, request: asSent.request };
}

const ownFieldsNote = "The service may refuse 'Fields per Platform' that its specification does not show";

/** Why it may get another time when it is sent. */
const notes: Partial<Record<CreateParams['when'], string>> = {
	delay: 'The delay starts when the post is sent',
	nextSlot: 'The slot is chosen when the post is sent',
};
