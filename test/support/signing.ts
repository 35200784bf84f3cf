import { createHmac } from 'node:crypto';

/** A second implementation of the spec's "Signature", for tests. */

export const KNOWN = 'whsec_test_0123456789abcdef';
export const NOW = Date.parse('2026-11-20T09:00:00Z');
export const TOLERANCE = 300_000;

export const timestampAt = (ms: number): string => new Date(ms).toISOString();

export function signatureOf(secret: string, timestamp: string, body: Buffer): string {
	const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
	return `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`;
}

export interface Signed {
	body: Buffer;
	signature: string;
	timestamp: string;
}

export function signed(body: string | Buffer, timestamp = timestampAt(NOW), secret = KNOWN): Signed {
	const bytes = Buffer.from(body as string);
	return { body: bytes, timestamp, signature: signatureOf(secret, timestamp, bytes) };
}

export const anEvent = (more: Record<string, unknown> = {}) => ({
	id: 'evt_1',
	type: 'post.published',
	occurred_at: '2026-11-20T08:59:59Z',
	workspace_id: 'ws_1',
	brand_id: 'br_1',
	data: { post_id: 'p_1', status: 'completed' },
	...more,
});
