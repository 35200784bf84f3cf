import type { Resource } from '../../engine/operation';
import { create } from './create';
import { remove } from './delete';
import { getAll } from './getAll';
import { getDeliveries } from './getDeliveries';
import { getMissed } from './getMissed';

export const webhook: Resource = {
	name: 'Webhook',
	value: 'webhook',
	operations: [create, remove, getDeliveries, getAll, getMissed],
};
