import { randomUUID } from 'node:crypto';

export const FAULT_KINDS = [
	'delay',
	'hang',
	'dropBefore',
	'dropAfter',
	'error',
	'errorAfter',
	'status',
	'html',
	'empty',
	'malformed',
	'unknownFields',
	'headers',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** How the service misbehaves; README.md says what each kind does. */
export interface Fault {
	/** GET, POST …, several as `POST|PATCH`; without it: any. */
	method?: string;
	/** A regular expression on the path after the API's prefix (`/posts`), or on `/upload/…`; without it: any. */
	path?: string;
	/** How often; default 1, 0 = for ever. */
	times?: number;
	/** 0..1: how likely it meets a request, from a generator started with `seed`. */
	rate?: number;
	seed?: number;
	/** So many matching requests go through first. */
	skip?: number;
	kind: FaultKind;
	/** `delay`: how long. `hang`: how long until the connection is dropped; without it: until the service closes. */
	ms?: number;
	/** `error`, `errorAfter`: a code of the spec. */
	code?: string;
	message?: string;
	/** `status`: the bare status. */
	status?: number;
	/** The Retry-After header, as it is. `''`: none, also for PUBLIC_API_RATE_LIMITED. */
	retryAfter?: string;
	headers?: Record<string, string>;
	/** `hang`, `status`, `html`, `empty`, `malformed`: does the request still take effect? Default: the last two only. */
	act?: boolean;
}

export interface ActiveFault extends Fault {
	id: string;
	/** Requests that it met. */
	met: number;
}

interface Armed {
	fault: ActiveFault;
	path?: RegExp;
	skip: number;
	random: () => number;
}

/** The faults that wait for requests. A request meets at most one of them: the first that fits. */
export class Faults {
	private armed: Armed[] = [];

	/** Returns the fault's id. */
	add(fault: Fault): string {
		if (!FAULT_KINDS.includes(fault.kind)) throw new Error(`Unknown kind of fault: ${String(fault.kind)}`);
		const id = `fault_${randomUUID()}`;
		this.armed.push({
			fault: { ...fault, id, met: 0 },
			path: fault.path === undefined ? undefined : new RegExp(fault.path),
			skip: fault.skip ?? 0,
			random: generator(fault.seed ?? 1),
		});
		return id;
	}

	list(): ActiveFault[] {
		return this.armed.map(({ fault }) => fault);
	}

	/** All, or the one with this id. */
	clear(id?: string): void {
		this.armed = id === undefined ? [] : this.armed.filter(({ fault }) => fault.id !== id);
	}

	/** The fault that this request meets; it counts as met. */
	meet(method: string, path: string): ActiveFault | undefined {
		if (this.armed.length === 0) return undefined;
		for (const armed of this.armed) {
			const { fault } = armed;
			if (fault.method !== undefined && !fault.method.toUpperCase().split('|').includes(method)) continue;
			if (armed.path && !armed.path.test(path)) continue;
			if (armed.skip > 0) {
				armed.skip--;
				continue;
			}
			if (fault.rate !== undefined && armed.random() >= fault.rate) continue;
			fault.met++;
			const times = fault.times ?? 1;
			if (times > 0 && fault.met >= times) this.armed = this.armed.filter((other) => other !== armed);
			return fault;
		}
		return undefined;
	}
}

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

/** Fields of records whose values may grow new ones (spec, "Versioning" 3), with a value nobody knows. */
const NEW_VALUES: Record<string, string> = {
	insight_type: 'audience',
	impact: 'transformative',
	plan: 'platinum',
	type: 'story_mention',
	item_type: 'story_mention',
};
const NEW_MEMBERS: Record<string, string> = { platforms: 'threads', events: 'post.archived' };
const TERMINAL = new Set(['completed', 'failed', 'canceled', 'delivered', 'dead_letter']);

/**
 * Spec, "Versioning" 3: the same data with unknown fields in every object and unknown values where a value is
 * one of a list. Ids, times, numbers and terminal states stay: a client that ignores what it does not know
 * sees the same facts.
 */
export function withUnknownFields(data: unknown, name = ''): unknown {
	if (Array.isArray(data)) {
		const grown: unknown[] = data.map((each) => withUnknownFields(each));
		const member = NEW_MEMBERS[name];
		if (member && data.every((each) => typeof each === 'string')) grown.push(member);
		return grown;
	}
	if (data === null || typeof data !== 'object') {
		if (typeof data !== 'string') return data;
		if (name === 'status' && !TERMINAL.has(data)) return `${data}_v2`;
		return NEW_VALUES[name] ?? data;
	}
	const grown: Record<string, unknown> = {};
	for (const [field, value] of Object.entries(data)) grown[field] = withUnknownFields(value, field);
	if (name === 'by_platform')
		grown.threads = { posts: 0, engagements: 0, engagement_rate: 0, impressions: 0 };
	return { ...grown, x_new_field: 'new', x_new_object: { list: [1, null, { deep: true }] } };
}
