import type { Resource } from '../../engine/operation';
import { getAll } from './getAll';
import { reply } from './reply';

export const inbox: Resource = { name: 'Inbox', value: 'inbox', operations: [getAll, reply] };
