import type { Resource } from '../../engine/operation';
import { getAll } from './getAll';

export const workspace: Resource = { name: 'Workspace', value: 'workspace', operations: [getAll] };
