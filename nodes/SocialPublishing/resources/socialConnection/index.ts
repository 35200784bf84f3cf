import type { Resource } from '../../engine/operation';
import { getAll } from './getAll';

export const socialConnection: Resource = {
	name: 'Social Connection',
	value: 'socialConnection',
	operations: [getAll],
};
