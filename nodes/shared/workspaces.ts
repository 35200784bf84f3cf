import { lists } from '../api/contract';
import { locator } from './locator';
import { searchIn, type LookupSource } from './search';

/** The locator of a workspace, an entry of the Options collection. */
export const workspaceId = locator({
	label: 'Workspace',
	name: 'workspaceId',
	description: "Workspace to use instead of the credential's",
	searchListMethod: 'searchWorkspaces',
	exampleId: 'ws_main',
	required: false,
});

/** Spec: `GET /workspaces`. */
const workspaces: LookupSource = {
	...lists.workspaces,
	label: ({ name }) => (typeof name === 'string' ? name : ''),
};

/** The workspaces of the key. */
export const searchWorkspaces = searchIn(workspaces, () => null);
