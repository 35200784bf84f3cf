import { create } from '../../../../../nodes/SocialPublishing/resources/webhook/create';
import { requestOf } from '../operations';

const given = { url: ' https://a.example/hook ', events: ['post.failed'] };

test.each([{}, { description: 'Newsroom' }])(
	'subscribes the address, with %j; the answer holds a secret',
	(more) => {
		expect(requestOf(create, { ...given, ...more })).toEqual({
			path: '/webhooks',
			body: { url: 'https://a.example/hook', events: ['post.failed'], ...more },
			keepsNothing: true,
		});
	},
);

test.each([
	['http://a.example/hook', 'https://api.example.com/v1'],
	['http://localhost:5678/hook', 'https://api.example.com/v1'],
	['http://a.example/hook', 'http://localhost:3000/v1'],
	['ftp://a.example/hook', 'http://localhost:3000/v1'],
	['a.example/hook', 'http://localhost:3000/v1'],
	['javascript:alert(1)', 'http://localhost:3000/v1'],
])('%j is no address for a service at %s', (url, apiUrl) => {
	expect(() => requestOf(create, { ...given, url }, { item: { apiUrl } })).toThrow(
		/^'URL' is not an https address/,
	);
});

test.each(['http://localhost:5678/hook', 'http://n8n:5678/hook', 'https://a.example/hook'])(
	'%s is one for a service next door',
	(url) => {
		const item = { apiUrl: 'http://localhost:3000/v1' };
		expect(requestOf(create, { ...given, url }, { item }).body).toMatchObject({ url });
	},
);
