import { accountOf, credentialFor } from '../../../test/n8n/examples';
import { addPost } from '../../../test/support/store';
import { demand, demandCount, problems, type Scene, type Stage } from '../stage';

const packageName = 'n8n-nodes-social-publishing';
const nodes = ['socialPublishing', 'socialPublishingTool', 'socialPublishingTrigger'];

const has = (list: Array<Record<string, unknown>>, key: 'name' | 'value', wanted: string): boolean =>
	list.some((one) => one[key] === wanted);

async function load({ n8n }: Stage): Promise<void> {
	const known = await n8n.get('/types/nodes.json');
	const missing = nodes.filter((node) => !has(known, 'name', `${packageName}.${node}`));
	const said = problems(n8n.log(), packageName).join(' | ');
	demand(missing.length === 0, `n8n does not know ${missing.join(', ')}: ${said}`);
	const credentials = await n8n.get('/types/credentials.json');
	demand(has(credentials, 'name', 'socialPublishingApi'), 'n8n does not know the credential');
	demand(said === '', `n8n's log: ${said}`);
}

async function rightAndWrongKey({ n8n, service }: Stage): Promise<void> {
	const test = async (key: string) =>
		await n8n.testCredential('socialPublishingApi', credentialFor(service, key));
	const right = await test(service.keys.full);
	demand(right.status === 'OK', `The right key: ${right.message}`);
	const wrong = await test('not-a-key');
	demand(wrong.status === 'Error' && /key/i.test(wrong.message), `A wrong key: ${wrong.message}`);
}

/** What the editor asks for when a dropdown or a locator is opened. */
async function ask(
	{ n8n, credentials }: Stage,
	kind: string,
	path: string,
	methodName: string,
	{ socialPublishingApi: id } = credentials,
) {
	return await n8n.rest('POST', `/dynamic-node-parameters/${kind}`, {
		nodeTypeAndVersion: { name: `${packageName}.socialPublishing`, version: 1 },
		path: `parameters.${path}`,
		methodName,
		currentNodeParameters: { resource: 'post', operation: 'create', options: {} },
		credentials: { socialPublishingApi: { id, name: 'Account' } },
	});
}

async function lists(stage: Stage): Promise<void> {
	const { n8n, service } = stage;
	demandCount((await ask(stage, 'options', 'platforms', 'getPlatforms')).length, 7, 'platforms');
	const accounts = await ask(stage, 'options', 'accounts', 'getAccounts');
	demand(has(accounts, 'value', 'acc_main_x'), 'The accounts lack one');
	addPost(service, { id: 'post_done', status: 'completed' });
	const posts = await ask(stage, 'resource-locator-results', 'postId', 'searchPosts');
	demand(has(posts.results, 'value', 'post_done'), 'The posts lack one');
	const expired = await accountOf(n8n, service, service.keys.expired);
	const refused = await ask(stage, 'options', 'accounts', 'getAccounts', expired).then(
		() => 'a list',
		({ message }: Error) => message,
	);
	demand(/expired/i.test(refused), `With an expired key: ${refused}`);
}

export const start: Scene = {
	'Both nodes, the tool and the credential load; no error in the log': load,
	'Credential test: right key, wrong key': rightAndWrongKey,
	'Lists of the editor, and the reason where one fails': lists,
};
