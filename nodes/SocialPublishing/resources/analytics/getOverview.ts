import { record } from '../../../api/schema';
import { query } from '../fields';
import { operation } from '../../engine/operation';

/** Spec: `GET /analytics`: views, likes, comments and shares per platform. Parameters and answer are not shown. */
export const getOverview = operation({
	name: 'Get Overview',
	value: 'getOverview',
	action: 'Get analytics overview',
	description: 'Retrieve views, likes, comments and shares per platform',
	method: 'GET',
	fields: [query],
	request: ({ query: qs }) => ({ path: '/analytics', qs }),
	output: record,
});
