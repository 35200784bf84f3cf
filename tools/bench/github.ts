import Fastify from 'fastify';
import { createHmac, randomUUID } from 'node:crypto';

import { poll } from '../../test/n8n/client';
import type { N8n } from '../../test/n8n/instance';
import type { Field } from '../../test/support/e2e/field';
import { byId, flow, hookOf, n8nNode, nothing } from '../../test/support/e2e/flow';
import { post, type Receiver, type Sent } from '../../test/support/e2e/sender';

/** n8n's GitHub Trigger in a workflow of its own, published against as much of GitHub as it asks for. */
export async function publishGithub(field: Field<N8n>, settings: object): Promise<Receiver> {
	const hooks = new Map<string, Receiver>();
	const app = Fastify({ forceCloseConnections: true });
	// Also what has no body.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) =>
		body === '' ? {} : JSON.parse(body),
	);
	app.post<{ Body: { config: Receiver; events: string[] } }>('*', async ({ body }, reply) => {
		const id = hooks.size + 1;
		hooks.set(String(id), body.config);
		return await reply.code(201).send({ id, active: true, events: body.events });
	});
	const idIn = (url: string) => /\/hooks\/(\d+)/.exec(url)?.[1] ?? '';
	app.delete('*', async ({ url }, reply) => {
		hooks.delete(idIn(url));
		return await reply.code(204).send();
	});
	app.get('*', async ({ url }, reply) =>
		hooks.has(idIn(url)) ? { id: Number(idIn(url)), active: true } : await reply.code(404).send({}),
	);

	const server = await app.listen({ host: '127.0.0.1', port: 0 });
	const account = { server, user: 'example', accessToken: 'example' };
	const githubApi = await field.n8n.createCredential('GitHub account', 'githubApi', account);
	const named = (value: string) => ({ ...byId(value), mode: 'name' });
	const parameters = {
		owner: named('owner'),
		repository: named('repository'),
		events: ['push'],
		options: {},
	};
	const trigger = {
		...n8nNode('Trigger', 'githubTrigger', 1, parameters),
		webhookId: randomUUID(),
		credentials: { githubApi: { id: null, name: 'GitHub account' } },
	};
	const workflow = flow('GitHub', [trigger, nothing], {}, { ...settings });
	await field.start({ id: await field.save(workflow, { githubApi }) });
	const mine = () => [...hooks.values()].find((one) => one.url.includes(hookOf(workflow)));
	return await poll('the hook at GitHub', mine);
}

/** Sends an event as GitHub does. */
export async function deliverGithub({ url, secret }: Receiver, event: { id: string }): Promise<Sent> {
	const body = JSON.stringify(event);
	return await post(url, body, {
		'content-type': 'application/json',
		'x-github-event': 'push',
		'x-github-delivery': event.id,
		'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
	});
}
