import type { Resource } from '../../operation';
import { getAll } from './getAll';

export const workspace: Resource = { name: 'Workspace', value: 'workspace', operations: [getAll] };
