import type { Resource } from '../../engine/operation';
import { getAll } from './getAll';

export const account: Resource = { name: 'Account', value: 'account', operations: [getAll] };
