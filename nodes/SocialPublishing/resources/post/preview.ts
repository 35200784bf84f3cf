import { isUndefined, map, omit, omitBy } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { inTurn } from '../../../api/concurrency';
import { Failure, toFailure, type Outcome } from '../../../api/failure';
import { withoutQuery } from '../../../api/fileTypes';
import { iso } from '../../../api/postRange';
import { withoutSignedQueries } from '../../../api/redaction';
import type { FileFacts } from '../../media/files';
import { withColumns } from '../../engine/tables';
import { meansNow } from '../time';
import type { CreateParams } from './createFields';
import { countText } from './networks';
import { pageOf, type Card } from './page';
import { leftOf, type PlannedRequest, type PostFile, type PostPlan } from './plan';
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
		const { item, media, requests } = plan;
		// What was sent before is shown as it was, since its files may be gone.
		const files = leftOf(plan).length > 0 ? plan.files : [];
		const opened = await Promise.all(files.map(async (file) => await item.uploads.preview(file)));
		const shown = asPage ? await filesOn(plan) : [];
		const records = map(opened, 'record');
		return requests.map((one) => previewOf(one, files.length > 0 ? opened : media, records, shown));
	};
	const previews = await inTurn(plans, async (plan) => await previewsOf(plan).catch(toFailure));
	const shown = previews.flatMap((one) => (one instanceof Failure ? [] : one));
	const items = asPage ? [pageItem(shown)] : withColumns(map(shown, 'row'), previewColumns);
	return previews.map((one) => (one instanceof Failure ? [one] : items.splice(0, one.length)));
}

async function filesOn({ item, files, media }: PostPlan): Promise<FileFacts[]> {
	const uploaded = media.flatMap(({ readUrl }) => (readUrl ? [{ name: withoutQuery(readUrl) }] : []));
	return [...(await Promise.all(files.map(async (file) => await item.uploads.shown(file)))), ...uploaded];
}

const pageItem = (shown: Preview[]): IDataObject => ({
	html: pageOf(map(shown, 'card'), withoutSignedQueries(map(shown, 'request'))),
});

function previewOf(
	request: PlannedRequest,
	media: PostFile[],
	records: IDataObject[],
	files: FileFacts[],
): Preview {
	const { plan, target, text, sent, corrects, dueAt } = request;
	const { item, params } = plan;
	const { platform, account = '' } = target;
	const asSent = sent
		? item.writer.previewOf(sent.entry)
		: item.writer.preview(item, request.writeWith(media));
	const isPublished = !sent && params.options.ifPast === 'publish';
	const isNow =
		dueAt === undefined || meansNow(dueAt, item.now) || (isPublished && Date.parse(dueAt) <= item.now);
	const at = times(isNow ? iso(Math.floor(item.now / 1000) * 1000) : dueAt, item.zone);
	// What is wrong with a request that wasn't sent is in its own warnings.
	const warnings = [...((sent || corrects ? asSent.warnings : []) as string[]), ...request.warnings];
	for (const warning of warnings) item.hint(warning);
	const characters = countText(platform, text).characters;
	const due = DateTime.fromISO(dueAt ?? '', { zone: item.zone });
	const when = isNow ? 'now' : due.toFormat('ccc d LLL yyyy HH:mm', { locale: 'en' });
	const note = notes[params.when];
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
		when: isNow ? 'Now' : `${when} (${item.zone})`,
	};
	return { row: omitBy(row, isUndefined), card, request: asSent.request };
}

/** Why it may get another time when it is sent. */
const notes: Partial<Record<CreateParams['when'], string>> = {
	nextSlot: 'The slot is chosen when the post is sent',
};
