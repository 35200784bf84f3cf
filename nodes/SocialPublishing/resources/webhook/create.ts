import { webhookCreated } from '../../../api/schema';
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
			options: [
				{ name: 'Approval Batch Approved', value: 'approval.batch_approved' },
				{ name: 'Approval Batch Created', value: 'approval.batch_created' },
				{ name: 'Approval Item Approved', value: 'approval.item_approved' },
				{ name: 'Approval Item Rejected', value: 'approval.item_rejected' },
				{ name: 'Automation Triggered', value: 'automation.triggered' },
				{ name: 'Inbox Item Created', value: 'inbox.item.created' },
				{ name: 'Inbox Lead Captured', value: 'inbox.lead.captured' },
				{ name: 'Inbox Message Received', value: 'inbox.message_received' },
				{ name: 'Inbox Message Responded', value: 'inbox.message_responded' },
				{ name: 'Post Canceled', value: 'post.canceled' },
				{ name: 'Post Created', value: 'post.created' },
				{ name: 'Post Failed', value: 'post.failed' },
				{ name: 'Post Published', value: 'post.published' },
				{ name: 'Post Scheduled', value: 'post.scheduled' },
			],
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
		sensitive: true,
	}),
	output: webhookCreated,
});
