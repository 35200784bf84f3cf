import { map, pick } from 'lodash';
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { refusal, toNodeError } from '../api/failure';
import { doubtOfAddress } from '../shared/addresses';
import { connectTrigger } from './connection';
import { settingChanged } from './diff';
import { clean, ensure, removeStrays, type Work } from './ensure';
import { reasonOf, warn } from './log';
import { readDeliveries, UNDELIVERED } from './recover';
import { settingsOf } from './settings';
import { readStored, stateIn, type NodeState } from './state';

/** How long one request of a call is retried, and how long all of them may take. */
const LIFE_CYCLE_LIMITS = { requestMs: 10_000, totalMs: 60_000 };
/** … for what is not worth more waiting. */
const KEEP_LIMITS = { requestMs: 3_000, totalMs: 3_000 };

const UNREAD = 'could not read whether the service had something left to deliver; if so, it is lost';

/** Whether n8n itself starts: no reason to unsubscribe if the service is away, as n8n up to 2.39 does on an error. */
export const isStart = (context: IHookFunctions | ITriggerFunctions): boolean =>
	['init', 'leadershipChange'].includes(context.getActivationMode());

/** n8n asks whether the subscription is there. While it runs, {@link publish} finds out; at a start, what is stored counts. */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	if (!isStart(context)) return false;
	const state = begin(context);
	const { mine } = state;
	if (!mine) return false;
	state.published();
	try {
		const { desired } = await open(context, LIFE_CYCLE_LIMITS);
		return settingChanged(mine, desired) === undefined;
	} catch {
		return true;
	}
}

/** n8n wants a subscription. Static data is written here and in {@link unpublish}, nowhere else. */
export const publish = async (context: IHookFunctions): Promise<boolean> =>
	await inTurn(context, async (state) => {
		try {
			const work = await open(context, LIFE_CYCLE_LIMITS);
			if (work.desired.events.length === 0)
				throw refusal('NO_EVENTS', "'Trigger On' is empty", "Choose at least one event in 'Trigger On'.");
			const doubt = doubtOfAddress(work.desired.url, work.desired.serviceUrl);
			if (doubt) warn(context, doubt);
			const ensured = await ensure(work).catch((error: unknown) => {
				// n8n 2.41 stops trying after 15 s: at a start, the monitor goes on.
				if (!isStart(context)) throw error;
				warn(context, 'could not subscribe at the start of n8n and will try again', reasonOf(error));
			});
			state.published();
			if (!ensured) return false;
			// A test has no checks.
			if (state.isTest) await clean(work, ensured.obsolete);
			state.store(context.getWorkflowStaticData('node'));
			return true;
		} catch (error) {
			state.phase = 'failed';
			throw toNodeError(context.getNode(), error);
		}
	});

/** n8n wants the subscription gone; up to 2.39, and for a change, too. */
export const unpublish = async (context: IHookFunctions): Promise<boolean> =>
	await inTurn(context, async (state) => {
		// n8n 1.123 also deletes for a copy that it refuses, since another workflow has its address: what is there is that one's.
		const isRefused = state.publishedAt === undefined;
		// If n8n's `delete` failed after a publication that failed, publishing again would show success and subscribe nothing.
		if (state.phase === 'failed' || isRefused) return await takeBack(context, state);
		state.phase = 'idle';
		try {
			const work = await open(context, LIFE_CYCLE_LIMITS);
			const { errors } = await clean(work);
			// n8n then tries again.
			if (errors.length > 0) throw errors[0];
		} catch (error) {
			throw toNodeError(context.getNode(), error);
		}
		const staticData = context.getWorkflowStaticData('node');
		for (const key of Object.keys(staticData)) delete staticData[key];
		state.unpublished();
		return true;
	});

/** After a publication that failed: what came of a request whose answer was lost goes, if that is possible right now. */
async function takeBack(context: IHookFunctions, state: NodeState): Promise<boolean> {
	state.phase = 'idle';
	if (state.unanswered)
		await open(context, KEEP_LIMITS)
			.then(removeStrays)
			.catch(() => undefined);
	return true;
}

/** The way to the service, and what it should have at the address of the node, as it is set now. */
export async function open(
	context: IHookFunctions | ITriggerFunctions,
	limits: { requestMs: number; totalMs?: number; guard?: () => void },
	settings = settingsOf(context),
): Promise<Work> {
	const state = stateIn(context);
	const { workspaceId, events, description } = settings;
	const setup = { url: state.url, workspaceId, secrets: state.knownSecrets, ...limits };
	const connection = await connectTrigger(context, setup);
	const { ownSecret: secret, ...place } = connection;
	const noKey = 'The credential has no API key, so no delivery could be verified';
	const hint = "Enter 'API Key' in the credential; if it is an expression, check that it has a value.";
	if (secret === undefined) throw refusal('NO_API_KEY', noKey, hint);
	const suffix = state.isTest ? ' (test)' : '';
	const name = description || `n8n: ${context.getWorkflow().name ?? 'workflow'}${suffix}`;
	const where = pick(place, ['url', 'serviceUrl', 'workspaceId']);
	return {
		context,
		connection,
		state,
		desired: { ...where, events, description: name, secret },
		// Before anything can be emitted: the next check passes it on.
		keepUndelivered: async (refs) => {
			if (refs.length === 0 || state.isTest || !settings.catchUp) return;
			const { connection: quick } = await open(context, KEEP_LIMITS, settings);
			const { deliveries, unread } = await readDeliveries(context, quick, refs, () => UNDELIVERED);
			state.undelivered.push(...deliveries);
			const [trouble] = map(unread, 'error');
			// A check comes again.
			if (trouble && limits.guard) throw trouble;
			if (trouble) warn(context, UNREAD, reasonOf(trouble));
		},
	};
}

/** Calls of n8n come one after another; a check ends before its next request. */
async function inTurn<T>(context: IHookFunctions, act: (state: NodeState) => Promise<T>): Promise<T> {
	const state = stateIn(context);
	state.calls++;
	return await state.inTurn(async () => await act(begin(context))).finally(() => state.calls--);
}

function begin(context: IHookFunctions): NodeState {
	const state = stateIn(context);
	state.begin(context.getNodeWebhookUrl('default') ?? '', readStored(context.getWorkflowStaticData('node')));
	return state;
}
