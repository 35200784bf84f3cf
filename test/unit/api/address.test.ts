import fc from 'fast-check';

import { checkedWorkspace, pathSegment, readAddress, readApiKey } from '../../../nodes/api/address';
import type { Failure } from '../../../nodes/api/failure';
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
			fc.property(anyText(30), (id) => {
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
			runs(300),
		);
	});

	const dots = ['.', ' .. ', '%2e', '%2E%2e', '%252e%252e', `.${' '.repeat(49)}`];
	test.each([
		...[...dots, '', ' ', '\ud800', 'a\nb'].map((id) => [id, id]),
		['x'.repeat(501), `${'x'.repeat(100)}…`],
	])('%j is refused, and its beginning shown', (id, shown) => {
		expect(failureOf(() => pathSegment(id!, 'Webhook')).details).toMatchObject({
			...{ code: 'NODE_ID', status: 0, message: `'Webhook' is not an ID: ${shown}` },
			hint: expect.stringContaining('Choose one from the list'),
		});
	});

	test('a long one is sent, and one with a dot in it', () => {
		for (const id of ['x'.repeat(500), '.a', 'a.']) expect(pathSegment(id, 'Post')).toBe(id);
	});
});

describe('the address of a credential', () => {
	test('any text: an address, or a failure that names the field', () => {
		const starts = fc.constantFrom('', ' ', 'HTTP://', 'https://', 'https://a.example', 'ftp://a.example/');
		// In more than linear time, the long one would not end within the time limit.
		const ends = fc.constantFrom('', '/v1', '/api/public/v1/', '/'.repeat(400_000));
		fc.assert(
			fc.property(starts, anyText(30), ends, (start, text, end) => {
				try {
					const { apiUrl } = readAddress(credential({ baseUrl: start + text + end }));
					expect(apiUrl).toMatch(/^https?:\/\/.*[^/]\/api\/public\/v1$/is);
				} catch (error) {
					expect((error as Failure).message).toMatch(/^'Base URL' in the credential/);
				}
			}),
			runs(200),
		);
	});

	test.each<[object, object]>([
		...['', '/', '/api/public/v1', '//api/public/v1//'].map((end): [object, object] => [
			{ baseUrl: ` https://api.example.com${end} ` },
			{ apiUrl: 'https://api.example.com/api/public/v1', workspaceId: '', postFormat: 'integrationGuide' },
		]),
		[{ baseUrl: 'https://a.example/v1/', apiPath: '/v1' }, { apiUrl: 'https://a.example/v1' }],
		[{ baseUrl: 'HTTP://localhost:4000' }, { apiUrl: 'HTTP://localhost:4000/api/public/v1' }],
		[
			{ workspaceId: ' ws_1 ', postFormat: 'quickStart' },
			{ workspaceId: 'ws_1', postFormat: 'quickStart' },
		],
		[{ postFormat: 'other' }, { postFormat: 'integrationGuide' }],
	])('of a credential with %j is %j', (more, address) =>
		expect(readAddress(credential(more))).toMatchObject(address),
	);

	test.each([
		undefined,
		'',
		'api.example.com',
		'localhost:4000',
		'ann:pass@a.example',
		'ftp://api.example.com',
		'see:https://api.example.com',
		'https://a b',
		'https://a.example?key=1',
		'https://a.example/#top',
	])('%j is no address', (baseUrl) =>
		expect(failureOf(() => readAddress(credential({ baseUrl }))).details).toMatchObject({
			code: 'NODE_BASE_URL',
			message: "'Base URL' in the credential is not the address of a service",
			hint: expect.stringContaining("Enter the service's address with https://"),
		}),
	);

	// Neither wins: the node would ask another address than the one that was pasted, or than the one chosen.
	test.each([
		['/v1', '/api/public/v1'],
		['/api/public/v1', '/v1'],
	])('one that ends in %s is refused where %s is chosen', (end, apiPath) => {
		const given = credential({ baseUrl: `https://api.example.com${end}//`, apiPath });
		expect(failureOf(() => readAddress(given)).details).toMatchObject({
			code: 'NODE_BASE_URL',
			message: `'Base URL' in the credential ends in ${end}, but 'API Path' is ${apiPath}`,
			hint: `Remove ${end}, or choose it as 'API Path' if the service has it there.`,
		});
	});

	test.each(['ann:pass@', 'ann@', ':pass@'])('one with %s is refused', (login) =>
		expect(failureOf(() => readAddress(credential({ baseUrl: `https://${login}a.example` }))).message).toBe(
			"'Base URL' in the credential contains a user name or password",
		),
	);

	test('a key is read without what came along when it was copied; one that can be none says what to do', () => {
		const given = [' sk_1 ', 'Bearer sk_1', 'bearer  sk_1\n', 'sk_bearer x', undefined];
		expect(given.map(readApiKey)).toEqual(['sk_1', 'sk_1', 'sk_1', 'sk_bearer x', '']);
		expect(failureOf(() => readAddress(credential({ apiKey: 'two words' }))).details).toMatchObject({
			code: 'NODE_API_KEY',
			message: expect.stringContaining("'API Key' in the credential"),
			hint: expect.stringContaining('Copy the key again'),
		});
	});

	test.each([
		...['ws–main', 'two words', 'a\u0000', 'a\n'].map((workspace) => [workspace, workspace]),
		[`ü${'x'.repeat(200)}`, `ü${'x'.repeat(99)}…`],
	])('the workspace %j can not stand in a header: the field that has it is named', (workspace, shown) =>
		expect(failureOf(() => checkedWorkspace(workspace!, "'Workspace'")).details).toMatchObject({
			...{ code: 'NODE_WORKSPACE_ID', message: `'Workspace' is not an ID: ${shown}` },
			hint: expect.stringContaining('as the service shows it'),
		}),
	);

	test.each(['ws_main', 'a:b/c', ''])('the workspace %j can', (workspace) =>
		expect(checkedWorkspace(workspace)).toBe(workspace),
	);
});
