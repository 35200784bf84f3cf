import { webhooks } from '../../../../nodes/SocialPublishing/lookups/webhooks';

test.each([
	[{ id: 'wh', description: 'Newsroom', url: 'https://a.example' }, 'Newsroom · https://a.example'],
	[{ id: 'wh', description: null, url: 'https://a.example' }, 'https://a.example'],
])('%j is shown by description and address', (webhook, label) =>
	expect([webhooks.path, webhooks.label(webhook)]).toEqual(['/webhooks', label]),
);
