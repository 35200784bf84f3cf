import { create } from '../../../../../nodes/SocialPublishing/resources/webhook/create';
import { requestOf } from '../operations';

const given = { url: ' https://a.example/hook ', events: ['post.failed'] };

test.each([{}, { description: 'Newsroom' }])(
	'subscribes the address, with %j; the answer holds a secret',
	(more) => {
		expect(requestOf(create, { ...given, ...more })).toEqual({
			path: '/webhooks',
			body: { url: 'https://a.example/hook', events: ['post.failed'], ...more },
			secret: true,
		});
	},
);
