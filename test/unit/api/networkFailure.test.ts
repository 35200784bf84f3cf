import { networkCode, networkFailure } from '../../../nodes/api/networkFailure';

const API = 'https://api.example.com:8443/v1';
const host = 'api.example.com:8443';
const secure = `No secure connection to ${host}`;
const again = /already tried again/;

test.each<[codes: string, own: string, retryable: boolean, message: string, hint: RegExp]>([
	['ENOTFOUND', 'HOST_NOT_FOUND', false, "The host api.example.com:8443 can't be found", /typos/],
	['EAI_AGAIN', 'HOST_NOT_FOUND', true, "The host api.example.com:8443 can't be found", /typos/],
	['ECONNREFUSED', 'UNREACHABLE', true, 'Nothing answers at api.example.com:8443', /firewall/],
	['CERT_HAS_EXPIRED UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERTIFICATE', false, secure, /doesn't trust/],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERTIFICATE', false, secure, /doesn't trust/],
	['EPROTO ERR_SSL_WRONG ERR_TLS_X', 'SECURE_CONNECTION', false, secure, /uses http/],
	['ETIMEDOUT ECONNABORTED', 'TIMEOUT', true, 'api.example.com:8443 did not respond in time', again],
	['ECONNRESET EPIPE EHOSTUNREACH', 'CONNECTION', true, `The connection to ${host} failed`, again],
	['ERR_CANCELED ABORT_ERR', 'STOPPED', false, 'The execution was stopped while', /Retry the execution/],
])('%s: NODE_%s', (codes, own, retryable, message, hint) => {
	for (const code of codes.split(' '))
		expect(networkFailure({ code }, API).details).toEqual({
			...{ code: `NODE_${own}`, status: 0, retryable, message: expect.stringContaining(message) },
			hint: expect.stringMatching(hint),
		});
});

test("the network's code, wherever n8n or axios wrap it", () => {
	const below = (levels: number): unknown =>
		levels === 0 ? { code: 'EPIPE' } : { cause: below(levels - 1) };
	for (const error of [
		{ code: 'EPIPE' },
		{ code: 500, httpCode: 'EPIPE' },
		{ code: 'lowerCase', cause: { httpCode: 'EPIPE' } },
		below(4),
	])
		expect(networkCode(error)).toBe('EPIPE');
	for (const none of [below(5), {}, undefined, null, 'EPIPE', { httpCode: '500' }])
		expect(networkCode(none)).toBe('');
});
