import type { INodeProperties } from 'n8n-workflow';

import { workspaceId as shared } from '../../shared/workspaces';
import { listNames } from '../../api/contract';
import { filled, type LookupSource } from './source';

const [fromList, byId] = shared.modes;

export const workspaceId = {
	...shared,
	modes: [fromList, { ...byId, hint: 'Its name works too' }],
} as const satisfies INodeProperties;

/** Spec: `GET /workspaces`, asked for without a workspace. Fields are not shown: a name is used where it is there. */
export const workspaces: LookupSource = {
	path: '/workspaces',
	listNames: listNames.workspaces,
	ignoresWorkspace: true,
	label: ({ id, name }) => String(name ?? id),
	names: ({ name }) => filled([name]),
};
