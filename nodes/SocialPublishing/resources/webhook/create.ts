import { refusal } from '../../../api/failure';
import { shortened } from '../../../api/texts';
import { reachOf } from '../../../shared/addresses';
import { eventOptions } from '../../../shared/events';
import { operation } from '../../engine/operation';

/** Spec: `POST /webhooks`. The answer's `webhook.secret` is given this once. */
export const create = operation({
	name: 'Create',
	value: 'create',
	action: 'Create webhook',
	description: 'Subscribe a URL to events and return the secret, which is shown only once',
	method: 'POST',
	keepsNothing: true,
	duplicates: {
		execution: ['When I Retry', 'Retrying an execution creates one webhook. Each new run creates another.'],
		custom: ['My Own ID', 'One webhook is created for each ID that you provide'],
	},
	fields: [
		{
			displayName: 'URL',
			name: 'url',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/events',
			description: 'HTTPS URL to send the events to',
			hint: 'To start a workflow, use the Social Publishing Trigger: it subscribes and verifies signatures itself',
		},
		{
			displayName: 'Events',
			name: 'events',
			type: 'multiOptions',
			default: [],
			required: true,
			description: 'Events to send',
			options: eventOptions,
		},
		{
			displayName: 'Description',
			name: 'description',
			type: 'string',
			default: '',
			placeholder: 'e.g. Newsroom',
			description: 'Purpose of the webhook',
		},
	],
	request: ({ url, events, description }, { apiUrl }) => ({
		path: '/webhooks',
		body: { url: receiver(url.trim(), apiUrl), events, ...(description ? { description } : {}) },
	}),
});

/** Spec, "Webhook": an https address; a service on the same machine or network may deliver without https. @throws Failure */
function receiver(url: string, apiUrl: string): string {
	const { protocol = '' } = URL.canParse(url) ? new URL(url) : {};
	const isLocal =
		protocol === 'http:' && [url, apiUrl].every((one) => reachOf(new URL(one)) !== 'everywhere');
	if (protocol === 'https:' || isLocal) return url;
	throw refusal(
		'WEBHOOK_URL',
		`'URL' is not an https address: ${shortened(url)}`,
		'Enter an address that starts with https://. The service does not deliver to any other.',
	);
}
