import { isRecord } from '../../../api/lists';
import { operation } from '../../engine/operation';
import { outputField, query, queryFrom } from '../fields';
import { itemPerPlatform, withPlatformNames } from './platformNames';

/** Spec: `GET /analytics`: views, likes, comments and shares per platform. Its parameters and answer aren't in the spec. */
export const getOverview = operation({
	name: 'Get Overview',
	value: 'getOverview',
	action: 'Get analytics overview',
	description:
		'Retrieve views, likes, comments and shares per platform, over a period that the service chooses',
	fields: [
		{
			...outputField,
			default: 'perPlatform',
			options: [
				{ name: 'Overview', value: 'overview', description: 'Everything in one item' },
				{ name: 'Per Platform', value: 'perPlatform', description: 'One item for each platform' },
			],
		},
	],
	options: [query],
	request: ({ options }) => ({ path: '/analytics', qs: queryFrom(options.query), expects: 'records' }),
	shape: (data, { output }) => {
		const overview = withPlatformNames(data);
		const { by_platform: figures } = overview;
		return output === 'perPlatform' && isRecord(figures) ? itemPerPlatform(figures) : overview;
	},
});
