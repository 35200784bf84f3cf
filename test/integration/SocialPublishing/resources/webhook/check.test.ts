import type { IDataObject } from 'n8n-workflow';

import { credentialOf, runOperation, useService } from '../../../../support/service';
import { Instance } from '../../../../support/triggerContexts';

/** Check Delivery of a real trigger, over real HTTP. All verdicts: `test/unit/…/webhook/diagnosis.test.ts`. */

const service = useService({ inlineDelaysMs: [0], speed: 0 });
let n8n: Instance;
beforeEach(async () => {
	n8n = await Instance.start({ credential: credentialOf(service()) });
	await n8n.publish();
});
afterEach(async () => await n8n.stop());

async function check(parameters: IDataObject): Promise<IDataObject> {
	n8n.executions.length = 0;
	const { json, error } = await runOperation(service(), 'webhook:check', parameters);
	expect(error).toBeUndefined();
	expect(json).toHaveLength(1);
	// Nothing but the service is asked.
	expect(n8n.executions).toEqual([]);
	return json[0]!;
}

test.each<[number | undefined, string]>([
	[undefined, 'ok'],
	[200, 'ok'],
	[404, 'not_published'],
	[500, 'server_error'],
])('a delivery that was answered with %s, by ID and by address: %s', async (status, verdict) => {
	n8n.answerWith = status ?? 0;
	const event = { type: 'post.published', workspaceId: 'ws_main', brandId: 'b', resource: 'r', data: {} };
	if (status) service().deliveries.emit(event);
	await service().deliveries.idle();
	const [webhook] = service().store.webhooks.values();
	for (const parameters of [
		{ webhookId: { mode: 'id', value: webhook!.id } },
		{ options: { address: webhook!.url } },
	])
		expect(await check(parameters)).toMatchObject({
			...{ verdict, subscriptions: 1, deliveries: { total: status ? 1 : 0 } },
			last_error: verdict === 'ok' ? null : `The receiver answered ${status}`,
		});
});
