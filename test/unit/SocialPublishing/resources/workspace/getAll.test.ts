import { getAll } from '../../../../../nodes/SocialPublishing/resources/workspace/getAll';
import { requestOf } from '../operations';

test('asks for the workspaces of the key, whichever workspace is chosen', () => {
	expect(requestOf(getAll, {})).toEqual({ path: '/workspaces', workspaceId: null });
});
