import { lists } from '../../../nodes/api/contract';
import { getAll as approvals } from '../../../nodes/SocialPublishing/resources/approval/getAll';
import { reply } from '../../../nodes/SocialPublishing/resources/inbox/reply';
import { createUploadUrl } from '../../../nodes/SocialPublishing/resources/media/createUploadUrl';
import { cancel } from '../../../nodes/SocialPublishing/resources/post/cancel';
import { remove as deletePost } from '../../../nodes/SocialPublishing/resources/post/delete';
import { get } from '../../../nodes/SocialPublishing/resources/post/get';
import { getAll as connections } from '../../../nodes/SocialPublishing/resources/socialConnection/getAll';
import { get as usage } from '../../../nodes/SocialPublishing/resources/usage/get';
import { remove as deleteWebhook } from '../../../nodes/SocialPublishing/resources/webhook/delete';
import { getAll as webhooks } from '../../../nodes/SocialPublishing/resources/webhook/getAll';
import { getAll as workspaces } from '../../../nodes/SocialPublishing/resources/workspace/getAll';
import { requestOf } from './resources/operations';

/** Operations of one call: parameters → request. What is made of the answer: test/integration/SocialPublishing/resources.test.ts. */

const file = { fileName: 'a.png', contentType: ' Image/PNG ', size: 7 };

test.each([
	['Approval: Get Many', approvals, {}, { ...lists.approvals, pageSize: 50 }],
	[
		'Inbox: Reply',
		reply,
		{ inboxItemId: 'inb/1', text: 'Thanks' },
		{
			path: '/inbox/inb%2F1/reply',
			...{ body: { text: 'Thanks' }, expects: 'acknowledgement', sameAs: { text: 'Thanks' } },
		},
	],
	[
		'Media: Create Upload URL',
		createUploadUrl,
		file,
		{
			path: '/media/upload-url',
			...{ body: { filename: 'a.png', content_type: 'image/png', size: 7 }, keepsNothing: true },
		},
	],
	['Post: Cancel', cancel, { postId: 'p/1' }, { path: '/posts/p%2F1/cancel', expects: 'acknowledgement' }],
	['Post: Delete', deletePost, { postId: 'p/1' }, { path: '/posts/p%2F1' }],
	['Post: Get', get, { postId: 'p/1' }, { path: '/posts/p%2F1' }],
	['Social Connection: Get Many', connections, {}, lists.connections],
	['Usage: Get', usage, {}, { path: '/usage', expects: 'records' }],
	['Webhook: Delete', deleteWebhook, { webhookId: 'wh/1' }, { path: '/webhooks/wh%2F1' }],
	['Webhook: Get Many', webhooks, {}, lists.webhooks],
	['Workspace: Get Many', workspaces, {}, { ...lists.workspaces, workspaceId: null }],
] as Array<[string, any, object, object]>)('%s: the request', (_name, operation, given, request) =>
	expect(requestOf(operation, given as never)).toEqual(request),
);

test.each([
	['Post', get, { postId: '..' }],
	['Post', cancel, { postId: '..' }],
	['Post', deletePost, { postId: '..' }],
	['Webhook', deleteWebhook, { webhookId: '..' }],
	['Inbox Item', reply, { inboxItemId: '..', text: 'a' }],
] as Array<[string, any, object]>)(
	"what can't be an ID is refused by the name of the field: %s",
	(label, operation, given) =>
		expect(() => requestOf(operation, given as never)).toThrow(RegExp(`^'${label}'`)),
);
