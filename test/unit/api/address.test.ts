import fc from 'fast-check';

import {
	canStandInHeader,
	checkedWorkspace,
	whichWorkspaces,
	pathSegment,
	readAddress,
	readApiKey,
} from '../../../nodes/api/address';
import type { Failure } from '../../../nodes/api/errors';
import { failureOf } from '../../support/failure';
import { anyText, runs } from '../../support/property';

const credential = (more: object = {}) => ({
	baseUrl: 'https://api.example.com',
	apiKey: 'sk_test',
	...more,
});

describe('an ID as a part of a path', () => {
	test('leads to nothing but its own record, or is refused by name', () => {
		fc.assert(
			fc.property(anyText(600), (id) => {
				let segment: string;
				try {
					segment = pathSegment(id, 'Post');
				} catch (error) {
					expect((error as Failure).message).toMatch(/^'Post' is not an ID/);
					return;
				}
				const { pathname } = new URL(`https://api.example.com/v1/posts/${segment}/cancel`);
				expect(pathname).toBe(`/v1/posts/${segment}/cancel`);
				expect(decodeURIComponent(segment)).toBe(id);
			}),
			runs(500),
		);
	});

	test.each([
		'.',
		'..',
		' .. ',
		'%2e',
		'%2E%2e',
		'%252e%252e',
		'.%2e',
		'',
		' ',
		'\ud800',
		'a\nb',
		'x'.repeat(501),
	])('%j is refused', (id) => {
		expect(failureOf(() => pathSegment(id, 'Webhook')).details).toMatchObject({ code: 'NODE_ID', status: 0 });
	});

	test('a refusal shows the beginning of what was given', () => {
		const { message, hint } = failureOf(() => pathSegment('x'.repeat(501), 'Post')).details;
		expect(message).toBe(`'Post' is not an ID: ${'x'.repeat(50)}…`);
		expect(hint).toContain('Choose one from the list');
		expect(failureOf(() => pathSegment(`.${' '.repeat(49)}`, 'Post')).message).toBe(
			`'Post' is not an ID: .${' '.repeat(49)}`,
		);
		expect(pathSegment('x'.repeat(500), 'Post')).toHaveLength(500);
	});

	test.each(['...', 'a.b', 'post/1', '100%', 'пост', '%2e%2e%2e'])('%j is sent, encoded', (id) => {
		expect(decodeURIComponent(pathSegment(id, 'Post'))).toBe(id);
	});
});

describe('the address of a credential', () => {
	/** An address, or a failure that names the field. */
	const isReadOrRefused = (baseUrl: string): void => {
		try {
			const { apiUrl } = readAddress(credential({ baseUrl }));
			expect(apiUrl).toMatch(/^https?:\/\/.*[^/]\/api\/public\/v1$/is);
		} catch (error) {
			expect((error as Failure).message).toMatch(/^'Base URL' in the credential/);
		}
	};

	test('any text: an address, or a failure that names the field', () => {
		const texts = fc.oneof(
			anyText(),
			fc.webUrl().map((url) => `${url}${'/'.repeat(80)}`),
		);
		fc.assert(fc.property(texts, isReadOrRefused), runs(40));
	});

	// In more than linear time neither would end within the time limit.
	test.each(['', 'x'])('400,000 slashes and then "%s"', (end) =>
		isReadOrRefused(`https://a${'/'.repeat(400_000)}${end}`),
	);

	test('the API path that was pasted along counts once', () => {
		for (const end of ['', '/', '/api/public/v1', '/api/public/v1//'])
			expect(readAddress(credential({ baseUrl: ` https://api.example.com${end} ` })).apiUrl).toBe(
				'https://api.example.com/api/public/v1',
			);
		expect(readAddress(credential({ baseUrl: 'https://a.example/v1/', apiPath: '/v1' })).apiUrl).toBe(
			'https://a.example/v1',
		);
	});

	test('all that a credential says', () => {
		expect(readAddress(credential({ workspaceId: ' ws_1 ', postFormat: 'quickStart' }))).toEqual({
			apiUrl: 'https://api.example.com/api/public/v1',
			workspaceId: 'ws_1',
			postFormat: 'quickStart',
		});
		expect(readAddress(credential({ baseUrl: 'HTTP://localhost:4000', postFormat: 'other' }))).toEqual({
			apiUrl: 'HTTP://localhost:4000/api/public/v1',
			workspaceId: '',
			postFormat: 'integrationGuide',
		});
	});

	test.each([
		undefined,
		'',
		'api.example.com',
		'ftp://api.example.com',
		'see https://api.example.com',
		'https://a b',
	])('%j is no address', (baseUrl) =>
		expect(failureOf(() => readAddress(credential({ baseUrl }))).details).toMatchObject({
			code: 'NODE_BASE_URL',
			message: "'Base URL' in the credential is not a web address",
			hint: 'Enter the address of the service, starting with https://.',
		}),
	);

	test('a key that can be none says what to do', () => {
		expect(failureOf(() => readAddress(credential({ apiKey: 'two words' }))).details).toMatchObject({
			code: 'NODE_API_KEY',
			hint: expect.stringContaining('Copy the key again'),
		});
		expect(readApiKey('sk_bearer x')).toBe('sk_bearer x');
		expect(readApiKey(undefined)).toBe('');
	});

	test('a workspace that can not stand in a header', () => {
		expect(checkedWorkspace('ws_1', true)).toBe('ws_1');
		const own = failureOf(() => checkedWorkspace(`ü${'x'.repeat(200)}`, true)).details;
		expect(own).toMatchObject({
			code: 'NODE_WORKSPACE_ID',
			hint: expect.stringContaining('Open the credential'),
		});
		expect(own.message).toMatch(/in the credential is not an ID: üx{99}$/);
		expect(failureOf(() => checkedWorkspace('ü', false)).details).toMatchObject({
			message: "'Workspace' is not an ID: ü",
			hint: expect.stringContaining("Choose 'Workspace' from the list"),
		});
	});

	test('a key with what came along when it was copied, and one that can be no key', () => {
		for (const key of [' sk_1 ', 'Bearer sk_1', 'bearer  sk_1\n', 'sk_1'])
			expect(readApiKey(key)).toBe('sk_1');
		for (const apiKey of ['sk_ключ', 'two words', 'a\nb', 'sk–1'])
			expect(failureOf(() => readAddress(credential({ apiKey }))).message).toMatch(/'API Key'/);
	});
});

test('what can stand in a header: visible ASCII, nothing else', () => {
	for (const text of ['ws_main', 'a:b/c', '']) expect(canStandInHeader(text)).toBe(true);
	for (const text of ['ws–main', 'Пекарня', 'two words', 'a\u0000', 'a\n', 'ü', '日本'])
		expect(canStandInHeader(text)).toBe(false);
});

test('of many workspaces the first twenty are named, each cut where it is long', () => {
	const list = Array.from({ length: 23 }, (_, n) => ({
		id: `w${n}`,
		name: n === 0 ? 'x'.repeat(5000) : 'One',
	}));
	const { hint } = whichWorkspaces(list);
	expect(hint).toMatch(/: x{100} \(w0\), One \(w1\), .*One \(w19\), and 3 more\. /);
	expect(whichWorkspaces([{ id: null }, {}])).toEqual({});
});
