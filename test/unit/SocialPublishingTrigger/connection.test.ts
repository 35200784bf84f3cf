import { derivedSecret } from '../../../nodes/shared/signature';
import { connectTrigger } from '../../../nodes/SocialPublishingTrigger/connection';
import { anewForEachTest, n8n, refused, service } from './fakes';

/** The trigger's way to the service: with whom it shares a limit, and what it does not carry on. */

anewForEachTest(async () => (n8n.workspaceId = 'ws_credential'));

const connect = async (workspaceId = '', secrets: string[] = []) =>
	await connectTrigger(n8n.context('trigger'), { url: n8n.url, workspaceId, secrets, requestMs: 1000 });

it('triggers with the same service and key share a budget, whatever their workspace', async () => {
	const { budget } = await connect();
	expect((await connect('ws_node')).budget).toBe(budget);
	n8n.key = 'example-key-1';
	expect((await connect()).budget).not.toBe(budget);
});

it('carries no secret on, be it known or made from the key', async () => {
	const own = derivedSecret(n8n.key, n8n.url)!;
	const connection = await connect('', ['whsec_stored']);
	const says = `neither whsec_stored nor ${own}`;
	service.fault = () => () => refused(403, 'X', { message: says });
	const message = expect.stringContaining('neither [hidden] nor [hidden]');
	await expect(connection.send({ method: 'GET', path: '/posts/p' })).rejects.toMatchObject({ message });
});
