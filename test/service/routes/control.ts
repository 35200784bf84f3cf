import type { FastifyInstance } from 'fastify';
import { newId } from '../envelope';
import type { Fault } from '../faults';
import type { Service } from '../index';
import type { InboxItem, Post } from '../types';
import { present } from './posts';

/** The control interface has no envelope: fastify answers with the status and the message. */
const refusal = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });

type ById = { Params: { id: string } };

/** The control interface, without a key: what people, platforms, time and misfortune do. README.md lists it. */
export async function control(app: FastifyInstance, { service }: { service: Service }): Promise<void> {
	const { clock, store, faults, deliveries, lifecycle } = service;
	app.post<{ Body: { advance: number } }>('/clock', async ({ body }) => {
		await clock.advance(body.advance);
		return { now: clock.iso() };
	});

	app.post<{ Body: { within: number } }>('/due', async ({ body }) => ({
		published: lifecycle.publishDue(body.within),
	}));

	app.post<{ Body: Fault }>('/faults', async ({ body }) => ({ id: faults.add(body) }));
	app.delete('/faults', async () => {
		faults.clear();
		return {};
	});

	const actions: Record<string, (post: Post) => void> = {
		publish: (post) => lifecycle.publish(lifecycle.dueNow(post)),
		fail: (post) => lifecycle.fail(lifecycle.dueNow(post), 'Made to fail.'),
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

	app.post<{ Body: Partial<InboxItem> }>('/inbox', async ({ body }) => {
		const id = newId('inb');
		const { text = 'Is there still some of the plum jam?', author = { name: 'Ida', username: 'ida' } } = body;
		lifecycle.receive({
			...{ id, workspaceId: 'ws_main', brandId: 'brand_main', conversationId: newId('conv') },
			...{ platform: 'instagram', type: 'comment', text, author },
			...{ status: 'open', createdAt: clock.iso(), replies: [] },
		});
		return { id };
	});

	app.post<ById>('/webhooks/:id/delete', async ({ params }) => {
		if (!store.webhooks.delete(params.id)) throw refusal(404, 'There is no such subscription.');
		return {};
	});

	for (const way of ['repeat', 'forge']) {
		app.post<ById>(`/deliveries/:id/${way}`, async ({ params }) => {
			const status = await deliveries.repeat(params.id, way === 'forge');
			if (status === undefined) throw refusal(404, 'There is no such delivery.');
			return { status };
		});
	}
}
