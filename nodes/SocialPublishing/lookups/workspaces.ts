import type { INodeProperties } from 'n8n-workflow';

import { listNames } from '../../api/contract';
import { filled, type LookupSource } from './source';

export const workspaceId = {
	displayName: 'Workspace',
	name: 'workspaceId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: "Workspace to work in, instead of the credential's",
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchWorkspaces', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. ws_main',
			hint: 'Its name works too',
		},
	],
} as const satisfies INodeProperties;

/** Spec: `GET /workspaces`, asked for without a workspace. Fields are not shown: a name is used where it is there. */
export const workspaces: LookupSource = {
	path: '/workspaces',
	listNames: listNames.workspaces,
	ignoresWorkspace: true,
	label: ({ id, name }) => String(name ?? id),
	names: ({ name }) => filled([name]),
};
