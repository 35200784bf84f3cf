import type { INodePropertyOptions } from 'n8n-workflow';

/** Events of both lists of the spec ("Event names"): posts first, then what people react to most often. */
export const eventOptions: INodePropertyOptions[] = [
	{ name: 'Post Published', value: 'post.published', description: 'A post was published on its platform' },
	{ name: 'Post Failed', value: 'post.failed', description: 'Publishing a post failed' },
	{ name: 'Post Created', value: 'post.created', description: 'A post was created, as a draft or scheduled' },
	{ name: 'Post Scheduled', value: 'post.scheduled', description: 'A post was confirmed as scheduled' },
	{
		name: 'Post Canceled',
		value: 'post.canceled',
		description: 'A post was canceled before it was published',
	},
	{
		name: 'New Comment or Message',
		value: 'inbox.item.created',
		description: 'A comment or direct message arrived in the inbox',
	},
	{
		name: 'New Direct Message',
		value: 'inbox.message_received',
		description: 'A direct message arrived in a conversation',
	},
	{
		name: 'Direct Message Answered',
		value: 'inbox.message_responded',
		description: 'A direct message was answered',
	},
	{
		name: 'New Lead',
		value: 'inbox.lead.captured',
		description: 'The direct-message agent collected an email address or phone number, once per conversation',
	},
	{
		name: 'Post Approved',
		value: 'approval.item_approved',
		description: 'A post of an approval batch was approved',
	},
	{
		name: 'Post Rejected',
		value: 'approval.item_rejected',
		description: 'A post of an approval batch was rejected',
	},
	{
		name: 'Approval Requested',
		value: 'approval.batch_created',
		description: 'A batch of posts was sent to an approver',
	},
	{
		name: 'Approval Batch Approved',
		value: 'approval.batch_approved',
		description: 'All posts of a batch were approved',
	},
	{
		name: 'Automation Triggered',
		value: 'automation.triggered',
		description: 'An automation of the service ran',
	},
];
