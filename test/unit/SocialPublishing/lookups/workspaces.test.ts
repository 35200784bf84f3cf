import { workspaces } from '../../../../nodes/SocialPublishing/lookups/workspaces';

test('a workspace is shown by its name, else by its ID', () => {
	expect(workspaces).toMatchObject({ path: '/workspaces', ignoresWorkspace: true });
	expect(workspaces.label({ id: 'ws', name: 'Plum' })).toBe('Plum');
	expect(workspaces.label({ id: 'ws' })).toBe('ws');
});
