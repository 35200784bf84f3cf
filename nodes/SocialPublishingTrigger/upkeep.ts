import { randomInt } from 'node:crypto';

import type { IDataObject, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Client } from '../api/client';
import { connect, credentialName } from '../api/connect';
import { Failure } from '../api/errors';
import { toNodeError } from '../api/toNodeError';
import { derivedSecret } from '../shared/signature';
import { canTell, CatchUp } from './catchUp';
import { startUp, wantedOf } from './lifecycle';
import { stateIn, type SubscriptionState } from './nodeState';
import { readOptions, type Settings } from './settings';
import { type Listed, type Stored, Subscription } from './subscription';

/** How long after a start of n8n the first look is taken, in ms: the start itself is busy enough. */
const FIRST_LOOK = 3_000;
/** How long one request of a look is tried again, in ms. */
const PATIENCE = 5_000;
/** After so many looks in a row that failed, people are told: by then it is no hiccup. */
const TELL_AFTER = 3;

const MINUTE = 60_000;

/**
 * At every start of n8n and every so often its leading process looks after the subscription
 * and hands on what never came through. n8n calls this when it publishes and when it starts.
 *
 * Never throws and waits for nothing: publishing must not fail or hang for it. Always gives a response: without one
 * n8n 2.41 would take the trigger for not registered and publish the workflow again every ten seconds.
 */
export function startUpkeep(context: ITriggerFunctions): ITriggerResponse {
	if (context.getMode() === 'manual') return {};
	const isStart = startUp.has(context.getActivationMode());
	const upkeep = new Upkeep(context, isStart ? FIRST_LOOK : undefined);
	// n8n's clock leaves out whatever it would do more than 250 ms late: a busy n8n, which has most to catch up, often
	// does. So it is asked every few seconds; whether a look is due is decided there.
	context.helpers.registerCron({ expression: '*/3 * * * * *' }, async () => await upkeep.tick());
	if (isStart) void sleep(FIRST_LOOK).then(async () => await upkeep.look());
	return { closeFunction: async () => upkeep.close() };
}

/** The looks of one published trigger, one after another. */
export class Upkeep {
	private readonly state: SubscriptionState;

	private readonly catchUp: CatchUp;

	private nextAt: number;

	private isLooking = false;

	private isClosed = false;

	private failures = 0;

	/** @param firstIn when the first look is due, in ms; as often as the others where it is not said */
	constructor(
		private readonly context: ITriggerFunctions,
		firstIn?: number,
	) {
		this.state = stateIn(context).subscription;
		this.catchUp = new CatchUp(context);
		this.nextAt = Date.now() + (firstIn ?? this.settings.checkEvery);
	}

	/** Looks if it is time. */
	async tick(): Promise<void> {
		if (Date.now() >= this.nextAt) await this.look();
	}

	/** One look; whatever goes wrong is logged, and the next one comes sooner. */
	async look(): Promise<void> {
		const { url, current } = this.state;
		// Nothing is published here, as far as n8n's life-cycle calls have told until now: the next tick asks again.
		if (this.isLooking || this.isClosed || url === undefined || current === undefined) return;
		this.isLooking = true;
		try {
			await this.lookNow({ ...this.state, url, current });
			this.failures = 0;
		} catch (error) {
			this.failed(error);
		} finally {
			this.isLooking = false;
			const soon = MINUTE * 2 ** this.failures;
			const { checkEvery } = this.settings;
			// Many workflows, started together, don't look all at once.
			const early = randomInt(MINUTE / 2);
			this.nextAt = Date.now() + Math.min(checkEvery, this.failures ? soon : checkEvery) - early;
		}
	}

	close(): void {
		this.isClosed = true;
	}

	private get settings(): Settings {
		return readOptions(this.context.getNodeParameter('options', {}) as IDataObject);
	}

	private async lookNow(known: SubscriptionState & { url: string; current: Stored }): Promise<void> {
		const { url, current, generation, former } = known;
		const overtaken = () => this.isClosed || this.state.generation !== generation;
		const client = await connect(this.context);
		const wanted = wantedOf(this.context, url);
		const step = new Subscription(client, wanted, PATIENCE);
		const listed = await step.listed([current.webhookId, ...(former ?? [])]);
		if (overtaken()) return;
		const { apiKey } = await this.context.getCredentials(credentialName);
		const secret = derivedSecret(String(apiKey), url);
		const problem = problemOf(listed, current, secret);
		const events = this.settings.catchUp
			? await this.missed(client, { listed, problem, current, former })
			: [];
		if (problem && !overtaken()) await this.repair(step, { listed, current, secret, problem, overtaken });
		if (!overtaken()) delete this.state.former;
		if (!overtaken()) this.catchUp.emit(events);
	}

	/** What was not delivered, read before anything is removed: the service forgets it with the subscription. */
	private async missed(
		client: Client,
		{
			listed,
			problem,
			current,
			former,
		}: { listed: Listed[]; problem: string | undefined; current: Stored; former: string[] | undefined },
	) {
		const ids = listed.map(({ id }) => id).filter((id) => problem !== undefined || id === current.webhookId);
		// `former` is there where a start of n8n has subscribed anew.
		return await this.catchUp.read(client, ids, problem !== undefined || former !== undefined);
	}

	/** The new one first, then the others away: no gap. */
	private async repair(
		step: Subscription,
		{
			listed,
			current,
			secret,
			problem,
			overtaken,
		}: {
			listed: Listed[];
			current: Stored;
			secret: string;
			problem: string;
			overtaken: () => boolean;
		},
	): Promise<void> {
		const isThere = problem === doubled;
		const keep = isThere ? current : await step.create(secret);
		if (overtaken()) {
			if (!isThere) await step.deleteById(keep.webhookId);
			return;
		}
		this.state.current = keep;
		this.log('warn', `the subscription was put right: ${problem}`, { webhook_id: keep.webhookId });
		for (const { id } of listed) if (id !== keep.webhookId && !overtaken()) await step.deleteById(id);
	}

	private failed(error: unknown): void {
		this.failures++;
		const node = this.context.getNode();
		const reason = error instanceof Failure ? error.details.message : (error as Error).message;
		this.log('warn', `could not look after the subscription: ${reason}`, { looks: this.failures });
		if (this.failures !== TELL_AFTER) return;
		// A failed execution in the list, and the error workflow; older n8ns have only the log.
		if (canTell(this.context)) this.context.saveFailedExecution(toNodeError(node, error));
	}

	private log(level: 'warn', message: string, more: IDataObject): void {
		const { name } = this.context.getNode();
		this.context.logger[level](`${name}: ${message}`, { workflow: this.context.getWorkflow().name, ...more });
	}
}

const doubled = 'the service had more than one for this address';

/** Why the service does not have exactly the subscription that is wanted; undefined where it has. */
function problemOf(listed: Listed[], current: Stored, secret: string): string | undefined {
	const own = listed.find(({ id }) => id === current.webhookId);
	if (!own) return listed.length === 0 ? 'the service had none' : 'the service had another one';
	if (current.derived && current.secret !== secret) return 'the API key was replaced';
	if (!own.isAsWanted) return 'it was disabled or changed at the service';
	return listed.length > 1 ? doubled : undefined;
}
