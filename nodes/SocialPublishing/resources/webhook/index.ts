import type { Resource } from '../../engine/operation';
import { check } from './check';
import { create } from './create';
import { remove } from './delete';
import { getAll } from './getAll';
import { getDeliveries } from './getDeliveries';

export const webhook: Resource = {
	name: 'Webhook',
	value: 'webhook',
	operations: [check, create, remove, getDeliveries, getAll],
};
