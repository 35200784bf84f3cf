import type { Resource } from '../../engine/operation';
import { get } from './get';

export const usage: Resource = { name: 'Usage', value: 'usage', operations: [get] };
