import { startService, type Service } from '../../service';
import type { ServiceOptions } from '../../service/types';

interface CallOptions {
	query?: Record<string, any>;
	/** A form as it is, anything else as JSON. */
	body?: unknown;
}

let calls = 0;

/** A service for all tests of a file, with requests to it as a client makes them: over HTTP. */
export function embedded(options: ServiceOptions = {}) {
	let service!: Service;
	beforeAll(async () => void (service = await startService(options)));
	afterEach(() => service.faults.clear());
	afterAll(async () => await service.close());

	async function call(method: string, path: string, options: CallOptions = {}) {
		const { query, body } = options;
		const isJson = body !== undefined && !(body instanceof FormData);
		const answer = await fetch(`${service.apiUrl}${path}?${new URLSearchParams(query)}`, {
			method,
			headers: {
				authorization: `Bearer ${service.keys.full}`,
				...(isJson ? { 'content-type': 'application/json' } : {}),
				...(method === 'GET' ? {} : { 'idempotency-key': `test:${calls++}` }),
			},
			body: isJson ? JSON.stringify(body) : (body as FormData | undefined),
		});
		const { data, error }: any = await answer.json().catch(() => ({}));
		return { status: answer.status, data, code: error?.code as string | undefined };
	}
	/** A post in the integration guide's shape, due in an hour. */
	const draft = (more: object = {}) => ({
		platform: 'linkedin',
		content: { text: 'Hello', media: [] },
		scheduled_at: new Date(service.clock.now() + 3_600_000).toISOString(),
		...more,
	});
	return { call, draft, service: () => service };
}
