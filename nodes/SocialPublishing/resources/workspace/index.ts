import type { Resource } from '../../engine/operation';
import { checkHealth } from './checkHealth';
import { getAll } from './getAll';

export const workspace: Resource = {
	name: 'Workspace',
	value: 'workspace',
	operations: [checkHealth, getAll],
};
