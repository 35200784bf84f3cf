import { operation } from '../../engine/operation';

/** Spec: `GET /usage`. Fields are not shown. */
export const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get usage',
	description: "Retrieve the plan's usage and limits",
	method: 'GET',
	fields: [],
	request: () => ({ path: '/usage', expects: 'records' }),
});
