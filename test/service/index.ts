import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import multipart from '@fastify/multipart';
import { partition } from 'lodash';
import { randomBytes } from 'node:crypto';
import { Clock } from './clock';
import { Deliveries } from './deliveries';
import { today, type Dialect } from './dialect';
import { failure } from './envelope';
import { Faults } from './faults';
import { Lifecycle } from './lifecycle';
import { page } from './page';
import { handler, newRequestId, type Route } from './pipeline';
import { RateLimiter } from './rateLimit';
import { analytics } from './routes/analytics';
import { control } from './routes/control';
import { inbox } from './routes/inbox';
import { lists } from './routes/lists';
import { media, storage } from './routes/media';
import { posts } from './routes/posts';
import { webhooks } from './routes/webhooks';
import { newKey, seed, type SeedKeys } from './seed';
import { Speaker } from './speaker';
import { Store } from './store';
import type { ApiKey, RecordedRequest, ServiceOptions } from './types';

export type { Fault } from './faults';
export type { ApiKey, RecordedRequest, ServiceEvent, ServiceOptions } from './types';

/** Spec, "Endpoint list" and "Analytics endpoints". */
const ROUTES = [lists, posts, media, webhooks, analytics, inbox].flat();

/** Both address forms of the spec. */
const PREFIXES = ['/api/public/v1', '/v1'];

/** A JSON body may be this long. Uploads have no limit. */
const BODY_LIMIT = 4 * 1024 * 1024;

export class Service {
	readonly clock: Clock;
	readonly store: Store;
	readonly faults = new Faults();
	readonly deliveries: Deliveries;
	readonly lifecycle: Lifecycle;
	readonly rateLimiter: RateLimiter;
	/** Every API request and upload, oldest first; the last ten thousand at least. */
	readonly requests: RecordedRequest[] = [];
	readonly keys: SeedKeys;
	/** Speaks where the specification shows nothing. */
	speaker!: Speaker;
	readonly signingSecret = randomBytes(32);
	/** The credential's baseUrl. */
	url = '';
	/** The n8n that uses this instance, for the page to link to. */
	editor?: { url: string; email: string; password: string };
	private readonly app: FastifyInstance;

	constructor(private readonly options: ServiceOptions) {
		this.clock = new Clock(options.speed ?? 1);
		this.store = new Store(this.clock);
		this.deliveries = new Deliveries(this.clock, this.store, options, (type, data) =>
			this.speaker.event(type, data),
		);
		this.lifecycle = new Lifecycle(this.store, this.deliveries);
		this.rateLimiter = new RateLimiter(options.rateWindowMs ?? 60_000);
		this.app = build(this);
		this.speak(options.dialect ?? today);
		this.keys = seed(this, options.seed ?? 'basic');
	}

	speak(dialect: Dialect): void {
		this.speaker = new Speaker(this, dialect);
	}

	get apiUrl(): string {
		return `${this.url}${PREFIXES[0]}`;
	}

	/** Makes a key: all scopes, ws_main, no rate limit, unless told otherwise. */
	addKey(partial: Partial<ApiKey> = {}): string {
		const key = newKey(partial);
		this.store.keys.set(key.key, key);
		return key.key;
	}

	/** As after the start: the seed and nothing else. The clock and the dialect stay. */
	reset(): void {
		this.deliveries.reset();
		this.lifecycle.reset();
		this.store.clear();
		this.faults.clear();
		this.rateLimiter.reset();
		this.requests.length = 0;
		seed(this, this.options.seed ?? 'basic');
	}

	async listen(): Promise<void> {
		const { port = 0, host = '127.0.0.1' } = this.options;
		this.url = await this.app.listen({ port, host });
	}

	async close(): Promise<void> {
		this.clock.stop();
		await this.deliveries.close();
		await this.app.close();
	}
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const service = new Service(options);
	await service.listen();
	return service;
}

function build(service: Service): FastifyInstance {
	const app = fastify({
		logger: false,
		bodyLimit: BODY_LIMIT,
		exposeHeadRoutes: false,
		// Ends what a fault left hanging.
		forceCloseConnections: true,
		routerOptions: { maxParamLength: 1000 },
		requestTimeout: 0,
		// An address that cannot be decoded: nothing is there.
		frameworkErrors: (error, _request, reply) => {
			const plain = reply as unknown as FastifyReply;
			void plain.code(404).send(failure('PUBLIC_API_NOT_FOUND', error.message, newRequestId()));
		},
	});
	for (const prefix of PREFIXES) {
		void app.register(async (api) => registerApi(api, service, prefix), { prefix });
	}
	void app.register(storage, { service });
	void app.register(control, { service, prefix: '/_control' });
	void app.register((pages) => page(pages, service));
	return app;
}

async function registerApi(api: FastifyInstance, service: Service, prefix: string): Promise<void> {
	// Bodies are read as they are, and judged after key, rate limit and workspace.
	api.removeAllContentTypeParsers();
	api.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
	api.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
		const status = error.statusCode !== undefined && error.statusCode < 500 ? 400 : 500;
		const code = status === 400 ? 'PUBLIC_API_BODY_INVALID' : 'PUBLIC_API_INTERNAL_FAILED';
		if (status === 500) console.error('The embedded service has a bug:', error);
		return reply.code(status).send(failure(code, error.message, newRequestId()));
	});
	const serve = (app: FastifyInstance, route: Route) =>
		app.route({ method: route.method, url: route.path, handler: handler(service, route, prefix) });
	const [uploads, others] = partition(ROUTES, 'readFile');
	for (const route of others) serve(api, route);
	api.setNotFoundHandler(handler(service, undefined, prefix));
	await api.register(async (streamed) => {
		streamed.removeAllContentTypeParsers();
		// Anything else is refused by the reader; fastify's own answer would come before the key is looked at.
		streamed.addContentTypeParser('*', (_request, payload, done) => {
			payload.resume();
			done(null);
		});
		await streamed.register(multipart);
		for (const route of uploads) serve(streamed, route);
	});
}
