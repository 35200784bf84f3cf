import type { Resource } from '../../engine/operation';
import { cancel } from './cancel';
import { create } from './create';
import { remove } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { getAnalytics } from './getAnalytics';
import { update } from './update';
import { waitForStatus } from './waitForStatus';

export const post: Resource = {
	name: 'Post',
	value: 'post',
	operations: [create, getAll, get, update, cancel, remove, waitForStatus, getAnalytics],
};
