import fc from 'fast-check';

import {
	authenticated,
	checkedWorkspace,
	pathSegment,
	readAddress,
	readApiKey,
} from '../../../nodes/api/address';
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
		const starts = fc.constantFrom('', ' ', 'HTTP://', 'https://', 'https://a.example', 'ftp://a.example/');
		const ends = fc.constantFrom('', '/v1', '/api/public/v1/', '/'.repeat(80));
		fc.assert(
			fc.property(starts, anyText(30), ends, (start, text, end) => isReadOrRefused(start + text + end)),
			runs(200),
		);
	});

	// In more than linear time neither would end within the time limit.
	test.each(['', 'x'])('400,000 slashes and then "%s"', (end) =>
		isReadOrRefused(`https://a${'/'.repeat(400_000)}${end}`),
	);

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
		expect(
			failureOf(() => readAddress(credential({ baseUrl: `https://${login}a.example` }))).details,
		).toEqual({
			...{ code: 'NODE_BASE_URL', status: 0, retryable: false },
			message: "'Base URL' in the credential contains a user name or password",
			hint: 'Remove everything between // and @. n8n would send it instead of the API key.',
		}),
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

	test.each(['ws–main', 'two words', 'a\u0000', 'a\n'])(
		'the workspace %j can not stand in a header: the field that has it is named',
		(workspace) =>
			expect(failureOf(() => checkedWorkspace(workspace, "'Workspace'")).details).toMatchObject({
				...{ code: 'NODE_WORKSPACE_ID', message: `'Workspace' is not an ID: ${workspace}` },
				hint: expect.stringContaining('as the service shows it'),
			}),
	);

	test('a workspace that can, and a long one that can not', () => {
		for (const workspace of ['ws_main', 'a:b/c', '']) expect(checkedWorkspace(workspace)).toBe(workspace);
		expect(failureOf(() => checkedWorkspace(`ü${'x'.repeat(200)}`)).message).toMatch(
			/^'Workspace' in the credential is not an ID: üx{99}…$/,
		);
	});
});

describe('a request with the key', () => {
	test.each([
		['https://other.example/a', 'https://other.example'],
		['no address', 'another address'],
	])('to %s is refused: nothing was sent', (url, where) =>
		expect(failureOf(() => authenticated(credential(), { url })).details).toMatchObject({
			code: 'NODE_OTHER_ORIGIN',
			message: `This credential is only for https://api.example.com, but the request goes to ${where}: nothing was sent`,
			hint: "Send the request without this credential, or check its 'Base URL'.",
		}),
	);

	test('names no workspace where there is none, and keeps its other headers, also empty ones', () => {
		const request = { url: 'https://api.example.com/v1/posts', headers: { 'X-Other': '' } };
		expect(authenticated(credential(), request).headers).toEqual({
			...{ 'X-Other': '', Authorization: 'Bearer sk_test' },
		});
	});
});
