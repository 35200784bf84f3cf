import { groupBy, isMatch, mapValues } from 'lodash';

import type { RecordedRequest, Service } from '../../service';
import { canonical } from '../../service/idempotency';
import { ofRow, SECOND } from './parameters';
import { OPERATIONS, type Sequence, type Settings } from './sequence';

/** What a request is for, as the service sees it. */
export interface Effect {
	request: RecordedRequest;
	key: string;
	/** `/posts posts`, `update posts`, …: what it does. */
	does: string;
	apiKey: string;
	/** Where it went, and what the node had named: '' for none. */
	workspace: string;
	namedWorkspace: string;
	/** Which item it tells of, as it says itself; see `aboutOf`. */
	about: string;
	platforms: string[];
	account: string;
	/** What it says, by the names of its files, without platforms, account and time. */
	content: string;
	time: string | undefined;
	/** The word in its text, and the note in its additional fields. */
	word: string | undefined;
	note: string | undefined;
	/** What the one who sent it knows. */
	result: Result;
	/** In which mode it was sent. */
	mode: Settings['mode'];
}

type Result = 'conflict' | 'succeeded' | 'keptAsFailed' | 'rejected' | 'inDoubt';

const REJECTIONS = new Set([400, 401, 403, 404, 429]);
/** Statuses that came with something else than the service's answer. */
const UNREADABLE = new Set(['empty', 'malformed', 'dropAfter', 'dropBefore', 'status']);

function resultOf({ status, fault, code }: RecordedRequest, mode: Settings['mode'], does: string): Result {
	if (REJECTIONS.has(status)) return 'rejected';
	const isRefusal = status === 409 && !UNREADABLE.has(fault ?? '');
	if (isRefusal && code === 'PUBLIC_API_POST_CANCEL_INVALID_STATE') return 'rejected';
	// Where the key isn't made of the execution, another one has used it.
	if (isRefusal && (mode !== 'execution' || /\/reply /.test(does))) return 'conflict';
	if (status === 422) return fault === 'status' ? 'inDoubt' : 'keptAsFailed';
	// Where the spec shows no answer, none is one.
	const isNothing = fault === 'empty' && /^update |\/(cancel|reply) /.test(does);
	const isRead = isNothing || !UNREADABLE.has(fault ?? '');
	return status >= 200 && status < 300 && isRead ? 'succeeded' : 'inDoubt';
}

/** What is known of a write after these requests with its key. */
function stateOf(requests: readonly Effect[]): Result {
	let state: Result = 'rejected';
	/** What may have been carried out. */
	let unsettled: Effect[] = [];
	for (const effect of requests) {
		const { result, does, request, content, time } = effect;
		if (state === 'succeeded') break;
		if (result === 'conflict') {
			// The service doesn't know this one, so what said the same was not carried out.
			const said = { does, content, time };
			unsettled = unsettled.filter((one) => !isMatch(one, said));
			if (unsettled.length === 0) state = 'rejected';
			continue;
		}
		if (!isRefused(effect)) unsettled.push(effect);
		// The record is gone: an earlier attempt may have deleted it.
		if (state === 'inDoubt' && request.status === 404 && does.startsWith('delete ')) return 'succeeded';
		if (state === 'rejected' || result === 'succeeded') state = result;
		else if (state === 'inDoubt' && result === 'keptAsFailed') state = result;
	}
	return state;
}

/** The service did certainly not carry it out. */
export const isRefused = ({ result }: Effect): boolean => result === 'rejected' || result === 'conflict';

/** The service may have carried it out, or kept it as failed. */
export const leftSomething = (requests: readonly Effect[]): boolean => stateOf(requests) !== 'rejected';

/** The service kept it as failed. */
export const isKeptAsFailed = (requests: readonly Effect[]): boolean => stateOf(requests) === 'keptAsFailed';

/** It was carried out, or may have been. */
export const mayBeSent = (requests: readonly Effect[]): boolean =>
	['succeeded', 'inDoubt'].includes(stateOf(requests));

export const byKey = (requests: readonly Effect[]): Effect[][] =>
	Object.values(groupBy(requests, ({ key }) => key));

export function effectOf(
	request: RecordedRequest,
	service: Service,
	one: Sequence,
	settings: Settings,
): Effect | undefined {
	if (!/^(POST|PATCH|DELETE)$/.test(request.method)) return undefined;
	const path = request.path.replace(/^\/api\/public\/v1/, '');
	const body = (request.body ?? (request.file ? { filename: request.file } : {})) as Record<string, any>;
	// Of a multipart request that did not arrive, nothing is known.
	if (path === '/media' && !body.filename) return undefined;
	const { platform, platforms = [platform ?? ''], account_id: account = '', ...rest } = body;
	const { scheduled_at, schedule_at, ...words } = rest;
	const urls: string[] = body.content?.media ?? body.media ?? [];
	const files = urls.map((url) => service.store.mediaByUrl.get(url)?.filename ?? url);
	const content = urls.reduce((text, url, i) => text.replace(url, files[i]!), canonical(words));
	const found = (what: RegExp, text = content) => what.exec(text)?.[1];
	const namedWorkspace = String(request.headers['x-service-workspace-id'] ?? '');
	// The second file of an item is about the same.
	const name = body.filename ?? files[0];
	const first = name?.replace('-more', '');
	const about = found(/\/((?:post|inb|wh)_[^/]+)/, path) ?? first ?? found(/(item-\d)/) ?? '';
	const { mode } = ofRow(one, settings, about);
	const does = doesOf(request.method, path);
	const places = account.includes(`_${SECOND}`) ? [SECOND] : first === name ? platforms : ['more'];
	return {
		...{ request, mode, does, namedWorkspace, account, content, about },
		apiKey: settings.apiKey,
		platforms: places,
		key: String(request.headers['idempotency-key']),
		workspace: request.workspace ?? (namedWorkspace || 'ws_main'),
		time: scheduled_at ?? schedule_at,
		word: found(/word (\d)/),
		note: found(/"note":(\d)/),
		result: resultOf(request, mode, does),
	};
}

function doesOf(method: string, path: string): string {
	const does =
		method === 'PATCH' ? 'update' : method === 'DELETE' ? 'delete' : path.replace(/\/[a-z]+_[^/]+/, '');
	return `${does} ${path.split('/')[1]}`;
}

export const DOES = mapValues(OPERATIONS, ([, , does]): string => does);
export const UPLOAD = DOES.upload;
