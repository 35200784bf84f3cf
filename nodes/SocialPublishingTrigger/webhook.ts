import { once } from 'lodash';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { credentialName } from '../api/client';
import { headers } from '../api/contract';
import { derivedSecret } from '../shared/signature';
import { parseDelivery, verify, type Secrets } from './delivery';
import { reasonOf, warnOnce } from './log';
import { isAskedFor, settingsOf } from './settings';
import { readStored, stateIn } from './state';
import type { EndAcceptance } from './tracker';

/** The log says at most this often, for each reason, that a delivery was refused. */
const WARN_EVERY_MS = 60_000;

/** Starts the workflow, or answers the sender. Never throws: n8n would store a failed execution for each forged delivery. */
export async function handleWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return await handle(context);
	} catch (error) {
		context.logger.error(`${context.getNode().name}: a delivery was not accepted`, reasonOf(error));
		return answer(context, 503, { error: 'Temporarily unavailable' });
	}
}

async function handle(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = context.getRequestObject();
	// n8n does not read bodies of every content type by itself, and can't give back a form's: that is no delivery.
	if (!request.rawBody) await request.readRawBody?.().catch(() => undefined);
	const { [headers.signature]: signature, [headers.timestamp]: timestamp } = request.headers;
	const delivery = parseDelivery({ body: request.rawBody, signature, timestamp });
	const settings = once(() => settingsOf(context));
	const secrets = delivery ? await secretsFor(context) : { accepted: [], isKnown: true };
	const verdict = verify(delivery, secrets, Date.now(), () => settings().toleranceMs);
	const { event, refused } = verdict;
	if (refused) {
		const off = verdict.offMs === undefined ? '' : ` (${Math.round(verdict.offMs / 1000)} s)`;
		const message = `a delivery was refused: ${verdict.reason}${off}`;
		warnOnce(context, message, WARN_EVERY_MS, verdict.reason);
		return answer(context, refused.status, { error: refused.error });
	}
	if (!isAskedFor(event, settings())) return answer(context, 200, { status: 'ignored' });
	// A test's address is its own, and so are its events.
	const accepted = { workflowData: [[{ json: event }]] };
	if (context.getMode() === 'manual') return accepted;
	const arrival = await stateIn(context).tracker.admit(event.id);
	if (arrival === 'duplicate') return answer(context, 200, { status: 'duplicate' });
	if (arrival === 'in progress')
		return answer(context, 503, { status: 'in_progress' }, { 'Retry-After': '1' });
	followAnswer(context, arrival);
	return accepted;
}

async function secretsFor(context: IWebhookFunctions): Promise<Secrets> {
	const { mine: kept } = readStored(context.getWorkflowStaticData('node'));
	const state = stateIn(context);
	const ofKey = await state.secretOfKey(async () => {
		const { apiKey } = await context.getCredentials(credentialName);
		return derivedSecret(apiKey, context.getNodeWebhookUrl('default') ?? '');
	});
	const isKnown = (kept ?? state.mine) !== undefined;
	return { accepted: state.secretsInForce(kept, ofKey), isKnown };
}

/** n8n answers 2xx once the execution is stored. Until such an answer is out, the service's next try counts as new. */
function followAnswer(context: IWebhookFunctions, endAcceptance: EndAcceptance): void {
	const response = context.getResponseObject();
	const end = () => {
		const wentOut = response.writableFinished && response.statusCode >= 200 && response.statusCode < 300;
		endAcceptance(wentOut ? 'taken' : 'failed');
	};
	// Hung up already: there will be no event to wait for.
	if (response.closed) end();
	else response.once('close', end);
}

function answer(context: IWebhookFunctions, status: number, body: IDataObject, moreHeaders = {}) {
	context.getResponseObject().set(moreHeaders).status(status).json(body);
	return { noWebhookResponse: true };
}
