import { STEP_TIMEOUT_MS } from './limits';

/** A session is bound to the browser that signed in, known by this header. */
export const browserId = 'tests';

/** n8n's internal REST interface as its editor uses it: a session cookie and a `browser-id` header. */
export class N8nRest {
	/** The session, as `name=value`. */
	cookie = '';

	constructor(
		readonly url: string,
		readonly email: string,
		readonly password: string,
	) {}

	/** Signs in, on a fresh instance as the owner who is created by that. */
	async signIn(): Promise<void> {
		const { email, password } = this;
		try {
			await this.send('POST', '/rest/login', { emailOrLdapLoginId: email, password });
		} catch (error) {
			if (!(error instanceof N8nRestError) || error.status !== 401) throw error;
			const name = { firstName: 'Sam', lastName: 'Example' };
			await this.send('POST', '/rest/owner/setup', { email, password, ...name });
		}
	}

	/** One call; the answer's `data`. */
	async send(method: string, path: string, body?: unknown): Promise<any> {
		const response = await request(this.url + path, {
			method,
			headers: {
				'browser-id': browserId,
				...(this.cookie ? { cookie: this.cookie } : {}),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(STEP_TIMEOUT_MS),
		});
		const session = response.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';')[0] ?? '';
		const text = await response.text();
		if (!response.ok)
			throw new N8nRestError(response.status, `${method} ${path}: ${response.status} ${text.slice(0, 1000)}`);
		const parsed = text ? JSON.parse(text) : undefined;
		return parsed && typeof parsed === 'object' && 'data' in parsed ? parsed.data : parsed;
	}
}

/**
 * A request to n8n, on a connection of its own: n8n closes idle ones after 5 s, also in the moment they are used again.
 * Where a connection broke all the same, what only reads is asked once more.
 */
export async function request(url: string, options: Options = {}): Promise<Response> {
	const alone = { ...options, headers: { ...options.headers, connection: 'close' } };
	try {
		return await fetch(url, alone);
	} catch (error) {
		const { code } = ((error as Error).cause ?? {}) as { code?: string };
		if ((options.method ?? 'GET') !== 'GET' || code !== 'UND_ERR_SOCKET') throw error;
		return await fetch(url, alone);
	}
}

type Options = RequestInit & { headers?: Record<string, string> };

export class N8nRestError extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}
