import type { Resource } from '../../operation';
import { getAll } from './getAll';

export const approval: Resource = { name: 'Approval', value: 'approval', operations: [getAll] };
