export { workspaceId } from '../../shared/workspaces';
import { listNames } from '../../api/contract';
import { filled, type LookupSource } from './source';

/** Spec: `GET /workspaces`, asked for without a workspace. Fields are not shown: a name is used where it is there. */
export const workspaces: LookupSource = {
	path: '/workspaces',
	listNames: listNames.workspaces,
	ignoresWorkspace: true,
	label: ({ id, name }) => filled([name])[0] ?? String(id),
};
