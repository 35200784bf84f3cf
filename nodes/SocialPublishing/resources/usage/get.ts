import { operation } from '../../engine/operation';

/** Spec: `GET /usage`. Its fields aren't in the spec. */
export const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get usage',
	description: "Retrieve the plan's usage and limits",
	fields: [],
	request: () => ({ path: '/usage', expects: 'records' }),
});
