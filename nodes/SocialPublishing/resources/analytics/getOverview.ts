import type { IDataObject } from 'n8n-workflow';

import { platforms } from '../../../api/contract';
import { isRecord } from '../../../api/lists';
import { canonicalPlatform } from '../../../api/platforms';
import { operation } from '../../engine/operation';
import { query } from '../fields';

/** Spec: `GET /analytics`: views, likes, comments and shares per platform. Parameters and answer are not shown. */
export const getOverview = operation({
	name: 'Get Overview',
	value: 'getOverview',
	action: 'Get analytics overview',
	description: 'Retrieve views, likes, comments and shares per platform',
	method: 'GET',
	fields: [
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			default: 'perPlatform',
			description: 'What each output item contains',
			options: [
				{ name: 'Overview', value: 'overview', description: 'Everything in one item' },
				{ name: 'Per Platform', value: 'perPlatform', description: 'One item for each platform' },
			],
		},
	],
	options: [query],
	request: ({ options: { query: qs } }) => ({ path: '/analytics', qs, expects: 'records' }),
	shape: (data, { output }) => (output === 'perPlatform' ? perPlatform(data) : data),
});

/**
 * One item a platform. The answer's shape is not shown: a list of records that name their platform, or an object with the
 * platforms as keys, at the top or one level below.
 */
export function perPlatform(data: IDataObject): IDataObject[] {
	const places: unknown[] = [data.by_platform, data.platforms, data, ...Object.values(data)];
	for (const place of places) {
		if (Array.isArray(place) && place.length > 0 && place.every((one) => isRecord(one) && 'platform' in one))
			return (place as IDataObject[]).map((one) => ({
				...one,
				platform: canonicalPlatform(String(one.platform)),
			}));
		if (isRecord(place) && Object.keys(place).some(isPlatform))
			return Object.entries(place)
				.filter(([name, figures]) => isPlatform(name) && isRecord(figures))
				.map(([platform, figures]) => ({
					platform: canonicalPlatform(platform),
					...(figures as IDataObject),
				}));
	}
	return [data].flat();
}

const isPlatform = (name: string): boolean =>
	(platforms as readonly string[]).includes(canonicalPlatform(name));
