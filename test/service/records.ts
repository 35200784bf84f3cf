import { map, mapKeys, mapValues, omit, pick } from 'lodash';
import { AS_TODAY } from './dialect';
import type { Speaker } from './speaker';
import type { Account } from './types';

/** What becomes of the fields of records on which a dialect has parts of their own. */

export type Data = Record<string, any>;

/** Words that nobody could expect. */
export const otherName = (name: string) => `the_${name}`;
const contentId = (_: unknown, name: string) => (name === 'post_id' ? 'content_id' : name);

/** A field in one of the `special` ways, or in a usual one: its name as today, another one, or none. */
export const as = (choice: string, name: string, value: unknown, special: Record<string, Data> = {}): Data =>
	special[choice] ?? (choice === 'left out' ? {} : { [choice === AS_TODAY ? name : choice]: value });

const platformAs = (choice: string, platform: string): Data =>
	as(choice, 'platform', platform, {
		LINKEDIN: { platform: platform.toUpperCase() },
		FACEBOOK: { platform: platform.toUpperCase() },
		linkedin_page: { platform: `${platform}_page` },
		object: { platform: { key: `p_${platform.length}`, label: platform } },
	});

function accountAs(one: Data, speaker: Speaker): Data {
	const d = speaker.dialect;
	const id = speaker.accountId(one as Account);
	const { status } = one;
	const is = status === 'connected';
	return {
		...(typeof id === 'number' ? { id } : as(d['account id'], 'id', id)),
		...platformAs(d['account platform'], one.platform),
		...as(d['account state'], 'status', status, {
			ACTIVE: { status: is ? 'ACTIVE' : 'REVOKED' },
			not_expired: { status: is ? 'not_expired' : 'expired' },
			is_connected: { is_connected: is },
			object: { status: { code: is ? 1 : 2 } },
		}),
		...as(d['account name'], 'name', one.name, { [AS_TODAY]: pick(one, ['name', 'username']) }),
	};
}

const itemAs = (one: Data, speaker: Speaker): Data => {
	const d = speaker.dialect;
	return {
		...speaker.idAs('item', d['inbox id'], one.id),
		...platformAs(d['inbox platform'], one.platform),
		...as(d['inbox kind'], 'type', one.type, {
			DM: { type: one.type === 'direct_message' ? 'DM' : one.type },
		}),
		...as(d['inbox text'], 'text', one.text),
	};
};

const webhookAs = (one: Data, speaker: Speaker): Data => {
	const d = speaker.dialect;
	return {
		...speaker.idAs('webhook', d['webhook id'], one.id),
		...as(d['webhook url'], 'url', one.url),
		...as(d['webhook state'], 'status', one.status, {
			enabled: { enabled: one.status === 'active' },
			DISABLED: { status: one.status.toUpperCase() },
		}),
	};
};

/** Spec: "a status, an attempt count, the last error and the next attempt time". */
const deliveryFacts = ['status', 'attempts', 'last_error', 'next_attempt_at'];

const deliveryAs = ({ event, ...one }: Data, { dialect }: Speaker): Data => {
	const facts = pick(one, deliveryFacts);
	return as(dialect['delivery record'], '', undefined, {
		[AS_TODAY]: { ...facts, event },
		'event in payload': { ...facts, payload: event },
		'event as text': { ...facts, body: JSON.stringify(event) },
		'four facts': facts,
		'four facts under other names': mapKeys(facts, (_, name) => otherName(name)),
	});
};

const batchAs = ({ status, items }: Data, { dialect: d }: Speaker): Data => ({
	...as(d['batch state'], 'status', status, {
		PENDING: { status: status.toUpperCase() },
		to_do: { status: status === 'pending' ? 'to_do' : status },
	}),
	...as(d['batch posts'], 'items', items, {
		content_id: { items: items.map((entry: Data) => mapKeys(entry, contentId)) },
		'without status': { items: items.map((entry: Data) => omit(entry, 'status')) },
		post_ids: { post_ids: map(items, 'post_id') },
	}),
});

function postAs(one: Data, speaker: Speaker): Data {
	const d = speaker.dialect;
	const waiting = d['post waiting'];
	const isWaiting = one.status === 'pending_approval' && waiting !== AS_TODAY;
	return {
		status: isWaiting ? waiting : one.status,
		...timesOf(one, speaker),
		...platformsOf(one, d['post platform']),
		...as(d['post account'], 'account_id', one.account_id && speaker.accountRef(one.account_id)),
	};
}

function timesOf(post: Data, speaker: Speaker): Data {
	const way = speaker.dialect['post time'];
	const times = pick(post, ['scheduled_at', 'schedule_at']);
	const own = way === 'ms' || way === 's' ? way : undefined;
	return own || way === AS_TODAY
		? mapValues(times, (value) => speaker.time(value, own))
		: as(way, '', speaker.time(post.scheduled_at));
}

function platformsOf({ platform, platforms }: Data, way: string): Data {
	const states: Data[] = platforms.map((one: any) => (typeof one === 'string' ? { platform: one } : one));
	const byName = states.map((state) => [state.platform, omit(state, 'platform')]);
	const others: Record<string, Data> = {
		[AS_TODAY]: { platform, platforms },
		map: { platforms: Object.fromEntries(byName) },
		channel: { channel: platform, channels: platforms },
		'left out': {},
	};
	const spelled = () => states.map((state) => ({ ...state, ...platformAs(way, state.platform) }));
	return others[way] ?? { platforms: spelled() };
}

interface Decided {
	fields: string[];
	say(one: Data, speaker: Speaker): Data;
}

/** The fields of a record that a part of their own decides on, and what becomes of them. */
const kinds = {
	workspace: { fields: ['id'], say: ({ id }, { dialect }) => as(dialect['workspace id'], 'id', id) },
	account: { fields: ['id', 'platform', 'status', 'name', 'username'], say: accountAs },
	connection: {
		fields: ['account_id'],
		say: ({ account_id }, speaker) => ({ account_id: speaker.accountRef(account_id) }),
	},
	item: { fields: ['id', 'platform', 'type', 'text'], say: itemAs },
	webhook: { fields: ['id', 'url', 'status'], say: webhookAs },
	delivery: { fields: [...deliveryFacts, 'event'], say: deliveryAs },
	batch: { fields: ['status', 'items'], say: batchAs },
	post: {
		fields: ['scheduled_at', 'schedule_at', 'platform', 'platforms', 'account_id', 'status'],
		say: postAs,
	},
} satisfies Record<string, Decided>;
export type Kind = keyof typeof kinds;
export const decided: Readonly<Record<Kind, Decided>> = kinds;
