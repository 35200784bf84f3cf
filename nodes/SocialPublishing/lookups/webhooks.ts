import { lists } from '../../api/contract';
import { readSubscription } from '../../api/records';
import { filled } from '../../api/texts';
import { locator } from '../../shared/locator';
import type { LookupSource } from '../../shared/search';

export const webhookId = locator({
	label: 'Webhook',
	name: 'webhookId',
	description: 'The webhook to use',
	searchListMethod: 'searchWebhooks',
	exampleId: 'wh_2k9d4s',
});

/** Spec: `GET /webhooks`. */
export const webhooks: LookupSource = {
	...lists.webhooks,
	label: (record) => {
		const { description, url } = readSubscription(record);
		return filled([description, url]).join(' · ');
	},
};
