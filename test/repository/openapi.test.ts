import { createConfig, lintFromString } from '@redocly/openapi-core';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Contract } from '../support/contract';
import { endpoints } from '../support/specification';

const path = join(__dirname, '..', '..', 'docs', 'openapi.yaml');
const lint = async (source: string) =>
	(
		await lintFromString({
			source,
			absoluteRef: path,
			config: await createConfig({ extends: ['recommended'] }),
		})
	).map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`);

describe('docs/openapi.yaml', () => {
	const source = readFileSync(path, 'utf8');

	test('is well-formed by the rules of a linter, which notices what is not', async () => {
		expect(await lint(source)).toEqual([]);
		expect(await lint(source.replace('operationId: getUsage', 'operationId: getPost'))).not.toEqual([]);
		expect(await lint(source.replace('responses/UploadUrl', 'responses/Nothing'))).not.toEqual([]);
	});

	test('has every endpoint of the specification, and no other', () => {
		expect(new Contract().operations().sort()).toEqual([...endpoints].sort());
	});
});

describe('a request or an answer that is not as documented is noticed', () => {
	const contract = new Contract();
	const post = {
		...{ method: 'POST', path: '/posts', query: {}, headers: { 'idempotency-key': 'k' } },
		body: { platform: 'x', content: { text: 'Hi' }, scheduled_at: '2027-01-01T10:00:00Z' },
		status: 201,
		answer: { success: true, data: { id: 'p', status: 'scheduled', new: 1 }, request_id: 'r' },
	};

	test('not one that is', () => {
		expect([...contract.ofRequest(post), ...contract.ofAnswer(post)]).toEqual([]);
	});

	test.each<[string, object]>([
		['no key', { headers: {} }],
		['a key with a blank', { headers: { 'idempotency-key': 'a b' } }],
		['no body', { body: undefined }],
		['both shapes', { body: { ...post.body, platforms: ['x'] } }],
		['neither shape', { body: { content: 'Hi' } }],
		['a time with an offset', { body: { ...post.body, scheduled_at: '2027-01-01T10:00:00+01:00' } }],
		['an unknown endpoint', { path: '/post' }],
		['a limit that is too high', { method: 'GET', query: { limit: '101' }, body: undefined }],
		['a body of a GET', { method: 'GET' }],
	])('a request with %s', (_what, more) => {
		expect(contract.ofRequest({ ...post, ...more })).not.toEqual([]);
	});

	test.each<[string, object]>([
		['no data', { answer: { success: true, request_id: 'r' } }],
		['no ID', { answer: { ...post.answer, data: { status: 'scheduled' } } }],
		['another status', { status: 202 }],
		['an error without a code', { status: 400, answer: { success: false, error: {}, request_id: 'r' } }],
		['no request ID', { answer: { success: true, data: post.answer.data } }],
	])('an answer with %s', (_what, more) => {
		expect(contract.ofAnswer({ ...post, ...more })).not.toEqual([]);
	});
});
