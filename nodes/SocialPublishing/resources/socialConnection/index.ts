import type { Resource } from '../../operation';
import { getAll } from './getAll';

export const socialConnection: Resource = {
	name: 'Social Connection',
	value: 'socialConnection',
	operations: [getAll],
};
