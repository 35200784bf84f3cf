import type { INodePropertyOptions } from 'n8n-workflow';

/** Spec, "Event names", both lists: posts first, then what people react to most often; how to cause each. */
const events = [
	['Post Published', 'post.published', 'A post was published on its platform', 'publish a post'],
	['Post Failed', 'post.failed', 'Publishing a post failed', 'let a post fail'],
	['Post Created', 'post.created', 'A post was created, as a draft or scheduled', 'create a post'],
	['Post Scheduled', 'post.scheduled', 'A post was confirmed as scheduled', 'schedule a post'],
	['Post Canceled', 'post.canceled', 'A post was canceled before it was published', 'cancel a post'],
	[
		...['New Comment or Message', 'inbox.item.created', 'A comment or direct message arrived in the inbox'],
		'comment on a post, or send a direct message',
	],
	[
		...['New Direct Message', 'inbox.message_received', 'A direct message arrived in a conversation'],
		'send a direct message',
	],
	[
		...['Direct Message Answered', 'inbox.message_responded', 'A direct message was answered'],
		'answer a direct message',
	],
	[
		...['New Lead', 'inbox.lead.captured'],
		'The direct-message agent collected an email address or phone number, once per conversation',
		'send an email address in a direct message',
	],
	['Post Approved', 'approval.item_approved', 'A post of an approval batch was approved', 'approve a post'],
	['Post Rejected', 'approval.item_rejected', 'A post of an approval batch was rejected', 'reject a post'],
	[
		...['Approval Requested', 'approval.batch_created', 'A batch of posts was sent to an approver'],
		'send a post to an approver',
	],
	[
		...['Approval Batch Approved', 'approval.batch_approved', 'All posts of a batch were approved'],
		'approve all posts of a batch',
	],
	[
		...['Automation Triggered', 'automation.triggered', 'An automation of the service ran'],
		'let an automation run',
	],
] as const;

export const eventOptions: INodePropertyOptions[] = events.map(([name, value, description]) => ({
	...{ name, value, description },
}));

/** What to do in the service to cause an event, by its value. */
export const causes = new Map(events.map(([, value, , cause]) => [value as string, cause]));
