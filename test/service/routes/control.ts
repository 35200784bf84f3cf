import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { explain } from '../check';
import { newId } from '../envelope';
import type { Fault } from '../faults';
import type { Service } from '../index';
import type { Post } from '../types';
import { present } from './posts';

const inboxBody = z.object({
	text: z.string().default('Is there still some of the plum jam?'),
	author: z.object({ name: z.string(), username: z.string() }).default({ name: 'Ida', username: 'ida' }),
});
const clockBody = z.object({ advance: z.number().nonnegative() });

/** The control interface has no envelope: fastify answers with the status and the message. */
const refusal = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });

type ById = { Params: { id: string } };

/**
 * The control interface, outside the API's path, without a key: what people, platforms, time and misfortune do.
 * The page's buttons call it. README.md lists it.
 */
export async function control(app: FastifyInstance, { service }: { service: Service }): Promise<void> {
	const { clock, store, faults, deliveries, lifecycle } = service;
	app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
		if (error instanceof z.ZodError) return reply.code(400).send({ error: explain(error) });
		return reply.code(error.statusCode ?? 500).send({ error: error.message });
	});

	app.post('/clock', async ({ body }) => {
		await clock.advance(clockBody.parse(body).advance);
		return { now: clock.iso() };
	});

	app.post('/faults', async ({ body }) => ({ id: faults.add(body as Fault) }));
	app.delete('/faults', async () => {
		faults.clear();
		return {};
	});

	/** Each does nothing where it is not possible. */
	const actions: Record<string, (post: Post) => void> = {
		publish: (post) => lifecycle.publish(post),
		fail: (post) => lifecycle.fail(post, 'Made to fail.'),
		hold: (post) => lifecycle.hold(post),
		approve: (post) => lifecycle.approve(post),
	};
	app.post<{ Params: { id: string; action: string } }>('/posts/:id/:action', async ({ params }) => {
		const post = store.posts.get(params.id);
		const act = actions[params.action];
		if (!post || !act) throw refusal(404, post ? 'There is no such action.' : 'There is no such post.');
		const { status } = post;
		act(post);
		if (post.status === status) throw refusal(409, `The post is ${status}.`);
		return present(post, true);
	});

	app.post('/inbox', async ({ body }) => {
		const id = newId('inb');
		lifecycle.receive({
			...{ id, workspaceId: 'ws_main', brandId: 'brand_main', conversationId: newId('conv') },
			...{ platform: 'instagram', type: 'comment', ...inboxBody.parse(body) },
			...{ status: 'open', createdAt: clock.iso(), replies: [] },
		});
		return { id };
	});

	app.post<ById>('/webhooks/:id/delete', async ({ params }) => {
		if (!store.webhooks.delete(params.id)) throw refusal(404, 'There is no such subscription.');
		return {};
	});

	/** Sends a delivery again, as it is or with a wrong signature. */
	for (const way of ['repeat', 'forge']) {
		app.post<ById>(`/deliveries/:id/${way}`, async ({ params }) => {
			const status = await deliveries.repeat(params.id, way === 'forge');
			if (status === undefined) throw refusal(404, 'There is no such delivery.');
			return { status };
		});
	}
}
