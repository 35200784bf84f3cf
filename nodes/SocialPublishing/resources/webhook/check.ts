import type { IDataObject } from 'n8n-workflow';

import { Failure, toFailure } from '../../../api/errors';
import { listNames } from '../../../api/contract';
import { records } from '../../../api/lists';
import { deliveryCheck } from '../../../api/schema';
import { unreachable } from '../../../shared/address';
import { deliveriesOf } from '../../../shared/missedEvents';
import { operation, type ItemContext } from '../../engine/operation';
import { webhookId } from '../../lookups/webhooks';
import { diagnose, type Findings } from './diagnosis';

/**
 * Why a trigger does not start: its subscription, its last deliveries, and a signed probe to its address from outside
 * in. Writes nothing at the service, so that it needs no idempotency key.
 */
export const check = operation({
	name: 'Check Delivery',
	value: 'check',
	action: 'Check delivery to webhook',
	description: 'Find out why deliveries do not arrive: one item with a verdict in plain words and the facts',
	method: 'GET',
	fields: [
		{
			...webhookId,
			required: false,
			description: 'The webhook to check. Leave empty where its subscription is gone, and give its address.',
		},
		{
			displayName: 'Address',
			name: 'address',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://n8n.example.com/webhook/0b3c…/webhook',
			description: "Instead of Webhook: the production URL that the trigger's panel shows",
		},
	],
	run: async (item, { webhookId: id, address }) => {
		const { data, headers } = await item.answer({
			path: '/webhooks',
			expects: { list: listNames.webhooks },
		});
		const found = await inspect(item, address.trim() || id, records(data, listNames.webhooks), headers);
		const { webhook, deliveries, probe, clockAheadMs, count, url } = found;
		const facts: IDataObject = {
			...diagnose(found),
			url,
			webhook: webhook ?? null,
			subscriptions: count,
			deliveries,
			last_error: found.lastError ?? null,
			probe: probe ? { status: probe.status ?? null, error: probe.error ?? null } : null,
			clock_ahead_seconds: clockAheadMs === undefined ? null : Math.round(clockAheadMs / 1000),
		};
		return [facts];
	},
	output: deliveryCheck,
});

async function inspect(
	item: ItemContext,
	wanted: string,
	list: IDataObject[],
	headers: IDataObject,
): Promise<Findings> {
	const isAddress = /^https?:\/\//i.test(wanted);
	const url = isAddress ? wanted : String(list.find(({ id }) => String(id) === wanted)?.url ?? '');
	if (!URL.canParse(url))
		throw new Failure({
			code: 'NODE_WEBHOOK_UNKNOWN',
			message: wanted
				? `There is no webhook '${wanted.slice(0, 100)}' in this workspace`
				: "Neither 'Webhook' nor 'Address' is given",
			hint: "Choose one in 'Webhook', or give the production URL of the trigger in 'Address'.",
		});
	const same = list.filter((one) => one.url === url);
	const webhook = same[0];
	const serviceTime = Date.parse(String(headers.date));
	return {
		url,
		...(webhook ? { webhook } : {}),
		count: same.length,
		...(webhook ? await history(item, String(webhook.id)) : { deliveries: {} }),
		unreachable: unreachable(url, item.apiUrl),
		// The header knows whole seconds only.
		...(Number.isNaN(serviceTime) ? {} : { clockAheadMs: Date.now() - serviceTime }),
		probe: await item.probe(url),
	};
}

/** How many deliveries there are by status, and why the last one failed; the list's order and its fields are not shown. */
async function history(item: ItemContext, id: string): Promise<Pick<Findings, 'deliveries' | 'lastError'>> {
	const all = await deliveriesOf(async (request) => await item.get(request), id).catch((error: unknown) => {
		// Gone since it was listed.
		if (error instanceof Failure && error.details.status === 404) return [];
		throw toFailure(error);
	});
	const deliveries: IDataObject = { total: all.length };
	for (const { status } of all) deliveries[String(status)] = Number(deliveries[String(status)] ?? 0) + 1;
	const failed = all.find((one) => one.status !== 'delivered' && typeof one.last_error === 'string');
	const last = all
		.map(({ delivered_at }) => String(delivered_at ?? ''))
		.sort()
		.at(-1);
	return {
		deliveries: { ...deliveries, ...(last ? { last_delivered_at: last } : {}) },
		...(failed ? { lastError: String(failed.last_error) } : {}),
	};
}
