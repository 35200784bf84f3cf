import { pick } from 'lodash';
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { refusal } from '../api/failure';
import { connectTrigger, type Connection, type Limits } from './connection';
import { settingsOf, type Settings } from './settings';
import { stateIn, type NodeState } from './state';
import type { Desired } from './subscription';

/** What a life-cycle call or a check works with. */
export interface Work {
	context: IHookFunctions | ITriggerFunctions;
	settings: Settings;
	state: NodeState;
	connection: Connection;
	desired: Desired;
}

/** The way to the service, and what it should have at the address of the node, as it is set now. */
export async function open(
	context: Work['context'],
	limits: Limits,
	settings = settingsOf(context),
): Promise<Work> {
	const state = stateIn(context);
	const { workspaceId, events, description } = settings;
	const setup = { url: state.url, workspaceId, secrets: state.knownSecrets, ...limits };
	const connection = await connectTrigger(context, setup);
	const { ownSecret: secret } = connection;
	const noKey = 'The credential has no API key, so no delivery could be verified';
	const hint = "Enter 'API Key' in the credential; if it is an expression, check that it has a value.";
	if (secret === undefined) throw refusal('NO_API_KEY', noKey, hint);
	const suffix = state.isTest ? ' (test)' : '';
	const name = description || `n8n: ${context.getWorkflow().name ?? 'workflow'}${suffix}`;
	const place = pick(connection, 'url', 'serviceUrl', 'workspaceId');
	return { context, settings, state, connection, desired: { ...place, events, description: name, secret } };
}
