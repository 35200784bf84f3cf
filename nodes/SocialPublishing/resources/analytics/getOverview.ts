import pickBy from 'lodash/pickBy';
import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../../api/lists';
import { operation } from '../../engine/operation';
import { outputField, query } from '../fields';
import { withColumns } from '../tables';
import { isPlatform, itemPerPlatform, withPlatformNames } from './platformNames';

/** Spec: `GET /analytics`: views, likes, comments and shares per platform. Its parameters and answer aren't in the spec. */
export const getOverview = operation({
	name: 'Get Overview',
	value: 'getOverview',
	action: 'Get analytics overview',
	description: 'Retrieve views, likes, comments and shares per platform',
	method: 'GET',
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
	request: ({ options: { query: qs } }) => ({ path: '/analytics', qs, expects: 'records' }),
	shape: (data, { output }) => {
		const overview = withPlatformNames(data);
		return output === 'perPlatform' ? perPlatform(overview) : overview;
	},
});

/**
 * One item a platform. The spec doesn't have the answer's shape: a list of records that name their platform, or an object
 * with the platforms as keys, at the top or one level below.
 */
export function perPlatform(data: IDataObject): IDataObject[] {
	if (isRecord(data.by_platform)) return itemPerPlatform(data.by_platform);
	const places: unknown[] = [data.by_platform, data.platforms, data, ...Object.values(data)];
	for (const place of places) {
		if (Array.isArray(place) && place.length > 0 && place.every((one) => isRecord(one) && 'platform' in one))
			return withColumns(place as IDataObject[], ['platform']);
		if (isRecord(place) && Object.keys(place).some(isPlatform))
			return itemPerPlatform(pickBy(place, (_, name) => isPlatform(name)));
	}
	return [data].flat();
}
