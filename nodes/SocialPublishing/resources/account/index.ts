import type { Resource } from '../../operation';
import { getAll } from './getAll';

export const account: Resource = { name: 'Account', value: 'account', operations: [getAll] };
