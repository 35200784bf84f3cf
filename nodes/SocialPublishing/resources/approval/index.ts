import type { Resource } from '../../engine/operation';
import { getAll } from './getAll';

export const approval: Resource = { name: 'Approval', value: 'approval', operations: [getAll] };
