import { createHmac, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Clock } from './clock';
import type { Store } from './store';
import type { DeliveryStatus, EventInput, ServiceEvent, ServiceOptions, Webhook } from './types';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Delivery and retry rules 2: the pauses before the attempts of one round. */
export const INLINE_DELAYS_MS = [0, 150, 300];
/** Delivery and retry rules 3: the scheduled retries, each from the previous failure. */
export const RETRY_DELAYS_MS = [15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];
/** Delivery and retry rules 3: the background job looks this often. */
export const CHECK_EVERY_MS = 5 * MINUTE;
/** Delivery and retry rules 1: no response within this time is a failed attempt. */
export const RESPONSE_TIMEOUT_MS = 15_000;

/** Rounds in flight at once; more wait their turn. */
const MAX_PARALLEL = 128;
/** A receiver's answer is read this far and no further: only its status counts. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** How much of an answer's body is kept for people who look at the deliveries. */
const SAID_LENGTH = 100;
/** Finished deliveries kept for the history (a soak run makes millions). */
const MAX_KEPT = 20_000;

/** A delivery as `GET /webhooks/{id}/deliveries` answers it; the field names are ours (spec: not shown). */
interface DeliveryRecord {
	id: string;
	webhook_id: string;
	event_id: string;
	event_type: string;
	status: DeliveryStatus;
	/** How often it was sent. */
	attempts: number;
	last_error: string | null;
	/** The receiver's last status, null where no answer came. */
	last_status: number | null;
	next_attempt_at: string | null;
	created_at: string;
	delivered_at: string | null;
}

/** What one attempt came to: a status, or an error where no answer came. */
interface Outcome {
	status: number | null;
	error: string | null;
	/** How the answer's body begins. */
	said?: string;
}

/** One sending, for the page and the control interface. */
interface DeliveryAttempt extends Outcome {
	number: number;
	/** Wall clock, as in `x-service-timestamp`. */
	at: string;
	url: string;
	ms: number;
}

/** A delivery that is not genuine, for tests of the receiver. Without any of the options it is genuine. */
export interface Forgery {
	/** The receiver. */
	webhookId?: string;
	/** Take the event of this delivery (and its webhook), not a made-up one. */
	deliveryId?: string;
	/** Laid over the event: other `id`, other `brand_id`, fields removed with `undefined` (JSON: `null` stays null). */
	event?: Record<string, unknown>;
	wrongSecret?: boolean;
	/** The send time lies this many seconds back (negative: ahead). */
	ageSeconds?: number;
	/** Changed after signing. */
	alterBody?: boolean;
	/** Headers to leave out. */
	omit?: string[];
	/** Headers to set, after signing. */
	headers?: Record<string, string>;
}

/** A delivery and what only the engine knows of it. */
interface Job {
	record: DeliveryRecord;
	log: DeliveryAttempt[];
	webhook: Webhook;
	event: ServiceEvent;
	body: string;
	resource: string;
	ordinal: number;
	/** Scheduled retries used up. */
	retries: number;
	/** Queued or being sent. */
	busy: boolean;
	/** Wall clock, ms, of the last attempt. */
	sentAt: number;
}

/** Attempts that lose their answer. */
export interface Cut {
	times: number;
	afterMs: number;
	type?: string;
	webhookId?: string;
}

/** Signature: HMAC-SHA256 of `<timestamp>.<raw body>`, hex, prefixed with `sha256=`. */
const sign = (secret: string, timestamp: string, body: string) =>
	`sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

/** Delivery request: the headers of one attempt. The time is the wall clock's: receivers compare it with theirs. */
function deliveryHeaders(event: ServiceEvent, body: string, secret: string, timestamp: string) {
	return {
		'content-type': 'application/json',
		'x-service-event': event.type,
		'x-service-event-id': event.id,
		'x-service-timestamp': timestamp,
		'x-service-signature': sign(secret, timestamp, body),
	};
}

/** Delivers events to webhooks by the spec's "Delivery and retry rules". */
export class Deliveries {
	/** Each attempt of a delivery goes to the next of these origins in turn, in place of the webhook's own. */
	rotateOrigins: string[] = [];

	private readonly delays: number[];
	private readonly timeoutMs: number;
	private readonly agent: Agent;
	private readonly jobs = new Map<string, Job>();
	/** The end of the queue of each webhook and resource: what comes next waits for it. */
	private readonly lanes = new Map<string, Promise<void>>();
	private readonly closing = new AbortController();
	private readonly waiting: Array<() => void> = [];
	private readonly cuts: Cut[] = [];
	private readonly startedAt: number;
	private running = 0;
	private active = 0;
	private ordinal = 0;
	private idlers: Array<() => void> = [];

	constructor(
		private readonly clock: Clock,
		private readonly store: Pick<Store, 'webhooks'>,
		options: ServiceOptions,
	) {
		this.delays = options.inlineDelaysMs ?? INLINE_DELAYS_MS;
		this.timeoutMs = options.responseTimeoutMs ?? RESPONSE_TIMEOUT_MS;
		this.startedAt = clock.now();
		setMaxListeners(0, this.closing.signal);
		this.scheduleCheck(1);
		this.agent = new Agent({
			connections: MAX_PARALLEL,
			// One time limit for the whole attempt, in send().
			connect: { timeout: 0 },
			headersTimeout: 0,
			bodyTimeout: 0,
			keepAliveTimeout: 4_000,
		});
	}

	/** Makes an event and delivers it to every webhook of its workspace that asked for its name. */
	emit({ type, workspaceId, brandId, resource, data }: EventInput): ServiceEvent {
		const event: ServiceEvent = {
			id: `evt_${randomUUID()}`,
			type,
			occurred_at: this.clock.iso(),
			workspace_id: workspaceId,
			brand_id: brandId,
			data,
		};
		const body = JSON.stringify(event);
		for (const webhook of this.store.webhooks.values()) {
			if (webhook.workspaceId !== workspaceId || !isActive(webhook) || !webhook.events.includes(type))
				continue;
			void this.enqueue(this.newJob(webhook, event, body, resource));
		}
		return event;
	}

	/** Delivery history of a webhook, newest first. */
	list(webhookId: string, status?: string) {
		return [...this.jobs.values()]
			.map(({ record, event }) => ({ ...record, event }))
			.filter((one) => one.webhook_id === webhookId && (status === undefined || one.status === status))
			.reverse();
	}

	/** Every delivery with its event and its attempts, newest first: for the page and the control interface. */
	history() {
		return [...this.jobs.values()]
			.map(({ record, log, event, retries }) => ({ ...record, log, event, scheduled_retries: retries }))
			.reverse();
	}

	/**
	 * Rules 4: a webhook disabled or deleted while retries are pending makes dead letters of them.
	 * A round that is under way ends with the attempt that is out.
	 */
	webhookRemoved(webhookId: string): void {
		for (const job of this.jobs.values()) {
			if (job.webhook.id === webhookId && isRetryPending(job)) this.bury(job);
		}
	}

	/** Forgets every delivery and every cut; what is being sent ends by itself. */
	reset(): void {
		this.jobs.clear();
		this.cuts.length = 0;
		this.rotateOrigins = [];
	}

	/** Resolves when nothing is in flight or queued; scheduled retries don't count. */
	async idle(): Promise<void> {
		if (this.active === 0) return;
		await new Promise<void>((resolve) => this.idlers.push(resolve));
	}

	/** Rules 5, at-least-once: sends a delivery's event once more, now. Gives the receiver's status, 0 for none. */
	async repeat(deliveryId: string): Promise<number | undefined> {
		const job = this.jobs.get(deliveryId);
		if (!job) return undefined;
		return await this.counted(async () => (await this.attempt(job)).status ?? 0);
	}

	/** Sends something that is not genuine. Gives the receiver's status, 0 for none. */
	async forge(forgery: Forgery): Promise<number> {
		const source = this.jobs.get(forgery.deliveryId ?? '');
		const webhook = source?.webhook ?? this.store.webhooks.get(forgery.webhookId ?? '');
		if (!webhook) throw new Error('A forgery needs a webhookId or a deliveryId');
		const event: ServiceEvent = {
			...(source?.event ?? {
				id: `evt_${randomUUID()}`,
				type: webhook.events[0]!,
				occurred_at: this.clock.iso(),
				workspace_id: webhook.workspaceId,
				brand_id: 'brand_forged',
				data: { post_id: 'post_forged', status: 'completed' },
			}),
			...forgery.event,
		};
		const body = JSON.stringify(event);
		const secret = forgery.wrongSecret ? 'not-the-secret' : webhook.secret;
		const timestamp = new Date(Date.now() - (forgery.ageSeconds ?? 0) * 1000).toISOString();
		const headers: Record<string, string> = deliveryHeaders(event, body, secret, timestamp);
		for (const name of forgery.omit ?? []) delete headers[name.toLowerCase()];
		Object.assign(headers, forgery.headers);
		const sent = forgery.alterBody ? `${body.slice(0, -1)},"altered":true}` : body;
		return await this.counted(async () => (await this.send(webhook.url, headers, sent)).status ?? 0);
	}

	/**
	 * The next attempts lose their answer: the connection is cut after the request went out and before the
	 * answer is read, so the attempt counts as failed and the next one (150 ms later) is a copy.
	 */
	cutNext({ times = 1, afterMs = 30, ...only }: Partial<Cut> = {}): void {
		this.cuts.push({ times, afterMs, ...only });
	}

	async close(): Promise<void> {
		this.closing.abort();
		await this.agent.destroy();
		await this.idle();
	}

	private newJob(webhook: Webhook, event: ServiceEvent, body: string, resource: string): Job {
		const record: DeliveryRecord = {
			id: `dlv_${randomUUID()}`,
			webhook_id: webhook.id,
			event_id: event.id,
			event_type: event.type,
			status: 'pending',
			attempts: 0,
			last_error: null,
			last_status: null,
			next_attempt_at: this.clock.iso(),
			created_at: this.clock.iso(),
			delivered_at: null,
		};
		const counters = { ordinal: this.ordinal++, retries: 0, busy: false, sentAt: 0 };
		const job: Job = { record, log: [], webhook, event, body, resource, ...counters };
		this.jobs.set(record.id, job);
		this.forgetOldest();
		return job;
	}

	/** Rules 6: a round waits until the previous one of the same resource at the same receiver has ended. */
	private enqueue(job: Job): Promise<void> {
		const lane = `${job.webhook.id}\n${job.resource}`;
		job.busy = true;
		const before = this.lanes.get(lane) ?? Promise.resolve();
		const turn = this.counted(async () => {
			await before;
			await this.bounded(() => this.round(job));
			job.busy = false;
		});
		const end = turn.catch(() => {}).finally(() => this.lanes.get(lane) === end && this.lanes.delete(lane));
		this.lanes.set(lane, end);
		return end;
	}

	/** Rules 2 and 3: up to three attempts in a row, then `failed` with the next retry's time, or `dead_letter`. */
	private async round(job: Job): Promise<void> {
		const { record } = job;
		for (const delay of this.delays) {
			if (delay > 0) await sleep(delay, undefined, { signal: this.closing.signal }).catch(() => {});
			if (this.closing.signal.aborted) return;
			if (!this.isSubscribed(job.webhook)) return this.bury(job);
			const { status } = await this.attempt(job);
			if (isSuccess(status)) {
				Object.assign(record, { status: 'delivered', delivered_at: this.clock.iso(), next_attempt_at: null });
				return;
			}
		}
		if (this.closing.signal.aborted) return;
		const delay = RETRY_DELAYS_MS[job.retries];
		if (delay === undefined || !this.isSubscribed(job.webhook)) return this.bury(job);
		record.status = 'failed';
		record.next_attempt_at = this.clock.iso(this.clock.now() + delay);
	}

	/** One attempt, with a timestamp and signature of its own, written into the record. */
	private async attempt(job: Job): Promise<Outcome> {
		const { record, log, webhook, event, body } = job;
		const url = this.target(job);
		const timestamp = this.sendTime(job);
		const started = performance.now();
		const cut = this.takeCut(job);
		const headers = deliveryHeaders(event, body, webhook.secret, timestamp);
		const number = ++record.attempts;
		const entry: DeliveryAttempt = { number, at: timestamp, url, status: null, error: null, ms: 0 };
		log.push(entry);
		const outcome = cut
			? await this.sendAndCut(url, headers, body, cut.afterMs)
			: await this.send(url, headers, body);
		const error =
			outcome.error ?? (isSuccess(outcome.status) ? null : `The receiver answered ${outcome.status}`);
		Object.assign(entry, { ...outcome, error, ms: Math.round(performance.now() - started) });
		record.last_status = outcome.status;
		record.last_error = error ?? record.last_error;
		return outcome;
	}

	/** Signature 3: every attempt has a new timestamp, also two within one millisecond. */
	private sendTime(job: Job): string {
		job.sentAt = Math.max(Date.now(), job.sentAt + 1);
		return new Date(job.sentAt).toISOString();
	}

	private async send(url: string, headers: Record<string, string>, body: string): Promise<Outcome> {
		const signal = AbortSignal.timeout(this.timeoutMs);
		try {
			const answer = await request(url, { method: 'POST', headers, body, dispatcher: this.agent, signal });
			return { status: answer.statusCode, error: null, said: await beginningOf(answer.body) };
		} catch (error) {
			if (this.closing.signal.aborted) return { status: null, error: 'The service was stopped' };
			return { status: null, error: signal.aborted ? this.tooLate() : describe(error) };
		}
	}

	private tooLate(): string {
		return `No response within ${this.timeoutMs / 1000} seconds`;
	}

	/** On a connection of its own: sends everything, never reads, hangs up. */
	private async sendAndCut(url: string, headers: Record<string, string>, body: string, afterMs: number) {
		const open = url.startsWith('https:') ? httpsRequest : httpRequest;
		return await new Promise<Outcome>((resolve) => {
			const outgoing = open(url, { method: 'POST', agent: false, headers });
			const end = (error: string) => {
				outgoing.destroy();
				resolve({ status: null, error });
			};
			outgoing.on('finish', () =>
				setTimeout(end, afterMs, 'The connection was cut before the answer was read'),
			);
			outgoing.on('error', (error) => end(describe(error)));
			outgoing.setTimeout(this.timeoutMs, () => end(this.tooLate()));
			outgoing.end(body);
		});
	}

	/** The webhook's own address, or the same path at the next of `rotateOrigins`. */
	private target({ webhook, record, ordinal }: Job): string {
		if (this.rotateOrigins.length === 0) return webhook.url;
		const origin = this.rotateOrigins[(ordinal + record.attempts) % this.rotateOrigins.length];
		const { pathname, search } = new URL(webhook.url);
		return new URL(pathname + search, origin).href;
	}

	private takeCut({ webhook, event }: Job): Cut | undefined {
		const index = this.cuts.findIndex(
			({ type, webhookId }) =>
				(type ?? event.type) === event.type && (webhookId ?? webhook.id) === webhook.id,
		);
		const cut = this.cuts[index];
		if (cut && --cut.times <= 0) this.cuts.splice(index, 1);
		return cut;
	}

	/** Rules 3: the background job, every five minutes. */
	private scheduleCheck(number: number): void {
		const at = this.startedAt + number * CHECK_EVERY_MS;
		const check = () => {
			this.scheduleCheck(number + 1);
			return this.runDue();
		};
		this.clock.setTimeout(check, at - this.clock.now());
	}

	/** A round for each delivery that is due. Resolves when they have ended. */
	private async runDue(): Promise<void> {
		const now = this.clock.now();
		const due = [...this.jobs.values()].filter((job) => isRetryPending(job) && dueAt(job) <= now);
		await Promise.all(
			due.map((job) => {
				job.retries++;
				return this.enqueue(job);
			}),
		);
	}

	private bury({ record }: Job): void {
		record.status = 'dead_letter';
		record.next_attempt_at = null;
	}

	private isSubscribed(webhook: Webhook): boolean {
		const current = this.store.webhooks.get(webhook.id);
		return current !== undefined && isActive(current);
	}

	private async bounded<T>(run: () => Promise<T>): Promise<T> {
		if (this.running >= MAX_PARALLEL) await new Promise<void>((resolve) => this.waiting.push(resolve));
		else this.running++;
		try {
			return await run();
		} finally {
			const next = this.waiting.shift();
			if (next) next();
			else this.running--;
		}
	}

	private async counted<T>(run: () => Promise<T>): Promise<T> {
		this.active++;
		try {
			return await run();
		} finally {
			if (--this.active === 0) for (const resolve of this.idlers.splice(0)) resolve();
		}
	}

	private forgetOldest(): void {
		// Not at every one: most of them may still be on their way.
		if (this.jobs.size <= MAX_KEPT || this.ordinal % 1000 !== 0) return;
		for (const [id, { record, busy }] of this.jobs) {
			if (this.jobs.size <= MAX_KEPT * 0.9) return;
			if (isFinal(record) && !busy) this.jobs.delete(id);
		}
	}
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;
const isFinal = ({ status }: DeliveryRecord) => status === 'delivered' || status === 'dead_letter';
const isRetryPending = ({ record, busy }: Job) => !busy && record.status === 'failed';
const isActive = ({ status }: Webhook) => status === 'active';
const dueAt = ({ record }: Job) => Date.parse(record.next_attempt_at!);

/** Reads an answer's body, not more than is wanted of it. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
	let said = '';
	let bytes = 0;
	try {
		for await (const chunk of body) {
			if (said.length < SAID_LENGTH) said = (said + chunk.toString()).slice(0, SAID_LENGTH);
			if ((bytes += chunk.length) > MAX_RESPONSE_BYTES) break;
		}
	} catch {
		// The status counts.
	}
	return said;
}

/** An error in the words a person looks for: the code of the system where there is one. */
function describe(error: unknown): string {
	const { code, message, cause } = error as { code?: string; message?: string; cause?: { code?: string } };
	const reason = code ?? cause?.code;
	return reason ? `${reason}: ${message}` : String(message ?? error);
}
