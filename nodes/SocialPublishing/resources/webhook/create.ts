import { webhookCreated } from '../../../api/schema';
import { eventOptions } from '../../../shared/events';
import { operation } from '../../engine/operation';

/** Spec: `POST /webhooks`. The answer's `webhook.secret` is given this once. */
export const create = operation({
	name: 'Create',
	value: 'create',
	action: 'Create webhook',
	description: 'Subscribe an address to events; its secret is in the output, this once',
	method: 'POST',
	fields: [
		{
			displayName: 'URL',
			name: 'url',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/events',
			description: 'Where the service sends the events, an https address',
			hint: 'To start a workflow, use the Social Publishing Trigger instead: it subscribes and checks signatures by itself',
		},
		{
			displayName: 'Events',
			name: 'events',
			type: 'multiOptions',
			default: [],
			required: true,
			description: 'Which events to send',
			options: eventOptions,
		},
		{
			displayName: 'Description',
			name: 'description',
			type: 'string',
			default: '',
			placeholder: 'e.g. Newsroom',
			description: 'What the webhook is for',
		},
	],
	request: ({ url, events, description }) => ({
		path: '/webhooks',
		body: { url: url.trim(), events, ...(description ? { description } : {}) },
		secret: true,
	}),
	output: webhookCreated,
});
