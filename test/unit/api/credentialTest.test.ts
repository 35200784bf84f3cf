import { Socket } from 'node:net';
import type { ICredentialTestFunctions } from 'n8n-workflow';

import { testCredential } from '../../../nodes/api/credentialTest';
import { redactor } from '../../../nodes/api/redaction';

const key = 'sk_a_key_of_the_service';

/** What n8n's old request function answers with `resolveWithFullResponse`: Node's request among it, full of circles. */
const answer = (statusCode: number, body: unknown) => {
	const request: Record<string, unknown> = { socket: new Socket(), header: `Authorization: Bearer ${key}` };
	request.res = { req: request };
	return { statusCode, statusMessage: '', headers: { 'content-type': 'application/json' }, body, request };
};

const verdictOf = async (response: unknown) => {
	const helpers = { request: async () => await Promise.resolve(response) };
	const context = { helpers } as unknown as ICredentialTestFunctions;
	const data = { baseUrl: 'https://api.example.com', apiKey: key };
	return await testCredential.call(context, { id: '1', name: 'one', type: 'socialPublishingApi', data });
};

describe('the credential test', () => {
	test('ends where n8n hands out its own request with the answer, and leaves that as it is', async () => {
		const response = answer(200, { success: true, data: [{ id: 'w1', name: 'Bakery' }] });
		expect(await verdictOf(response)).toEqual({ status: 'OK', message: 'The service knows this key' });
		expect(response.request.header).toContain(key);
	});

	test('says what is wrong with a key that the service refuses', async () => {
		const error = { code: 'PUBLIC_API_UNAUTHORIZED', message: `no such key: ${key}` };
		const { status, message } = await verdictOf(answer(401, { success: false, error }));
		expect(status).toBe('Error');
		expect(message).not.toContain(key);
	});

	test('no value that contains itself keeps the redaction busy for ever', () => {
		const value: Record<string, unknown> = { text: key };
		value.self = [value];
		expect(redactor([key])(value).text).toBe('[hidden]');
	});
});
