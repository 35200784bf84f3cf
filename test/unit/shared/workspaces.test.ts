import { searchWorkspaces } from '../../../nodes/shared/workspaces';
import { ok, through, type Reply, anewForEachTest, n8n, service } from '../SocialPublishingTrigger/fakes';

/** The dropdown of workspaces; how a list is searched: search.test.ts. */

anewForEachTest(async () => (n8n.workspaceId = 'ws_9'));

const workspaces = [{ id: 'ws_1', name: 'Bakery' }, { id: 'ws_2', name: 'Lake side' }, { id: 3 }];

async function search(answer: Reply) {
	service.fault = () => () => answer;
	return (await through(searchWorkspaces.call(n8n.context('manual')))).results;
}

test('lists those of the key, by name or else by ID, whatever workspace the credential names', async () => {
	expect(await search(ok({ workspaces }))).toEqual([
		{ name: 'Bakery', value: 'ws_1' },
		{ name: 'Lake side', value: 'ws_2' },
		{ name: '3', value: '3' },
	]);
	expect(service.sent).toMatchObject([{ method: 'GET', path: '/workspaces', workspace: undefined }]);
});
