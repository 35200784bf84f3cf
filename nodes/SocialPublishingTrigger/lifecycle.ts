import type { IHookFunctions } from 'n8n-workflow';

import { refusal, toNodeError } from '../api/failure';
import { doubtOfAddress } from '../shared/addresses';
import { settingChanged } from './diff';
import { clean, ensure, removeStrays } from './ensure';
import { reasonOf, warn } from './log';
import { readStored, stateIn, type NodeState } from './state';
import { open } from './work';

/** How long one request of a call is retried, and how long all of them may take. */
const LIFE_CYCLE_LIMITS = { requestMs: 10_000, totalMs: 60_000 };
/** … for what is not worth more waiting. */
const TAKE_BACK_LIMITS = { requestMs: 3_000, totalMs: 3_000 };

/** Whether n8n itself starts: no reason to unsubscribe if the service is away, as n8n up to 2.39 does on an error. */
const isStart = (context: IHookFunctions): boolean =>
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
		await open(context, TAKE_BACK_LIMITS)
			.then(removeStrays)
			.catch(() => undefined);
	return true;
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
