import { workspaces } from '../../../../nodes/SocialPublishing/lookups/workspaces';

test('a workspace is shown and called by its name; one without is shown by its ID', () => {
	expect([workspaces.label({ id: 'ws', name: 'Plum' }), workspaces.label({ id: 'ws' })]).toEqual([
		'Plum',
		'ws',
	]);
	expect([workspaces.names({ id: 'ws', name: 'Plum' }), workspaces.names({ id: 'ws' })]).toEqual([
		['Plum'],
		[],
	]);
	expect(workspaces).toMatchObject({ path: '/workspaces', ignoresWorkspace: true });
});
