import countBy from 'lodash/countBy';
import findLast from 'lodash/findLast';
import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { listNames } from '../../../api/contract';
import { Failure, refusal, toFailure } from '../../../api/failure';
import { records } from '../../../api/lists';
import { iso } from '../../../api/postRange';
import { readSubscription, type Subscription } from '../../../api/records';
import { withoutSecretFields, withoutSignedQueries } from '../../../api/redaction';
import { isElsewhere, isSameAddress, unreachable } from '../../../shared/addresses';
import type { Item } from '../../engine/item';
import { operation } from '../../engine/operation';
import { webhookId } from '../../lookups/webhooks';
import { diagnose, MAX_QUOTED } from './diagnosis';
import { readDeliveries } from './getDeliveries';

/** A subscription, and its record as the service lists it. */
type ListedWebhook = Subscription & { record: IDataObject };

/** What is checked: an address, and the service's subscription for it. */
interface CheckedAddress {
	url?: string | undefined;
	webhook?: ListedWebhook | undefined;
}

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
			description: 'Webhook to check. Leave empty to check all webhooks.',
		},
	],
	options: [
		{
			displayName: 'Address',
			name: 'address',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://n8n.example.com/webhook/0b3c…/webhook',
			description: "The trigger's production URL, to check a trigger whose webhook may be gone",
		},
	],
	run: async (item, { webhookId: id, options: { address = '' } }) => {
		const { data, headers } = await item.get({ path: '/webhooks', expects: { list: listNames.webhooks } });
		const listed = records(data, listNames.webhooks).map((record) => ({
			...readSubscription(record),
			record,
		}));
		const list = listed.filter(({ isDeleted }) => !isDeleted);
		// NaN where the service doesn't give its time.
		const clockAheadMs = Date.now() - Date.parse(String(headers.date));
		const wanted = address.trim() || id;
		const all = list.length > 0 ? list.map((webhook) => ({ url: webhook.url, webhook })) : [{}];
		const addresses = wanted ? [addressOf(wanted, list)] : all;
		return await Promise.all(
			addresses.map(async (one) => await checkDelivery(item, one, list, clockAheadMs)),
		);
	},
});

/** @param wanted an address, or the ID of a webhook in the list */
function addressOf(wanted: string, list: ListedWebhook[]): CheckedAddress {
	const chosen = list.find(({ id }) => id === wanted);
	if (chosen) return { url: chosen.url, webhook: chosen };
	if (!/^https?:\/\//i.test(wanted) || !URL.canParse(wanted))
		throw refusal(
			'WEBHOOK_UNKNOWN',
			`There is no webhook '${wanted.slice(0, 100)}' in this workspace`,
			"Choose one in 'Webhook', add the option 'Address' with the production URL of the trigger, or leave both out to check all.",
		);
	const here = list.filter(({ url = '' }) => isSameAddress(url, wanted));
	return { url: wanted, webhook: here.find(({ isDisabled }) => !isDisabled) ?? here[0] };
}

async function checkDelivery(
	item: Item,
	{ url = '', webhook }: CheckedAddress,
	list: ListedWebhook[],
	clockAheadMs: number,
): Promise<IDataObject> {
	const here = url ? list.filter((one) => isSameAddress(one.url ?? '', url)) : [webhook ?? []].flat();
	const others = list.map((one) => one.url ?? '').filter((other) => isElsewhere(other, url));
	const elsewhere = withoutSignedQueries(others);
	const read = webhook ? await readDeliveries(item, webhook.id).catch(toFailure) : [];
	const unread = read instanceof Failure ? read : undefined;
	// The latest last; of the same time, or where the records have none, those that failed.
	const deliveries = sortBy(read instanceof Failure ? [] : withoutSignedQueries(read), [
		({ at }) => at ?? 0,
		({ status }) => status !== 'delivered',
	]);
	const arrived = findLast(deliveries, { status: 'delivered' })?.at;
	const failed = findLast(deliveries, ({ status, lastError }) => status !== 'delivered' && !!lastError);
	return {
		...diagnose({
			...{ url, webhook, elsewhere, deliveries, clockAheadMs, unread, now: item.now },
			active: here.filter(({ isDisabled }) => !isDisabled).length,
			unreachable: url ? unreachable(url, item.apiUrl) : undefined,
		}),
		url: url ? withoutSignedQueries(url) : null,
		webhook: webhook ? withoutSignedQueries(withoutSecretFields(webhook.record)) : null,
		subscriptions: here.length,
		...(elsewhere.length > 0 ? { other_addresses: elsewhere } : {}),
		deliveries:
			webhook && !unread
				? {
						total: deliveries.length,
						// n8n shows an empty object in red.
						...(deliveries.length > 0 ? { by_status: countBy(deliveries, 'status') } : {}),
						...(arrived === undefined ? {} : { last_delivered_at: iso(arrived) }),
					}
				: null,
		last_error: failed?.lastError?.slice(0, MAX_QUOTED) ?? null,
		clock_ahead_seconds: Number.isNaN(clockAheadMs) ? null : Math.round(clockAheadMs / 1000),
	};
}
