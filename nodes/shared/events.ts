import type { INodePropertyOptions } from 'n8n-workflow';

/** Spec, "Event names", both lists: posts first, then what people react to most often. */
export const eventOptions: INodePropertyOptions[] = [
	['Post Published', 'post.published', 'A post was published on its platform'],
	['Post Failed', 'post.failed', 'Publishing a post failed'],
	['Post Created', 'post.created', 'A post was created, as a draft or scheduled'],
	['Post Scheduled', 'post.scheduled', 'A post was confirmed as scheduled'],
	['Post Canceled', 'post.canceled', 'A post was canceled before it was published'],
	['New Comment or Message', 'inbox.item.created', 'A comment or direct message arrived in the inbox'],
	['New Direct Message', 'inbox.message_received', 'A direct message arrived in a conversation'],
	['Direct Message Answered', 'inbox.message_responded', 'A direct message was answered'],
	[
		'New Lead',
		'inbox.lead.captured',
		'The direct-message agent collected an email address or phone number, once per conversation',
	],
	['Post Approved', 'approval.item_approved', 'A post of an approval batch was approved'],
	['Post Rejected', 'approval.item_rejected', 'A post of an approval batch was rejected'],
	['Approval Requested', 'approval.batch_created', 'A batch of posts was sent to an approver'],
	['Approval Batch Approved', 'approval.batch_approved', 'All posts of a batch were approved'],
	['Automation Triggered', 'automation.triggered', 'An automation of the service ran'],
].map(([name = '', value = '', description]) => ({ name, value, description }));
