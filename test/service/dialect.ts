import { mapValues, pickBy } from 'lodash';
import { generator } from './faults';

/**
 * What one service may have chosen where the specification says "not shown". Today's choice is that of docs/spec-gaps.md.
 * What is shown is never touched: test/integration/service/dialect.test.ts compares with docs/openapi.yaml.
 */
const choices = {
	/** The six lists without a shown shape: under another name, or without one. */
	lists: ['other name', 'bare'],
	/** How they go on, in pages of three; `unsaid`: only the first ten, without a word. */
	more: ['hasNext', 'has_more', 'next_cursor', 'next_page', 'Link', 'unsaid'],
	/** Every other field that is not shown. */
	fields: ['camelCase', 'other names', 'nested', 'left out'],
	nulls: ['null for absent', 'absent for null'],
	times: ['whole seconds', 'ms', 's'],
	'workspace id': ['workspace_id', '_id', 'left out'],
	'account id': ['account_id', '_id', 'number', 'number per platform', 'left out'],
	'account platform': ['network', 'LINKEDIN', 'linkedin_page', 'object', 'left out'],
	'account state': ['ACTIVE', 'not_expired', 'is_connected', 'health', 'object', 'left out'],
	'account name': ['display_name', 'left out'],
	'webhook id': ['number', 'webhook_id', '_id', 'left out'],
	'webhook url': ['endpoint', 'left out'],
	'webhook state': ['enabled', 'DISABLED', 'state', 'left out'],
	/** The answer to POST /webhooks beside `webhook.secret`. */
	'webhook answer': ['ID beside', 'only the secret'],
	/** The secret that the caller supplies. */
	'own secret': ['ignored', 'refused'],
	/** A delivery's record has the four shown facts, and what else? */
	'delivery record': ['event in payload', 'event as text', 'four facts', 'four facts under other names'],
	'event data': ['only what is shown'],
	'inbox id': ['number', '_id', 'left out'],
	'inbox platform': ['network', 'FACEBOOK', 'left out'],
	'inbox kind': ['kind', 'DM', 'left out'],
	'inbox text': ['body', 'left out'],
	'batch state': ['PENDING', 'to_do', 'state', 'left out'],
	'batch posts': ['content_id', 'without status', 'post_ids', 'left out'],
	'post time': ['scheduledAt', 'publish_at', 'ms', 's', 'left out'],
	'post platform': ['object', 'LINKEDIN', 'linkedin_page', 'map', 'channel', 'left out'],
	'post account': ['accountId', 'left out'],
	/** A post that waits for an approver. */
	'post waiting': ['in_review', 'queued'],
	/** The answer to POST /posts beside `id` and `status`. */
	'post answer': ['map', 'empty list', 'object', 'shared account', 'names', 'id and status'],
	/** Where the post that a 422 has persisted stands. */
	'refused post': ['data.post', 'left out'],
	'patch answer': ['ID', 'null', '204'],
	'cancel answer': ['ID', 'null', '204'],
	'reply answer': ['ID', 'null', '204'],
	'upload address': ['put_to'],
	'media address': ['url', 'left out'],
	overview: ['platforms', 'keys', 'bare', 'names', 'left out'],
	weekly: ['weeks', 'left out'],
	usage: ['list', 'empty'],
	/** What `from` and `to` of GET /posts leave out, and how exactly the service knows a time. */
	range: ['exclusive', 'seconds', 'seconds exclusive'],
	/** What a moment after its creation is not there yet. */
	late: ['posts', 'webhooks'],
	/** What the plan doesn't have. */
	missing: [
		...['/accounts', '/approvals', '/webhooks/{id}/deliveries', '/social-connections'],
		...['/inbox', '/usage', '/analytics', '/workspaces'],
	].flatMap((path) => [`403 ${path}`, `404 ${path}`]),
};

export const AS_TODAY = 'as today';
type Part = keyof typeof choices;
export type Dialect = Record<Part, string>;

/** Each part with what it may be; first as it is today. */
export const parts = mapValues(choices, (own) => [AS_TODAY, ...own]) as Record<Part, string[]>;
export const today: Dialect = mapValues(parts, () => AS_TODAY);
/** Nothing that is not shown exists. */
export const bare: Dialect = {
	...mapValues(parts, (own) => own.at(-1)!),
	...{ more: AS_TODAY, times: AS_TODAY, 'post waiting': AS_TODAY, late: AS_TODAY, missing: AS_TODAY },
	...{ range: 'seconds exclusive', nulls: 'absent for null', 'upload address': 'put_to' },
};

export const differences = (dialect: Dialect): Partial<Dialect> =>
	pickBy(dialect, (choice) => choice !== AS_TODAY);

/** Any dialect, the same for the same seed: a third of the parts differ from today. */
export function dialectOf(seed: number): Dialect {
	const random = generator(seed);
	return mapValues(parts, ([first, ...others]) =>
		random() < 2 / 3 ? first! : others[Math.floor(random() * others.length)]!,
	);
}
