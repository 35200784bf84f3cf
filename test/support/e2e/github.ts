import Fastify from 'fastify';

import type { Receiver } from './sender';

/** As much of GitHub as its trigger asks for: hooks of one repository. */
export async function startGithub() {
	const hooks = new Map<number, Receiver>();
	const app = Fastify({ forceCloseConnections: true });
	// Also what has no body.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) =>
		body === '' ? {} : JSON.parse(body),
	);
	app.post<{ Body: { config: Receiver; events: string[] } }>('*', async ({ body }, reply) => {
		const { url, secret } = body.config;
		hooks.set(hooks.size + 1, { url, secret });
		return await reply.code(201).send({ id: hooks.size, active: true, events: body.events });
	});
	app.delete('*', async ({ url }, reply) => {
		hooks.delete(idIn(url));
		return await reply.code(204).send();
	});
	app.get('*', async ({ url }, reply) =>
		hooks.has(idIn(url)) ? { id: idIn(url), active: true } : await reply.code(404).send({}),
	);
	return { url: await app.listen({ host: '127.0.0.1', port: 0 }), hooks };
}

const idIn = (url: string) => Number(/\/hooks\/(\d+)/.exec(url)?.[1]);
