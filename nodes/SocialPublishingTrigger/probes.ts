import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { credentialName } from '../api/connect';
import { isProbeToken, PROBE_QUERY, sha256, type ProbeReport } from '../shared/probe';
import type { RawDelivery } from './delivery';

/**
 * What arrived of a probe, for whoever holds the API key; undefined for everything else. It starts nothing and leaves
 * no trace: a probe is no event, whatever its body says.
 */
export async function reportOn(
	context: IWebhookFunctions,
	raw: RawDelivery,
): Promise<(ProbeReport & IDataObject) | undefined> {
	const token = (context.getQueryData() as IDataObject)[PROBE_QUERY];
	if (token === undefined) return undefined;
	const { apiKey } = await context.getCredentials(credentialName);
	if (!isProbeToken(token, String(apiKey), Date.now())) return undefined;
	return {
		status: 'probe',
		address: context.getNodeWebhookUrl('default') ?? '',
		body_sha256: Buffer.isBuffer(raw.body) ? sha256(raw.body) : null,
		signature: textOf(raw.signature),
		timestamp: textOf(raw.timestamp),
		now: new Date().toISOString(),
		workflow_id: context.getWorkflow().id ?? '',
	};
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 200) : null);
