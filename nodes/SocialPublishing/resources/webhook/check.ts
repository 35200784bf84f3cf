import { reject, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { lists } from '../../../api/contract';
import { Failure, refusal, serviceSays, toFailure } from '../../../api/failure';
import { readSubscription, type DeliveryRecord } from '../../../api/records';
import { shortened } from '../../../api/texts';
import { isSameAddress } from '../../../shared/addresses';
import { operation } from '../../engine/operation';
import { webhookId } from '../../lookups';
import { diagnose, type ListedWebhook } from './diagnosis';
import { listedDeliveries } from './getDeliveries';

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
	run: async (item, { webhookId: id, options: { address = '' } }) => {
		const { records, isComplete, headers = {} } = await item.list(lists.webhooks);
		const list = reject(records.map(listed), 'isDeleted');
		// NaN where the service doesn't give its time; a cache says how old its answer is.
		const answeredAt = Date.parse(String(headers.date)) + (Number(headers.age) || 0) * 1000;
		const clockAheadMs = Date.now() - answeredAt;
		const wanted = address.trim() || id;
		// Of several at an address, an active one.
		const chosen = sortBy(list, 'isDisabled').find(
			(one) => one.id === wanted || isSameAddress(one.url, wanted),
		);
		const isAddress = /^https?:\/\//i.test(wanted) && URL.canParse(wanted);
		const isUnlisted = wanted !== '' && !chosen && !isAddress;
		const unknown = refusal(
			'WEBHOOK_UNKNOWN',
			`No webhook '${shortened(wanted)}' was found in this workspace`,
			"Choose one in 'Webhook', add the option 'Address' with the production URL of the trigger, or leave both out to check all.",
		);
		if (isUnlisted && address.trim() !== '') throw unknown;
		const named = isUnlisted ? listed({ id: wanted }) : chosen;
		const checked = wanted || list.length === 0 ? [named] : list;
		const checks = checked.map(async (webhook) => {
			const none = { deliveries: [] };
			const read = webhook ? await listedDeliveries(item, webhook.id).catch(toFailure) : none;
			const deliveries = read instanceof Failure ? read : sortBy(read.deliveries, order);
			// A list may lag, or show other IDs: its deliveries tell whether there is such a webhook.
			// What can't be judged was answered.
			const isAnswered = (code: string) => /^NODE_(MORE_DELIVERIES|DELIVERY_STATUS)$/.test(code);
			if (isUnlisted && read instanceof Failure && !isAnswered(read.details.code))
				throw serviceSays(read, 404, 410) ? unknown : read;
			return diagnose(webhook?.url ?? wanted, webhook, list, deliveries, clockAheadMs, item.now, isComplete);
		});
		return await Promise.all(checks);
	},
});

function listed(record: IDataObject): ListedWebhook {
	const read = readSubscription(record);
	return { ...read, url: read.url ?? '', record };
}

/** The latest last; of the same time, or where the records have none, those that failed. */
const order = [({ at = 0 }: DeliveryRecord) => at, ({ status }: DeliveryRecord) => status !== 'delivered'];
