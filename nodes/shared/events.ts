import type { INodePropertyOptions } from 'n8n-workflow';

/** Events of both lists of the spec ("Event names"), the two that most workflows want first, then by name. */
export const eventOptions: INodePropertyOptions[] = [
	{ name: 'Post Published', value: 'post.published', description: 'A post is published to the platform' },
	{ name: 'Post Failed', value: 'post.failed', description: 'A post failed to publish' },
	{
		name: 'Approval Batch Approved',
		value: 'approval.batch_approved',
		description: 'All posts of a batch are approved',
	},
	{
		name: 'Approval Batch Created',
		value: 'approval.batch_created',
		description: 'Posts are handed to an approver as a batch',
	},
	{
		name: 'Approval Item Approved',
		value: 'approval.item_approved',
		description: 'One post of a batch is approved',
	},
	{
		name: 'Approval Item Rejected',
		value: 'approval.item_rejected',
		description: 'One post of a batch is rejected',
	},
	{
		name: 'Automation Triggered',
		value: 'automation.triggered',
		description: 'An automation of the service runs',
	},
	{
		name: 'Inbox Item Created',
		value: 'inbox.item.created',
		description: 'A new comment or direct message is stored in the inbox',
	},
	{
		name: 'Inbox Lead Captured',
		value: 'inbox.lead.captured',
		description:
			'The direct-message agent first collects an email address or phone number, once per conversation',
	},
	{
		name: 'Inbox Message Received',
		value: 'inbox.message_received',
		description: 'A direct message arrives in a conversation (comments: Inbox Item Created)',
	},
	{
		name: 'Inbox Message Responded',
		value: 'inbox.message_responded',
		description: 'A direct message is answered',
	},
	{ name: 'Post Canceled', value: 'post.canceled', description: 'A post is canceled before publishing' },
	{ name: 'Post Created', value: 'post.created', description: 'A post is created, as a draft or scheduled' },
	{ name: 'Post Scheduled', value: 'post.scheduled', description: 'A post is confirmed scheduled' },
];
