import { camelCase, has, isEmpty, mapKeys, mapValues, pick, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Answer } from './answers';
import { ignoring } from './failure';
import { arrayIn, hasOthers, identity, isRecord, whole } from './lists';

export interface Listed {
	records: IDataObject[];
	/** The service has more: it says so, and the next page can't be read, or isn't needed. */
	hasMore: boolean;
	/** It says something of pages that can't be read. */
	isUnclear?: boolean;
	/** It says nothing of pages, and has as many as one may have. */
	mayBePage?: boolean;
	/** Only then is it a fact that the service has no other record. */
	isComplete: boolean;
	/** Of the first page. */
	headers?: IDataObject;
}

/** What asks for the next page: a query beside that of the first one, or another path of the service with its query. */
export interface NextPage {
	path?: string;
	qs?: IDataObject;
}

export interface ListOptions {
	listNames: readonly string[];
	most?: number;
	/** Those of which `most` are wanted: all others up to there are given, too. Left out, all. */
	counts?: (record: IDataObject) => boolean;
	/** The endpoint has numbered pages of so many (spec, "Pagination": approvals). */
	pageSize?: number;
}

/** How many pages in a row may bring nothing new. */
const MAX_EMPTY_PAGES = 20;
/** Bounds what a service that always promises more can cost. */
const MAX_PAGES = 1_000;
/** A list of so many may be the first page of more, though it doesn't say so. */
const usualPageSizes = [10, 20, 25, 50, 100];

/**
 * A list with all its pages, each record once: in the form of approvals (spec, "Pagination") or of row 32 of
 * docs/spec-gaps.md. @throws Failure of the first page, and of a later one that may be there when asked again
 */
export async function readList<Request extends NextPage>(
	send: (request: Request) => Promise<Answer>,
	apiUrl: string,
	{ listNames, most = Infinity, counts, pageSize, ...request }: Request & ListOptions,
): Promise<Listed> {
	const expects = { list: listNames };
	const ask = async ({ qs, ...page }: NextPage): Promise<Answer> =>
		await send({ expects, ...request, ...page, ...(qs ? { qs: { ...request.qs, ...qs } } : {}) } as never);
	const limit = pageSize && Math.min(most, pageSize);
	const found: IDataObject[] = [];
	let wanted = 0;
	const seen = new Set<string>();
	let tell = identity;
	let headers: IDataObject | undefined;
	let isUnderstood = true;
	let next: NextPage = limit ? { qs: { page: 1, limit } } : {};
	for (let page = 1, emptyPages = 0; ; page++) {
		const answer = await ask(next).catch(ignoring(...(page > 1 ? unknownPage : [])));
		headers ??= answer?.headers;
		const all = arrayIn(answer?.data, listNames);
		const list = all?.filter(isRecord) ?? [];
		isUnderstood &&= all !== undefined && all.every(isRecord) && !hasOthers(answer?.data, all);
		// The same ID for several records is none of their own.
		if (uniqBy(list, identity).length < uniqBy(list, whole).length) tell = whole;
		// Records without an ID may be equal; a page that was there before is no new one.
		const isNew = (one: IDataObject) => !seen.has(tell(one));
		const fresh = list.some(isNew) ? list.filter((one) => isNew(one) || !one.id) : [];
		found.push(...fresh);
		wanted += counts ? fresh.filter(counts).length : fresh.length;
		for (const one of fresh) seen.add(identity(one)).add(whole(one));
		emptyPages = fresh.length > 0 ? 0 : emptyPages + 1;
		const url = `${apiUrl}${next.path ?? (request as NextPage).path ?? ''}`;
		const told: More = answer ? moreIn(answer, apiUrl, url, page, found.length) : { more: true };
		const said = told.isGuess && fresh.length === 0 ? { isUnclear: true } : told;
		const isFull = limit !== undefined && list.length >= limit && fresh.length > 0;
		const following = said.next ?? (said.more === undefined && isFull ? numbered(page + 1) : undefined);
		// What a page has may be filtered, or decided on since.
		const isRead =
			emptyPages > (limit || list.length === 0 ? MAX_EMPTY_PAGES : 0) || wanted >= most || page >= MAX_PAGES;
		if (!following || isRead) {
			const hasMore = wanted > most || (said.more ?? following !== undefined);
			const isAsLong = page === 1 && [...usualPageSizes, said.size].includes(list.length);
			const mayBePage = isAsLong && said.more === undefined;
			const isComplete = !hasMore && !mayBePage && !said.isUnclear && isUnderstood;
			const isGuessed = !isUnderstood && !listNames.some((name) => has(answer?.data, name));
			const isUnclear = !hasMore && (isGuessed || said.isUnclear);
			const records = counts ? found : found.slice(0, most);
			return { records, hasMore, isUnclear, mayBePage: mayBePage && !said.isCounted, isComplete, headers };
		}
		next = limit ? { ...following, qs: { limit, ...following.qs } } : following;
	}
}

/** The service doesn't know the page, cursor or address that it named itself; trouble, or what can't be read, is no such answer. */
const unknownPage = [400, 404, 405, 410, 422];

const numbered = (page: number): NextPage => ({ qs: { page } });

/** Whether there is more; undefined where the answer doesn't say. */
interface More {
	more?: boolean;
	next?: NextPage;
	/** How many a page has. */
	size?: number;
	/** It says something of pages that can't be read. */
	isUnclear?: boolean;
	/** It says how many there are. */
	isCounted?: boolean;
	/** By a total in a header alone, which may be of something else. */
	isGuess?: boolean;
}

/** In camelCase: `total_count` and the header `X-Total-Count` are `totalCount`. */
const flags = ['hasNext', 'hasMore', 'hasNextPage', 'hasMoreRows', 'isTruncated', 'truncated'];
const cursors = ['nextCursor', 'endCursor', 'nextPageToken'];
const nexts = ['nextPage', 'next', 'nextUrl', 'nextResults'];
const totals = ['total', 'totalCount', 'totalItems', 'totalElements', 'totalResults'];
const lastPages = ['totalPages', 'lastPage', 'pageCount'];
const pageSizes = ['perPage', 'pageSize', 'limit'];
const currents = ['page', 'currentPage', 'number'];
const boxes = [
	'pagination',
	'paging',
	'pageInfo',
	'page',
	'meta',
	'links',
	'pagingInfo',
	'resultInfo',
	'listInfo',
	'searchMetadata',
];
/** Names of what else may be said of pages. */
const ofPages =
	/^(is|has|odata)?(next|more|last)(page|evaluated|continuation)?(link|url|token|cursor|offset|start|key|results)?$|^(page(s|info|number|index)?|paging|pagination|cursors?|offset|skip|continuation(token)?|total(pages|results|records|count)?)$/i;
/** The next address in a `Link` header (RFC 8288), whatever parameters it has. */
const nextLink =
	/<([^<>]*)>(?:\s*;\s*[\w*]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*?\s*;\s*rel\s*=\s*"?(?:[^",;]*\s)?next\b/i;

/** What the answer from an address says of the pages behind it: in or beside `data`, or in its headers. */
function moreIn(
	{ data, beside, headers }: Answer,
	apiUrl: string,
	url: string,
	page: number,
	count: number,
): More {
	const outer = [data, beside].filter(isRecord);
	const bodies = outer.map(inCamelCase);
	bodies.push(...bodies.flatMap((one) => Object.values(pick(one, boxes)).filter(isRecord).map(inCamelCase)));
	const places = [...bodies, inHeaders(headers)];
	const all = (names: string[]): unknown[] => places.flatMap((one) => Object.values(pick(one, names)));
	const number = (names: string[]): number => Number.parseInt(String(all(names)[0]), 10);
	const flag = String(all(flags)[0]);
	const [cursor, next] = [all(cursors)[0], all(nexts)[0]];
	const said = isRecord(next) ? (next.href ?? next.url) : next;
	const isAddress = typeof said === 'string' && /^(https?:\/)?\/|\?/i.test(said);
	const address = nextLink.exec(String(headers.link))?.[1] ?? (isAddress ? said : undefined);
	if (/^(false|0)$/.test(flag) || all(['last'])[0] === true) return { more: false };
	if (address !== undefined) return { more: true, next: below(apiUrl, address, url) };
	const token = [cursor, next].find((one) => typeof one === 'string' && one !== '');
	if (token) return { more: true, next: { qs: { cursor: token as string } } };
	if (typeof next === 'number' && next > 0) return { more: true, next: numbered(next) };
	// One that is too large to be exact can't be asked for.
	if (typeof cursor === 'number' && cursor > 0)
		return { more: true, next: Number.isSafeInteger(cursor) ? { qs: { cursor } } : undefined };
	const [total, lastPage, size] = [number(totals), number(lastPages), number(pageSizes)];
	const current = all(currents).find((one) => typeof one === 'number') ?? page;
	const isSaid = /^(true|1)$/.test(flag) || lastPage > page;
	const isGuess = !isSaid && bodies.every((one) => isEmpty(pick(one, totals)));
	if (isSaid || total > count) return { more: true, next: numbered(current + 1), isGuess };
	const ends = [cursor, next].filter((one) => one !== undefined);
	if (lastPage <= page || (ends.length > 0 && ends.every((one) => !one))) return { more: false };
	const isOfPages = ([name, value]: [string, unknown]): boolean =>
		ofPages.test(name) && (isRecord(value) ? !isEmpty(value) : !!value && !Array.isArray(value));
	const isCounted = !Number.isNaN(total);
	return {
		...{ size, isCounted },
		isUnclear:
			ends.length > 0 ||
			number(['count']) > count ||
			(!isCounted && Number.isNaN(size) && places.some((one) => Object.entries(one).some(isOfPages))),
	};
}

const inCamelCase = (place: IDataObject): IDataObject =>
	mapKeys(place, (_, name) => camelCase(name.replace(/^x-/i, '')));

/** Headers, with numbers as a body has them, and the total of `Content-Range: items 0-6/17`. */
function inHeaders(headers: IDataObject): IDataObject {
	const total = /\/(\d+)$/.exec(String(headers['content-range']))?.[1];
	return mapValues(inCamelCase({ ...headers, ...(total && { total }) }), (value) =>
		/^\d{1,15}$/.test(String(value)) ? Number(value) : value,
	);
}

/** An address of the service's own API, for the client; the key goes nowhere else. */
function below(apiUrl: string, address: string, base: string): NextPage | undefined {
	if (!URL.canParse(address, base)) return undefined;
	const [root, url] = [new URL(apiUrl), new URL(address, base)];
	// Behind a proxy, a service may take itself for http: it is asked at its own address anyway.
	if (url.host !== root.host || !`${url.pathname}/`.startsWith(`${root.pathname}/`)) return undefined;
	const path = url.pathname.slice(root.pathname.length);
	const query = [...url.searchParams];
	// Of a name that repeats, only one value would be asked for.
	if (uniqBy(query, 0).length < query.length) return undefined;
	return { ...(path ? { path } : {}), qs: Object.fromEntries(query) };
}
