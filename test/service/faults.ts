import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { TERMINAL } from './types';

/** Does a request that meets a fault of this kind still take effect? */
const TAKES_EFFECT = {
	delay: true,
	hang: false,
	dropBefore: false,
	dropAfter: true,
	error: false,
	errorAfter: true,
	status: false,
	html: false,
	empty: true,
	malformed: true,
	unknownFields: true,
	headers: true,
};
type FaultKind = keyof typeof TAKES_EFFECT;
/** Those of which `act` may say otherwise. */
const EITHER: FaultKind[] = ['hang', 'status', 'html', 'empty', 'malformed'];

/** How the service misbehaves; README.md says what each kind does. */
export const faultSchema = z
	.object({
		kind: z.enum(Object.keys(TAKES_EFFECT) as [FaultKind, ...FaultKind[]]),
		/** GET, POST …, several as `POST|PATCH`; without it: any. */
		method: z.string().optional(),
		/** A regular expression on the path after the API's prefix (`/posts`), or on `/upload/…`; without it: any. */
		path: z.string().optional(),
		/** How often; default 1, 0 = for ever. */
		times: z.number().int().nonnegative().optional(),
		/** How likely it meets a request, from a generator started with `seed`. */
		rate: z.number().min(0).max(1).optional(),
		seed: z.number().optional(),
		/** So many matching requests go through first. */
		skip: z.number().int().nonnegative().optional(),
		/** `delay`: how long. `hang`: how long until the connection is dropped; without it: until the service closes. */
		ms: z.number().nonnegative().optional(),
		/** `error`, `errorAfter`: a code of the spec. */
		code: z.string().optional(),
		message: z.string().optional(),
		/** `status`: the bare status. */
		status: z.number().int().min(200).max(599).optional(),
		/** The Retry-After header, as it is. `''`: none, also for PUBLIC_API_RATE_LIMITED. */
		retryAfter: z.string().optional(),
		headers: z.record(z.string()).optional(),
		/** Does the request still take effect? See EITHER. */
		act: z.boolean().optional(),
	})
	.strict();
export type Fault = z.infer<typeof faultSchema>;

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

export const takesEffect = ({ kind, act }: Fault): boolean =>
	(EITHER.includes(kind) ? act : undefined) ?? TAKES_EFFECT[kind];

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
const FINAL = new Set([...TERMINAL, 'delivered', 'dead_letter']);

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
		if (name === 'status' && !FINAL.has(data)) return `${data}_v2`;
		return NEW_VALUES[name] ?? data;
	}
	const grown: Record<string, unknown> = {};
	for (const [field, value] of Object.entries(data)) grown[field] = withUnknownFields(value, field);
	if (name === 'by_platform')
		grown.threads = { posts: 0, engagements: 0, engagement_rate: 0, impressions: 0 };
	return { ...grown, x_new_field: 'new', x_new_object: { list: [1, null, { deep: true }] } };
}
