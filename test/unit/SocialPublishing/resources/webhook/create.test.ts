import { create } from '../../../../../nodes/SocialPublishing/resources/webhook/create';
import { requestOf } from '../operations';

const remote = 'https://api.example.com/v1';
const local = 'http://localhost:3000/v1';
const given = { url: ' https://a.example/hook ', events: ['post.failed'] };

test.each([{}, { description: 'Newsroom' }])(
	'subscribes the address, with %j; the answer holds a secret',
	(more) => {
		const body = { url: 'https://a.example/hook', events: ['post.failed'], ...more };
		expect(requestOf(create, { ...given, ...more })).toEqual({ path: '/webhooks', body, keepsNothing: true });
	},
);

test.each<readonly [string, string]>([
	['http://a.example/hook', remote],
	['http://localhost:5678/hook', remote],
	...['http://a.example/hook', 'ftp://a.example/hook', 'a.example/hook', 'javascript:alert(1)'].map(
		(url) => [url, local] as const,
	),
])('%j is no address for a service at %s', (url, apiUrl) => {
	expect(() => requestOf(create, { ...given, url }, { item: { apiUrl } })).toThrow(
		/^'URL' is not an https address/,
	);
});

test.each(['http://localhost:5678/hook', 'http://n8n:5678/hook', 'https://a.example/hook'])(
	'%s is one for a service next door',
	(url) =>
		expect(requestOf(create, { ...given, url }, { item: { apiUrl: local } }).body).toMatchObject({ url }),
);
