import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { limitConcurrency } from '../../nodes/api/concurrency';
import { signatureOf } from '../support/signing';
import type { Clock } from './clock';
import type { Store } from './store';
import type { DeliveryRecord, EventInput, ServiceEvent, ServiceOptions, Webhook } from './types';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Delivery and retry rules 2: the pauses before the attempts of one round. */
const INLINE_DELAYS_MS = [0, 150, 300];
/** Delivery and retry rules 3: the scheduled retries, each from the previous failure. */
const RETRY_DELAYS_MS = [15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];
/** Delivery and retry rules 3: the background job looks this often. */
const CHECK_EVERY_MS = 5 * MINUTE;
/** Delivery and retry rules 1: no response within this time is a failed attempt. */
const RESPONSE_TIMEOUT_MS = 15_000;

/** Rounds in flight at once; more wait their turn. */
const MAX_PARALLEL = 128;
/** An answer that is to be lost is not waited for any longer, ms. */
const CUT_AFTER = 30;

/** What one attempt came to: a status, or an error where no answer came. */
interface Outcome {
	status: number | null;
	error: string | null;
	/** How the answer's body begins, for people who look at the deliveries. */
	said?: string;
}

interface DeliveryAttempt extends Outcome {
	number: number;
	/** Wall clock, as in `x-service-timestamp`. */
	at: string;
	url: string;
	ms: number;
}

/** A delivery and what only the engine knows of it. */
interface Job {
	record: DeliveryRecord;
	log: DeliveryAttempt[];
	webhook: Webhook;
	event: ServiceEvent;
	resource: string;
	ordinal: number;
	/** Scheduled retries used up. */
	retries: number;
	/** Queued or being sent. */
	busy: boolean;
	/** Wall clock, ms, of the last attempt. */
	sentAt: number;
}

/** Delivers events to webhooks by the spec's "Delivery and retry rules". */
export class Deliveries {
	/** Each attempt of a delivery goes to the next of these origins in turn, in place of the webhook's own. */
	rotateOrigins: string[] = [];

	private readonly delays: number[];
	private readonly jobs = new Map<string, Job>();
	/** The end of the queue of each webhook and resource: what comes next waits for it. */
	private readonly lanes = new Map<string, Promise<void>>();
	private readonly closing = new AbortController();
	private readonly limit = limitConcurrency(MAX_PARALLEL);
	private readonly startedAt: number;
	private ordinal = 0;
	private cuts = 0;
	/** One time limit for the whole attempt, in send(). */
	private readonly agent = new Agent({
		connections: MAX_PARALLEL,
		connect: { timeout: 0 },
		headersTimeout: 0,
		bodyTimeout: 0,
		keepAliveTimeout: 4_000,
	});

	constructor(
		private readonly clock: Clock,
		private readonly store: Pick<Store, 'webhooks'>,
		options: ServiceOptions,
		/** The data of an event, as it is sent. */
		private readonly dataOf: (type: string, data: EventInput['data']) => EventInput['data'],
	) {
		this.delays = options.inlineDelaysMs ?? INLINE_DELAYS_MS;
		this.startedAt = clock.now();
		setMaxListeners(0, this.closing.signal);
		this.scheduleCheck(1);
	}

	/** Makes an event and delivers it to every webhook of its workspace that asked for its name. */
	emit({ type, workspaceId, brandId, resource, data }: EventInput): ServiceEvent {
		const event: ServiceEvent = {
			id: `evt_${randomUUID()}`,
			type,
			occurred_at: this.clock.iso(),
			workspace_id: workspaceId,
			brand_id: brandId,
			data: this.dataOf(type, data),
		};
		for (const webhook of this.store.webhooks.values()) {
			if (
				webhook.workspaceId !== workspaceId ||
				!this.isSubscribed(webhook) ||
				!webhook.events.includes(type)
			)
				continue;
			void this.enqueue(this.newJob(webhook, event, resource));
		}
		return event;
	}

	/** Every delivery with its event and its attempts, newest first: for the page and for tests. */
	history() {
		return [...this.jobs.values()]
			.map(({ record, log, event, retries }) => ({ ...record, log, event, scheduled_retries: retries }))
			.reverse();
	}

	/** Rules 4: a webhook disabled or deleted while retries are pending makes dead letters of them. */
	webhookRemoved(webhookId: string): void {
		for (const job of this.jobs.values()) {
			if (job.webhook.id === webhookId && isRetryPending(job)) this.bury(job);
		}
	}

	/** Forgets every delivery; what is being sent ends by itself. */
	reset(): void {
		this.jobs.clear();
		this.cuts = 0;
		this.rotateOrigins = [];
	}

	/** Resolves when nothing is in flight or queued; scheduled retries don't count. */
	async idle(): Promise<void> {
		while (this.lanes.size > 0) await Promise.all(this.lanes.values());
	}

	/** Sends an event once more (rules 5), or forged: signed with another secret; the receiver's status, 0 for none. */
	async repeat(deliveryId: string, isForged = false): Promise<number | undefined> {
		const job = this.jobs.get(deliveryId);
		if (!job) return undefined;
		const outcome = isForged
			? await this.send(job, job.webhook.url, new Date().toISOString(), 'not-the-secret')
			: await this.attempt(job);
		return outcome.status ?? 0;
	}

	/** The connection of the next attempt is cut before the answer is read: it counts as failed, and a copy follows. */
	cutNext(): void {
		this.cuts++;
	}

	async close(): Promise<void> {
		this.closing.abort();
		await this.agent.destroy();
		await this.idle();
	}

	private newJob(webhook: Webhook, event: ServiceEvent, resource: string): Job {
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
		const job: Job = { record, log: [], webhook, event, resource, ...counters };
		this.jobs.set(record.id, job);
		return job;
	}

	/** Rules 6: a round waits until the previous one of the same resource at the same receiver has ended. */
	private async enqueue(job: Job): Promise<void> {
		const lane = `${job.webhook.id}\n${job.resource}`;
		const before = this.lanes.get(lane);
		job.busy = true;
		const turn = async () => {
			await before;
			await this.limit(async () => await this.round(job));
			job.busy = false;
		};
		const end = turn().finally(() => this.lanes.get(lane) === end && this.lanes.delete(lane));
		this.lanes.set(lane, end);
		await end;
	}

	/** Rules 2 and 3: up to three attempts in a row, then `failed` with the next retry's time, or `dead_letter`. */
	private async round(job: Job): Promise<void> {
		const { record } = job;
		const { signal } = this.closing;
		for (const delay of this.delays) {
			if (delay > 0) await sleep(delay, undefined, { signal }).catch(() => {});
			if (signal.aborted) return;
			if (!this.isSubscribed(job.webhook)) return this.bury(job);
			const { status } = await this.attempt(job);
			if (isSuccess(status)) {
				Object.assign(record, { status: 'delivered', delivered_at: this.clock.iso(), next_attempt_at: null });
				return;
			}
		}
		if (signal.aborted) return;
		const delay = RETRY_DELAYS_MS[job.retries];
		if (delay === undefined || !this.isSubscribed(job.webhook)) return this.bury(job);
		record.status = 'failed';
		record.next_attempt_at = this.clock.iso(this.clock.now() + delay);
	}

	/** One attempt, with a timestamp and signature of its own, written into the record. */
	private async attempt(job: Job): Promise<Outcome> {
		const { record, log } = job;
		const url = this.target(job);
		const number = ++record.attempts;
		// Signature 3: every attempt has a new timestamp, also two within one millisecond.
		job.sentAt = Math.max(Date.now(), job.sentAt + 1);
		const at = new Date(job.sentAt).toISOString();
		const started = performance.now();
		const entry: DeliveryAttempt = { number, at, url, status: null, error: null, ms: 0 };
		log.push(entry);
		const isCut = this.cuts > 0;
		if (isCut) this.cuts--;
		const outcome = await this.send(job, url, at, job.webhook.secret, isCut);
		const { status } = outcome;
		const error = outcome.error ?? (isSuccess(status) ? null : `The receiver answered ${status}`);
		Object.assign(entry, { ...outcome, error, ms: Math.round(performance.now() - started) });
		record.last_status = status;
		record.last_error = error ?? record.last_error;
		return outcome;
	}

	/** Delivery request. The timestamp is the wall clock's: receivers compare it with theirs. */
	private async send(
		{ event }: Job,
		url: string,
		timestamp: string,
		secret: string,
		isCut = false,
	): Promise<Outcome> {
		const timeoutMs = isCut ? CUT_AFTER : RESPONSE_TIMEOUT_MS;
		const signal = AbortSignal.timeout(timeoutMs);
		const body = JSON.stringify(event);
		const headers = {
			'content-type': 'application/json',
			'x-service-event': event.type,
			'x-service-event-id': event.id,
			'x-service-timestamp': timestamp,
			'x-service-signature': signatureOf(secret, timestamp, Buffer.from(body)),
		};
		try {
			const answer = await request(url, { method: 'POST', headers, body, dispatcher: this.agent, signal });
			// Only the status counts.
			const said = await answer.body.text().catch(() => '');
			return { status: answer.statusCode, error: null, said: said.slice(0, 100) };
		} catch (error) {
			if (this.closing.signal.aborted) return { status: null, error: 'The service was stopped' };
			const isLate = signal.aborted;
			return {
				status: null,
				error: isLate ? `No response within ${timeoutMs / 1000} seconds` : describe(error),
			};
		}
	}

	/** The webhook's own address, or the same path at the next of `rotateOrigins`. */
	private target({ webhook, record, ordinal }: Job): string {
		if (this.rotateOrigins.length === 0) return webhook.url;
		const origin = this.rotateOrigins[(ordinal + record.attempts) % this.rotateOrigins.length];
		const { pathname, search } = new URL(webhook.url);
		return new URL(pathname + search, origin).href;
	}

	/** Rules 3: the background job, every five minutes: a round for each delivery that is due, until all have ended. */
	private scheduleCheck(number: number): void {
		const check = async () => {
			this.scheduleCheck(number + 1);
			const due = [...this.jobs.values()].filter(
				(job) => isRetryPending(job) && Date.parse(job.record.next_attempt_at!) <= this.clock.now(),
			);
			for (const job of due) job.retries++;
			await Promise.all(due.map(async (job) => await this.enqueue(job)));
		};
		this.clock.setTimeout(check, this.startedAt + number * CHECK_EVERY_MS - this.clock.now());
	}

	private bury({ record }: Job): void {
		record.status = 'dead_letter';
		record.next_attempt_at = null;
	}

	private isSubscribed({ id }: Webhook): boolean {
		return this.store.webhooks.get(id)?.status === 'active';
	}
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;
const isRetryPending = ({ record, busy }: Job) => !busy && record.status === 'failed';

/** An error in the words a person looks for: the code of the system where there is one. */
function describe(error: unknown): string {
	const { code, message } = error as { code?: string; message?: string };
	return code ? `${code}: ${message}` : String(message ?? error);
}
