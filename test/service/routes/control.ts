import type { FastifyInstance } from 'fastify';
import pick from 'lodash/pick';
import { z } from 'zod';
import { explain, platform, timestamp } from '../check';
import type { Cut, Forgery } from '../deliveries';
import { newId } from '../envelope';
import { faultSchema } from '../faults';
import type { Service } from '../index';
import { insertPost } from '../seed';
import { POST_STATUSES, TERMINAL, type ApiKey, type Post } from '../types';
import { present } from './posts';

const clockBody = z.object({
	advance: z.number().nonnegative().optional(),
	speed: z.number().nonnegative().optional(),
});

const inboxBody = z.object({
	text: z.string().default('Is there still some of the plum jam?'),
	type: z.enum(['comment', 'direct_message']).default('comment'),
	platform: platform.default('instagram'),
	author: z.object({ name: z.string(), username: z.string() }).default({ name: 'Ida', username: 'ida' }),
	workspace_id: z.string().default('ws_main'),
	brand_id: z.string().optional(),
	post_id: z.string().optional(),
	conversation_id: z.string().optional(),
});

const eventBody = z.object({
	type: z.string(),
	workspace_id: z.string().default('ws_main'),
	brand_id: z.string().optional(),
	/** Order is kept per resource; without it every event is one of its own. */
	resource: z.string().optional(),
	data: z.record(z.unknown()).default({}),
	count: z.number().int().min(1).max(100_000).default(1),
});

const bulkBody = z.object({
	count: z.number().int().min(0).max(1_000_000).optional(),
	from: timestamp.optional(),
	to: timestamp.optional(),
	/** Exact times, in place of count, from and to. */
	at: z.array(timestamp).optional(),
	/** Without it: `completed` for times in the past, `scheduled` for those to come. */
	status: z.enum(POST_STATUSES).optional(),
	platforms: z.array(platform).min(1).default(['linkedin']),
	text: z.string().default('Bulk post'),
	workspace_id: z.string().default('ws_main'),
});

const settingsBody = z
	.object({
		rangeEnds: z.enum(['inclusive', 'exclusive']).optional(),
		acceptCallerSecret: z.boolean().optional(),
		listShape: z.enum(['object', 'array']).optional(),
		deliveriesNameEvents: z.boolean().optional(),
		publishDelayMs: z.number().nonnegative().optional(),
		networkRules: z.boolean().optional(),
	})
	.strict();

/** The control interface has no envelope: fastify answers with the status and the message. */
const refusal = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });

type WithId = { Params: { id: string } };

/**
 * The control interface, outside the API's path, without a key: what people, platforms, time and misfortune do.
 * README.md lists it.
 */
export async function control(app: FastifyInstance, { service }: { service: Service }): Promise<void> {
	const { clock, store, faults, deliveries, lifecycle, requests } = service;
	app.removeAllContentTypeParsers();
	app.addContentTypeParser(
		'*',
		{ parseAs: 'string', bodyLimit: 64 * 1024 * 1024 },
		(_request, body, done) => {
			try {
				done(null, body === '' ? {} : JSON.parse(String(body)));
			} catch (error) {
				done(refusal(400, `Not JSON: ${String(error)}`));
			}
		},
	);
	app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
		if (error instanceof z.ZodError) return reply.code(400).send({ error: explain(error) });
		return reply.code(error.statusCode ?? 500).send({ error: error.message });
	});

	const brandOf = (workspaceId: string, brandId?: string) => {
		const workspace = store.workspaces.get(workspaceId);
		if (!workspace) throw refusal(404, `There is no workspace ${workspaceId}.`);
		return brandId ?? workspace.brands[0]!.id;
	};

	app.get('/state', async () => ({
		clock: { now: clock.iso(), speed: clock.speed },
		settings: pick(store, Object.keys(settingsBody.shape)),
		keys: service.keys,
		workspaces: [...store.workspaces.values()],
		posts: [...store.posts.values()].map((post) => ({ ...present(post, true), history: post.history })),
		accounts: [...store.accounts.values()],
		media: [...store.media.values()].map(({ bytes, ...media }) => ({ ...media, kept: bytes !== undefined })),
		inbox: [...store.inbox.values()],
		approvals: [...store.approvals.values()],
		webhooks: [...store.webhooks.values()].map((webhook) => ({ ...webhook, secret: undefined })),
		deliveries: deliveries.history(),
		faults: faults.list(),
	}));
	app.get('/requests', async () => requests);
	app.delete('/requests', async () => {
		requests.length = 0;
		return {};
	});

	app.post('/clock', async ({ body }) => {
		const { advance, speed } = clockBody.parse(body ?? {});
		if (speed !== undefined) clock.speed = speed;
		if (advance !== undefined) await clock.advance(advance);
		return { now: clock.iso(), speed: clock.speed };
	});
	app.post('/settings', async ({ body }) => {
		const given = settingsBody.parse(body ?? {});
		Object.assign(store, given);
		return given;
	});
	app.post('/keys', async ({ body }) => ({ key: service.addKey((body ?? {}) as Partial<ApiKey>) }));
	app.post('/reset', async () => {
		service.reset();
		return {};
	});

	app.post('/faults', async ({ body }) => ({ id: faults.add(faultSchema.parse(body ?? {})) }));
	app.get('/faults', async () => faults.list());
	app.delete('/faults', async () => {
		faults.clear();
		return {};
	});
	app.delete<WithId>('/faults/:id', async ({ params }) => {
		faults.clear(params.id);
		return {};
	});

	/** Each does nothing where it is not possible. */
	const actions: Record<string, (post: Post) => unknown> = {
		publish: (post) => lifecycle.publish(post, 'published by hand'),
		fail: (post) => lifecycle.fail(post, 'Made to fail.'),
		hold: (post) => lifecycle.hold(post),
		approve: (post) => lifecycle.approve(post),
		reject: (post) => lifecycle.reject(post),
		cancel: (post) => TERMINAL.has(post.status) || lifecycle.cancel(post),
	};
	app.post<{ Params: { id: string; action: string } }>('/posts/:id/:action', async ({ params }) => {
		const post = store.posts.get(params.id);
		const act = actions[params.action];
		if (!post || !act) throw refusal(404, post ? 'There is no such action.' : 'There is no such post.');
		const { length } = post.history;
		act(post);
		if (post.history.length === length) throw refusal(409, `The post is ${post.status}.`);
		return present(post, true);
	});

	app.post('/inbox', async ({ body }) => {
		const {
			workspace_id: workspaceId,
			brand_id,
			post_id,
			conversation_id,
			...rest
		} = inboxBody.parse(body ?? {});
		const id = newId('inb');
		const brandId = brandOf(workspaceId, brand_id);
		const conversationId = conversation_id ?? newId('conv');
		const ids = { id, workspaceId, brandId, conversationId, postId: post_id };
		lifecycle.receive({ ...ids, ...rest, status: 'open', createdAt: clock.iso(), replies: [] });
		return { id };
	});

	app.post('/events', async ({ body }) => {
		const { type, data, workspace_id: workspaceId, ...input } = eventBody.parse(body ?? {});
		const brandId = brandOf(workspaceId, input.brand_id);
		const ids = Array.from({ length: input.count }, () => {
			const resource = input.resource ?? newId('res');
			return deliveries.emit({ type, workspaceId, brandId, resource, data }).id;
		});
		return { ids };
	});

	app.post<WithId>('/deliveries/:id/repeat', async ({ params }) => {
		const status = await deliveries.repeat(params.id);
		if (status === undefined) throw refusal(404, 'There is no such delivery.');
		return { status };
	});
	app.post('/deliveries/forge', async ({ body }) => ({
		status: await deliveries.forge((body ?? {}) as Forgery),
	}));
	app.post('/deliveries/cut', async ({ body }) => {
		deliveries.cutNext((body ?? {}) as Partial<Cut>);
		return {};
	});
	/** Spec, "Delivery and retry rules" 4: disabled is like deleted for retries that are pending. */
	app.post<WithId>('/webhooks/:id/disable', async ({ params }) => {
		const webhook = store.webhooks.get(params.id);
		if (!webhook) throw refusal(404, 'There is no such webhook.');
		webhook.status = 'disabled';
		deliveries.webhookRemoved(webhook.id);
		return {};
	});

	app.post('/seed/posts', async ({ body }) => {
		const input = bulkBody.parse(body ?? {});
		const brandId = brandOf(input.workspace_id);
		const now = clock.now();
		const from = input.from === undefined ? now - 30 * 86_400_000 : Date.parse(input.from);
		const to = input.to === undefined ? now : Date.parse(input.to);
		const count = input.count ?? 0;
		const times =
			input.at?.map((time) => Date.parse(time)) ??
			Array.from({ length: count }, (_, n) => Math.round(from + ((to - from) * n) / Math.max(1, count - 1)));
		const ids = times.map((at, n) => {
			const status = input.status ?? (at <= now ? 'completed' : 'scheduled');
			const { platforms, workspace_id: workspaceId } = input;
			const text = `${input.text} ${n + 1}`;
			return insertPost(service, { id: newId('post'), workspaceId, brandId, text, platforms, status, at }).id;
		});
		return { ids };
	});
}
