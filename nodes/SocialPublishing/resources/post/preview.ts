import { isUndefined, map, omit, omitBy } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { inTurn } from '../../../api/concurrency';
import { Failure, toFailure, type Outcome } from '../../../api/failure';
import { withoutQuery } from '../../../api/fileTypes';
import { iso } from '../../../api/postRange';
import { withoutSignedQueries } from '../../../api/redaction';
import type { FileFacts } from '../../media/files';
import type { Uploaded } from '../../media/uploads';
import { withColumns } from '../../engine/tables';
import { notSent } from '../../writes/hints';
import { scheduledAtIn } from '../../writes/key';
import { meansNow } from '../time';
import type { CreateParams } from './createFields';
import { countText } from './networks';
import { pageOf, type Card } from './page';
import { leftOf, requestOf, wordsIn, type PlannedPost, type PostPlan } from './plan';
import { times } from './when';

/** What would be sent, and what a person may want to know before. Only reads are sent for it. */

const previewColumns = ['platform', 'account', 'when', 'text', 'characters', 'warnings'];

interface Preview {
	row: IDataObject;
	card: Card;
	request: unknown;
}

/** What *Post: Create* would send: one item a post, or one page of all. */
export async function previewPosts(plans: readonly PostPlan[]): Promise<Outcome[][]> {
	const asPage = plans.some(({ item, params }) => params.options.preview === 'page' && !item.isOfTool);
	const previewsOf = async (plan: PostPlan): Promise<Preview[]> => {
		// What was sent before is shown as it was, since its files may be gone.
		const files = leftOf(plan).length > 0 ? plan.files : [];
		const opened = await Promise.all(files.map(async (file) => await plan.item.uploads.preview(file)));
		const shown = asPage ? await filesOn(plan) : [];
		return plan.posts.map((post) => previewOf(plan, post, opened, shown));
	};
	const previews = await inTurn(plans, async (plan) => await previewsOf(plan).catch(toFailure));
	const shown = previews.flatMap((one) => (one instanceof Failure ? [] : one));
	if (asPage)
		plans[0]?.item.hint("To see the page, add n8n's HTML node with {{ $json.html }} after this one", 'info');
	const items = asPage ? [pageItem(shown)] : withColumns(map(shown, 'row'), previewColumns);
	return previews.map((one) => (one instanceof Failure ? [one] : items.splice(0, one.length)));
}

async function filesOn({ item, files, urls }: PostPlan): Promise<FileFacts[]> {
	const uploaded = urls.map((url) => ({ name: withoutQuery(url) }));
	return [...(await Promise.all(files.map(async (file) => await item.uploads.shown(file)))), ...uploaded];
}

const pageItem = (shown: Preview[]): IDataObject => ({
	html: pageOf(map(shown, 'card'), withoutSignedQueries(map(shown, 'request'))),
});

function previewOf(
	plan: PostPlan,
	post: PlannedPost,
	opened: readonly Uploaded[],
	files: FileFacts[],
): Preview {
	const { item, params } = plan;
	const { platform, account = '' } = post.target;
	const body = requestOf(plan, post, map(opened, 'readUrl'));
	const known = item.writer.known(post.write);
	const asSent = item.writer.preview(item, post.write, body, post.warnings);
	const { warnings = [] } = asSent as { warnings?: string[] };
	item.hint(`${notSent} Times are in ${item.zone}.`, 'info');
	const { text } = known?.body ? wordsIn(known.body) : post;
	const dueAt = known ? scheduledAtIn(known.body) : (post.dueAt ?? post.slot);
	const { when, shownWhen, at } = whenOf(plan, dueAt, known !== undefined);
	const characters = countText(platform, text).characters;
	const note = notes[params.when];
	const records = known ? [] : map(opened, 'record');
	// In the table, a column of them would make each row six lines high.
	if (note && !item.isOfTool) item.hint(note, 'info');
	const row = {
		...{ platform, account, when, text, characters, warnings },
		note: item.isOfTool ? note : undefined,
		...at,
		...omit(asSent, 'request', 'warnings'),
		files: records.length > 0 ? records : undefined,
	};
	const card = {
		...{ platform, account, text, characters, warnings, note, files },
		when: shownWhen,
	};
	return { row: omitBy(row, isUndefined), card, request: asSent.request };
}

/** When a post goes out: in the table, on its card, and as columns. */
function whenOf(plan: PostPlan, dueAt: string | undefined, isKnown: boolean) {
	const { now, zone } = plan.item;
	if (goesOutNow(plan, dueAt, isKnown))
		return { when: 'now', shownWhen: 'Now', at: times(iso(Math.floor(now / 1000) * 1000), zone) };
	const when = DateTime.fromISO(dueAt!, { zone }).toFormat('ccc d LLL yyyy HH:mm', { locale: 'en' });
	return { when, shownWhen: `${when} (${zone})`, at: times(dueAt, zone) };
}

/** Whether a post goes out at once: without a time, or with one that has passed and is to be published. */
function goesOutNow({ item, params }: PostPlan, dueAt: string | undefined, isKnown: boolean): boolean {
	if (dueAt === undefined || meansNow(dueAt, item.now)) return true;
	return !isKnown && params.options.ifPast === 'publish' && Date.parse(dueAt) <= item.now;
}

/** Why it may get another time when it is sent. */
const notes: Partial<Record<CreateParams['when'], string>> = {
	nextSlot: 'The slot is chosen when the post is sent',
};
