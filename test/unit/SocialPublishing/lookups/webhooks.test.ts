import { webhooks } from '../../../../nodes/SocialPublishing/lookups/webhooks';

test.each([
	[{ id: 'wh', description: 'Newsroom', url: 'https://a.example' }, ['Newsroom', 'https://a.example']],
	[{ id: 'wh', description: null, url: 'https://a.example' }, ['https://a.example']],
])('a webhook is shown and called by description and address: %j', (webhook, names) => {
	expect([webhooks.path, webhooks.names(webhook)]).toEqual(['/webhooks', names]);
	expect(webhooks.label(webhook)).toBe(names.join(' · '));
});
