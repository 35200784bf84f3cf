import { differenceBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Answer } from './answers';
import { listIn, recordIn } from './lists';

export interface Listed {
	records: IDataObject[];
	/** The service says that it has more than these. */
	hasMore: boolean;
}

export interface ListOptions {
	/** How many records are wanted; left out, all. */
	most?: number;
	/** The endpoint takes `limit`, up to so many (spec, "Pagination": approvals). */
	pageSize?: number;
}

/** Bounds what a service that always promises more can cost. */
const MAX_PAGES = 1_000;

/**
 * A list with its pages: `page` is incremented until `pagination.hasNext` is false (spec, "Pagination"). A record that comes
 * again on a later page counts once; an ID alone may be another's, such as of another platform. @throws Failure of any page
 */
export async function readList<Request extends { qs?: IDataObject }>(
	send: (request: Request & { expects: 'list' }) => Promise<Answer>,
	{ most = Infinity, pageSize, ...request }: Request & ListOptions,
): Promise<Listed> {
	const limit = pageSize ? { limit: Math.min(most, pageSize) } : {};
	let records: IDataObject[] = [];
	for (let page = 1; ; page++) {
		const qs = page > 1 || pageSize ? { ...request.qs, page, ...limit } : request.qs;
		const answer = await send({ ...(request as unknown as Request), qs, expects: 'list' });
		// As `expects` says.
		const listed = listIn(answer.data) as IDataObject[];
		const fresh = page > 1 ? differenceBy(listed, records, JSON.stringify) : listed;
		records = [...records, ...fresh];
		const isLast = !placesOf(answer).some(({ hasNext }) => hasNext === true);
		if (isLast || fresh.length === 0 || records.length >= most || page === MAX_PAGES)
			return {
				records: records.slice(0, most),
				hasMore: records.length > most || !isLast || hasOtherMore(answer),
			};
	}
}

/** Where a list may say how it goes on: in `data` as the spec shows it, or beside a bare list, there in `pagination`. */
const placesOf = ({ data, beside }: Answer): IDataObject[] =>
	[data, beside].map(recordIn).flatMap((place) => [place, recordIn(place.pagination)]);

/** Whether an answer says in another form that there is more, such as `next_cursor`, which is not followed. */
const hasOtherMore = (answer: Answer): boolean =>
	/;\s*rel="?next\b/i.test(String(answer.headers.link)) ||
	placesOf(answer).some((place) => ['has_more', 'next_cursor', 'next_page'].some((name) => place[name]));
