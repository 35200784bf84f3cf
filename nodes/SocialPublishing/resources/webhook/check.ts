import { sortBy } from 'lodash';

import { pathSegment } from '../../../api/address';
import { deliveriesOf, lists } from '../../../api/contract';
import { toFailure } from '../../../api/failure';
import { readDelivery, readSubscription } from '../../../api/records';
import { isElsewhere, isSameAddress } from '../../../shared/addresses';
import { hintOfMore, type Item } from '../../engine/item';
import { operation } from '../../engine/operation';
import { webhookId } from '../../lookups';
import { diagnose, type Checked } from './diagnosis';

/** How many of a webhook's deliveries are read: the latest come first in most lists. */
const MAX_CHECKED = 500;

/** Why a trigger does not start. Asks the service alone: other addresses look different from where it stands. */
export const check = operation({
	name: 'Check Delivery',
	value: 'check',
	action: 'Check webhook delivery',
	description: "Find out why events don't arrive",
	fields: [
		{ ...webhookId, required: false, description: 'Webhook to check. Leave empty to check all webhooks.' },
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
	send: async ({ item }, { webhookId: id, options: { address = '' } }) => {
		const url = address.trim();
		const listed = await item.list(lists.webhooks);
		hintOfMore(item, listed);
		const all = listed.records.map((record): Checked => ({ ...readSubscription(record), record }));
		if (!url && !id)
			item.hint(
				"Only subscriptions that exist are listed. If your workflow's URL isn't here, set Options → Address to it.",
				'info',
			);
		const isAsked = (one: Checked) => (url ? isSameAddress(one.url ?? '', url) : !id || one.id === id);
		const found = all.filter(isAsked);
		if (found.length > 0)
			return await Promise.all(
				found.map(async (one) => diagnose(one, await deliveriesFor(item, one.id), item.now)),
			);
		// An ID that isn't listed may be known all the same.
		if (!url && id) return [diagnose({ id }, await deliveriesFor(item, id), item.now)];
		const elsewhere = all.flatMap((one) => (one.url && isElsewhere(one.url, url) ? one.url : []));
		return [diagnose({ url, elsewhere, isMissing: true }, [], item.now)];
	},
});

/** The latest last, and of the same time those that failed; or why they can't be read. */
async function deliveriesFor(item: Item, id = '') {
	const read = async () => {
		const { records } = await item.list({
			...deliveriesOf(pathSegment(id, 'Webhook')),
			most: MAX_CHECKED,
		});
		return sortBy(records.map(readDelivery), [({ at = 0 }) => at, ({ status }) => status !== 'delivered']);
	};
	return await read().catch(toFailure);
}
