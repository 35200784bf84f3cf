import { randomUUID } from 'node:crypto';
import { failure, statusOf } from './envelope';
import { TERMINAL } from './types';

/** What comes of a request, before it is written. */
export interface Outcome {
	status: number;
	headers: Record<string, string>;
	/** Undefined: no body. A text goes out as it is. */
	body?: { success: boolean; data?: unknown } | string;
}

type Spoil = (fault: Fault, outcome: Outcome, requestId: string) => Outcome | undefined;

const unanswered: Spoil = () => undefined;

const answered: Spoil = ({ headers }, outcome) => ({
	...outcome,
	headers: { ...outcome.headers, ...headers },
});

const failed: Spoil = (fault, outcome: Outcome | undefined, requestId) => {
	const { code = 'PUBLIC_API_CONTEXT_ERROR', message = `Made to fail with ${code}.` } = fault;
	// No service says of a post that it accepted that it kept it as failed.
	const isKnown = outcome?.headers['Idempotency-Replayed'] ?? outcome?.status === 409;
	if (code === 'PUBLIC_API_PUBLISH_FAILED' && isKnown) return outcome;
	const { status = statusOf(code), retryAfter = status === 429 ? '1' : '' } = fault;
	const headers = {
		...outcome?.headers,
		...fault.headers,
		...(retryAfter ? { 'Retry-After': retryAfter } : {}),
		'content-type': 'application/json; charset=utf-8',
	};
	return { status, headers, body: failure(code, message, requestId) };
};

/** What a server in front of the service says. */
const page: Spoil = ({ status = 503, retryAfter = status === 429 ? '1' : '', headers }) => ({
	status,
	headers: {
		...headers,
		...(retryAfter ? { 'Retry-After': retryAfter } : {}),
		'content-type': 'text/html',
	},
	body: `<html><h1>${status}</h1>Not the service, but something in front of it.</html>`,
});

const malformed: Spoil = (_fault, outcome) => {
	const whole = JSON.stringify(outcome.body ?? {});
	return { ...outcome, body: whole.slice(0, Math.ceil(whole.length / 2)) };
};

const unknownFields: Spoil = (_fault, outcome) => {
	const { body } = outcome;
	if (typeof body !== 'object' || !body.success) return outcome;
	const grown = { ...body, data: withUnknownFields(body.data), api_version: '1.99' };
	return { ...outcome, body: grown };
};

/** Does a request that meets a fault of this kind still take effect, and how is it answered? README.md lists them. */
const KINDS = {
	delay: { takesEffect: true, spoil: answered },
	hang: { takesEffect: false, spoil: unanswered },
	dropBefore: { takesEffect: false, spoil: unanswered },
	dropAfter: { takesEffect: true, spoil: unanswered },
	error: { takesEffect: false, spoil: failed },
	errorAfter: { takesEffect: true, spoil: failed },
	status: { takesEffect: false, spoil: page },
	empty: { takesEffect: true, spoil: (_fault, { status }) => ({ status, headers: {}, body: '' }) },
	malformed: { takesEffect: true, spoil: malformed },
	unknownFields: { takesEffect: true, spoil: unknownFields },
	headers: { takesEffect: true, spoil: answered },
} satisfies Record<string, { takesEffect: boolean; spoil: Spoil }>;

export interface Fault {
	kind: keyof typeof KINDS;
	/** GET, POST …, several as `POST|PATCH`; without it: any. */
	method?: string;
	/** A regular expression on the path after the API's prefix (`/posts`), or on `/upload/…`; without it: any. */
	path?: string;
	/** How often; default 1, 0 = for ever. */
	times?: number;
	/** How likely it meets a request, from a generator started with `seed`. */
	rate?: number;
	seed?: number;
	/** So many matching requests go through first. */
	skip?: number;
	/** `delay`: how long. `hang`: how long until the connection is dropped; without it: until the service closes. */
	ms?: number;
	/** `error`, `errorAfter`: a code of the spec. */
	code?: string;
	message?: string;
	/** `status`: the bare status. */
	status?: number;
	/** The Retry-After header, as it is. `''`: none, also for 429. */
	retryAfter?: string;
	headers?: Record<string, string>;
	/** `hang`, `status`: does the request still take effect? */
	act?: boolean;
}

interface ActiveFault extends Fault {
	id: string;
	/** Requests that it met. */
	met: number;
	/** Matching requests that went through before it. */
	skipped: number;
	random: () => number;
}

/** The faults that wait for requests. A request meets at most one of them: the first that fits. */
export class Faults {
	private armed: ActiveFault[] = [];

	add(fault: Fault): string {
		const id = `fault_${randomUUID()}`;
		this.armed.push({ ...fault, id, met: 0, skipped: 0, random: generator(fault.seed ?? 1) });
		return id;
	}

	list(): ActiveFault[] {
		return this.armed;
	}

	clear(id?: string): void {
		this.armed = this.armed.filter((fault) => id !== undefined && fault.id !== id);
	}

	/** The fault that this request meets; it counts as met. */
	meet(method: string, path: string): ActiveFault | undefined {
		const fault = this.armed.find((one) => isMet(one, method, path));
		if (fault && ++fault.met === (fault.times ?? 1)) this.clear(fault.id);
		return fault;
	}
}

function isMet(fault: ActiveFault, method: string, path: string): boolean {
	if (fault.method !== undefined && !fault.method.split('|').includes(method)) return false;
	if (fault.path !== undefined && !RegExp(fault.path).test(path)) return false;
	if (fault.skipped < (fault.skip ?? 0)) {
		fault.skipped++;
		return false;
	}
	return fault.rate === undefined || fault.random() < fault.rate;
}

/** Does a request that meets it still take effect? */
export const takesEffect = ({ kind, act }: Fault): boolean => act ?? KINDS[kind].takesEffect;

/** The answer as a fault leaves it; undefined: none, the connection ends. `outcome` undefined: the request had no effect. */
export const spoiled = (fault: Fault, outcome: Outcome | undefined, requestId: string): Outcome | undefined =>
	KINDS[fault.kind].spoil(fault, outcome!, requestId);

/** mulberry32: small, and the same numbers for the same seed. */
export function generator(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

/** Fields whose values, or lists of values, may grow new ones (spec, "Versioning" 3), with one that nobody knows. */
const NEW_VALUES: Record<string, string> = {
	insight_type: 'audience',
	impact: 'transformative',
	plan: 'platinum',
	type: 'story_mention',
	item_type: 'story_mention',
	platforms: 'threads',
	events: 'post.archived',
};
const FINAL = new Set([...TERMINAL, 'delivered', 'dead_letter']);

/**
 * Spec, "Versioning" 3: the same data with unknown fields in every object and unknown values where a value is
 * one of a list. Ids, times, numbers and terminal states stay: a client that ignores what it does not know
 * sees the same facts.
 */
function withUnknownFields(data: unknown, name = ''): unknown {
	if (typeof data === 'string') {
		if (name === 'status' && !FINAL.has(data)) return `${data}_v2`;
		return NEW_VALUES[name] ?? data;
	}
	if (Array.isArray(data)) {
		const isOfTexts = name in NEW_VALUES && data.every((each) => typeof each === 'string');
		return [...data.map((each) => withUnknownFields(each)), ...(isOfTexts ? [NEW_VALUES[name]] : [])];
	}
	if (data === null || typeof data !== 'object') return data;
	const grown: Record<string, unknown> = {};
	for (const [field, value] of Object.entries(data)) grown[field] = withUnknownFields(value, field);
	if (name === 'by_platform')
		grown.threads = { posts: 0, engagements: 0, engagement_rate: 0, impressions: 0 };
	return { ...grown, x_new_field: 'new', x_new_object: { list: [1, null, { deep: true }] } };
}
