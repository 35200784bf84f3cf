import { STEP_TIMEOUT_MS } from './limits';

/** A request to n8n, on a connection of its own: n8n closes idle ones after 5 s, also in the moment they are used again. */
export const request = async (url: string, options: RequestInit = {}): Promise<Response> =>
	await fetch(url, {
		...options,
		headers: { ...options.headers, connection: 'close' },
		signal: AbortSignal.timeout(STEP_TIMEOUT_MS),
	});

export class N8nRestError extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}
