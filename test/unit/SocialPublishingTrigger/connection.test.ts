import { derivedSecret } from '../../../nodes/shared/signature';
import { connectTrigger } from '../../../nodes/SocialPublishingTrigger/connection';
import { anewForEachTest, n8n, service } from './fakes';

/** The trigger's way to the service: which workspace, and what it does not carry on. */

anewForEachTest(async () => (n8n.workspaceId = 'ws_credential'));

const connect = async (workspaceId = '', secrets: string[] = []) =>
	await connectTrigger(n8n.context('trigger'), { url: n8n.url, workspaceId, secrets, requestMs: 1000 });

it('asks in the workspace of the node, of the credential, or as told', async () => {
	expect((await connect()).workspaceId).toBe('ws_credential');
	const connection = await connect('ws_node');
	expect(connection.workspaceId).toBe('ws_node');
	await connection.get({ path: '/webhooks' });
	await connection.get({ path: '/webhooks', workspaceId: 'ws_event' });
	await connection.send({ method: 'GET', path: '/webhooks', workspaceId: '' });
	await (await connect()).get({ path: '/webhooks' });
	expect(service.sent.map(({ workspace }) => workspace)).toEqual([
		'ws_node',
		'ws_event',
		undefined,
		'ws_credential',
	]);
});

it('triggers with the same service, key and workspace are one group', async () => {
	const { group } = await connect();
	expect((await connect('ws_credential')).group).toBe(group);
	expect((await connect('ws_node')).group).not.toBe(group);
	n8n.key = 'example-key-1';
	expect((await connect()).group).not.toBe(group);
});

it('carries no secret on, be it known or made from the key', async () => {
	const own = derivedSecret(n8n.key, n8n.url)!;
	const connection = await connect('', ['whsec_stored']);
	const says = `neither whsec_stored nor ${own}`;
	service.posts.push({ id: 'p', text: says });
	expect(await connection.get({ path: '/posts/p' })).toEqual({
		id: 'p',
		text: 'neither [hidden] nor [hidden]',
	});
	service.fault = () => () => ({
		statusCode: 403,
		headers: {},
		body: { success: false, error: { code: 'X', message: says } },
	});
	await expect(connection.get({ path: '/posts/p' })).rejects.toMatchObject({
		message: expect.stringContaining('neither [hidden] nor [hidden]'),
	});
	expect(connection.redact(says)).toBe('neither [hidden] nor [hidden]');
	// Of what was just made, the secret is needed.
	service.heal();
	const body = { url: n8n.url, events: [], secret: own };
	const { data } = await connection.send({ method: 'POST', path: '/webhooks', body });
	expect(data).toMatchObject({ webhook: { secret: own } });
});

it('makes no secret where the credential has no key', async () => {
	n8n.key = service.key = '';
	expect((await connect()).ownSecret).toBeUndefined();
});
