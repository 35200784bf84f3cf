import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../../api/address';
import { listNames } from '../../../api/contract';
import { Failure } from '../../../api/errors';
import { records } from '../../../api/lists';
import { hasSamePath, isSameAddress, unreachable } from '../../../shared/addresses';
import { readSubscription } from '../../../shared/webhooks';
import { webhookId } from '../../lookups/webhooks';
import type { Item } from '../../engine/item';
import { operation } from '../../engine/operation';
import { diagnose, type Findings } from './diagnosis';

/**
 * Why a trigger does not start, from what the service knows: its subscription, its last deliveries, its clock. Asks no
 * other address: n8n does not stand where the service does.
 */
export const check = operation({
	name: 'Check Delivery',
	value: 'check',
	action: 'Check webhook delivery',
	description: "Find out why events don't arrive",
	method: 'GET',
	fields: [
		{
			...webhookId,
			required: false,
			description:
				'Webhook to check. If its subscription is gone, leave this empty and set the option Address.',
		},
		{
			displayName: 'Address',
			name: 'address',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://n8n.example.com/webhook/0b3c…/webhook',
			description: "The trigger's production URL, instead of Webhook",
		},
	],
	run: async (item, { webhookId: id, address }) => {
		const { data, headers } = await item.get({
			path: '/webhooks',
			expects: { list: listNames.webhooks },
		});
		const list = records(data, listNames.webhooks);
		const url = addressOf(address.trim() || id, list);
		const here = list.filter((one) => isSameAddress(String(one.url), url));
		const webhook = here.find((one) => String(one.id) === id) ?? here[0];
		const serviceTime = Date.parse(String(headers.date));
		const clockAheadMs = Number.isNaN(serviceTime) ? undefined : Date.now() - serviceTime;
		const found: Findings = {
			url,
			subscriptions: here.map(readSubscription),
			elsewhere: list
				.map((one) => String(one.url))
				.filter((other) => hasSamePath(other, url) && !isSameAddress(other, url)),
			unreachable: unreachable(url, item.apiUrl),
			clockAheadMs,
			...(webhook ? await history(item, String(webhook.id)) : { deliveries: {} }),
		};
		const facts: IDataObject = {
			...diagnose(found),
			url,
			webhook: webhook ? omit(webhook, 'secret') : null,
			subscriptions: here.length,
			other_addresses: found.elsewhere,
			deliveries: found.deliveries,
			last_error: found.lastError ?? null,
			clock_ahead_seconds: clockAheadMs === undefined ? null : Math.round(clockAheadMs / 1000),
		};
		return [facts];
	},
});

/** @param wanted an address, or the ID of a webhook in the list */
function addressOf(wanted: string, list: IDataObject[]): string {
	const isAddress = /^https?:\/\//i.test(wanted);
	const url = isAddress ? wanted : String(list.find(({ id }) => String(id) === wanted)?.url ?? '');
	if (URL.canParse(url)) return url;
	throw new Failure({
		code: 'NODE_WEBHOOK_UNKNOWN',
		message: wanted
			? `There is no webhook '${wanted.slice(0, 100)}' in this workspace`
			: "Neither 'Webhook' nor 'Address' is given",
		hint: "Choose one in 'Webhook', or give the production URL of the trigger in 'Address'.",
	});
}

/** How many deliveries there are by status, and how the latest went; the list's order and its fields are not shown. */
async function history(
	item: Item,
	id: string,
): Promise<Pick<Findings, 'deliveries' | 'latest' | 'lastError'>> {
	const path = `/webhooks/${pathSegment(id, 'Webhook')}/deliveries`;
	const { data } = await item.get({ path }).catch((error: unknown) => {
		// Gone since it was listed.
		if (error instanceof Failure && error.details.status === 404) return { data: [] };
		throw error;
	});
	const all = records(data, listNames.deliveries);
	const deliveries: IDataObject = { total: all.length };
	for (const { status } of all) deliveries[String(status)] = Number(deliveries[String(status)] ?? 0) + 1;
	const arrived = all
		.filter(({ status }) => status === 'delivered')
		.sort(byTime)
		.at(-1);
	const failed = all.filter((one) => one.status !== 'delivered' && textOf(one.last_error));
	const lastError = textOf(failed.sort(byTime).at(-1)?.last_error);
	const latest = all
		.filter(({ status }) => status !== 'pending')
		.sort(byTime)
		.at(-1);
	return {
		deliveries: {
			...deliveries,
			...(arrived?.delivered_at ? { last_delivered_at: arrived.delivered_at } : {}),
		},
		...(latest ? { latest: { status: String(latest.status), error: textOf(latest.last_error) } } : {}),
		...(lastError ? { lastError } : {}),
	};
}

/** The latest last; of the same time, or where no time is shown, those that failed. */
function byTime(a: IDataObject, b: IDataObject): number {
	const time = ({ delivered_at, updated_at, created_at, occurred_at }: IDataObject): number =>
		Date.parse(String(delivered_at ?? updated_at ?? created_at ?? occurred_at)) || 0;
	return time(a) - time(b) || Number(b.status === 'delivered') - Number(a.status === 'delivered');
}

const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined;
