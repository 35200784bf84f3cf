import { type Service, startService } from '../service';
import { today } from '../service/dialect';
import { insertPost, type PastPost } from '../service/seed';
import type { ServiceOptions } from '../service/types';

export const DAY = 86_400_000;

/** A service for all tests of a file or block; before each it is as after its start. */
export function useService(options: ServiceOptions = {}): () => Service {
	let service!: Service;
	beforeAll(async () => void (service = await startService(options)));
	beforeEach(() => {
		service.reset();
		service.speak(options.dialect ?? today);
	});
	afterAll(async () => await service.close());
	return () => service;
}

/** From now on the service says this, by method and route (`GET /posts/:id`), and not what it has; of functions, what they return. */
export function says(service: Service, answers: Record<string, unknown>): void {
	const { speaker } = service;
	const say = speaker.say.bind(speaker);
	speaker.say = (method, path, query, answer) => {
		const data = answers[`${method} ${path}`];
		if (data === undefined || answer.status === 401) return say(method, path, query, answer);
		return { answer: { status: 200, data: typeof data === 'function' ? data(query) : data } };
	};
}

/** The posts at the service that a test made: `seed: basic` has none of its own. */
export const posts = (service: Service): any[] => [...service.store.posts.values()];

/** Requests that reached the service, by method and path. */
export const asked = (service: Service, method: string, path = /./): any[] =>
	service.requests.filter((one) => one.method === method && path.test(one.path));

/** A post of ws_main that is simply there. */
export function addPost(service: Service, more: Partial<PastPost> = {}): string {
	const { id = 'post_1', text = 'Hello', status = 'scheduled', platforms = ['linkedin'] } = more;
	const at = more.at ?? Date.now() + (status === 'scheduled' ? DAY : -DAY);
	insertPost(service, { id, text, status, at, platforms });
	return id;
}

/** A subscription that is simply there. */
export function addWebhook(service: Service, id = 'wh_1', description = 'Newsroom', workspaceId = 'ws_main') {
	service.store.webhooks.set(id, {
		id,
		workspaceId,
		url: 'https://example.com/events',
		events: ['post.published'],
		description,
		status: 'active',
		secret: 'example-secret-of-a-webhook',
		createdAt: service.clock.iso(),
	});
	return id;
}
