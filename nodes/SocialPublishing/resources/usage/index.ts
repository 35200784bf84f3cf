import type { Resource } from '../../operation';
import { get } from './get';

export const usage: Resource = { name: 'Usage', value: 'usage', operations: [get] };
