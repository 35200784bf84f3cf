import type { RecordedRequest, Service } from '../../service';
import { canonical } from '../../service/idempotency';
import { modeOf } from './parameters';
import type { Sequence, Settings } from './sequence';
import { INBOX } from './world';

/** A request that writes, as the service sees it. */
export interface Effect {
	request: RecordedRequest;
	key: string;
	/** `POST /posts`, `PATCH /posts`, …: what it does. */
	does: string;
	/** Of the item that it is about. */
	label: number;
	/** `x`, `x2`, `linkedin`, …; '' of what is no post. */
	target: string;
	/** All that it says, and where it goes. */
	said: string;
	/** The same without its time and, so that tries can be compared, by the names of its files. */
	content: string;
	time: string | undefined;
	when: Settings['when'];
	/** Its text, and the word in it. */
	text: string | undefined;
	word: string | undefined;
	answer: Answer;
	/** In which mode it was sent. */
	mode: Settings['mode'];
}

/** What the answer says of the write. `conflict`: its key was used for other content; `gone`: there is no such record. */
export type Answer = 'done' | 'kept' | 'rejected' | 'conflict' | 'gone' | 'unknown';

/** Answers that came with something else than the service's own. */
const UNREADABLE = new Set(['empty', 'malformed', 'dropAfter', 'dropBefore', 'status']);

function answerOf({ status, fault = '', code }: RecordedRequest, does: string): Answer {
	if (status === 0 || status >= 500) return 'unknown';
	if (status === 404) return 'gone';
	const isEnded = code === 'PUBLIC_API_POST_CANCEL_INVALID_STATE' && !UNREADABLE.has(fault);
	if (status === 409) return isEnded ? 'rejected' : 'conflict';
	if (status >= 400 && status !== 422) return 'rejected';
	// Where the spec shows no answer, none is one.
	const isShown = !/^PATCH |\/(cancel|reply)$/.test(does);
	const isRead = !UNREADABLE.has(fault) || (fault === 'empty' && !isShown);
	// A deletion is answered without a body.
	if (!isRead && !does.startsWith('DELETE')) return 'unknown';
	return status === 422 ? 'kept' : 'done';
}

const textIn = (content: unknown): string =>
	typeof content === 'string' ? content : ((content as { text?: string }).text ?? '');

const isDigit = (text: string | undefined): boolean => /^\d$/.test(text ?? '');

export function effectOf(
	request: RecordedRequest,
	service: Service,
	one: Sequence,
	settings: Settings,
): Effect | undefined {
	if (!/^(POST|PATCH|DELETE)$/.test(request.method)) return undefined;
	const path = request.path.replace(/^\/api\/public\/v1/, '');
	const body = (request.body ?? {}) as Record<string, any>;
	const { platform = '', platforms: [first] = [platform], scheduled_at, schedule_at, ...words } = body;
	const workspace = String(request.headers['x-service-workspace-id'] ?? '');
	const does = `${request.method} ${path.replace(/\/[a-z]+_[^/]+/, '')}`;
	const mode = modeOf(one, settings);
	const urls: string[] = body.content?.media ?? body.media ?? [];
	const nameOf = (url: string): string => service.store.mediaByUrl.get(url)?.filename ?? url;
	const content = urls.reduce((text, url) => text.replace(url, nameOf(url)), canonical(words));
	return {
		...{ request, does, mode },
		key: String(request.headers['idempotency-key']),
		label: Number(
			/item-(\d)|\/post_(\d)old/.exec(path + content)?.find(isDigit) ?? INBOX.indexOf(path.split('/')[2]!),
		),
		target: String(body.account_id).endsWith('_x2') ? 'x2' : first,
		said: [request.method, path, workspace, canonical(body)].join(' '),
		content: [does, path, workspace, content].join(' '),
		time: scheduled_at ?? schedule_at,
		when: settings.when,
		text: does === 'POST /posts' ? textIn(body.content) : undefined,
		word: /word (\d)/.exec(content)?.[1],
		answer: answerOf(request, does),
	};
}
