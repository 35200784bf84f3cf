import { isEmpty, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { isPlatform } from '../../../api/contract';
import { isRecord } from '../../../api/lists';
import { operation } from '../../engine/operation';
import { outputField, query, queryFrom } from '../fields';
import { withColumns } from '../../engine/tables';
import { itemPerPlatform, withPlatformNames } from './platformNames';

/** Spec: `GET /analytics`: views, likes, comments and shares per platform. Its parameters and answer aren't in the spec. */
export const getOverview = operation({
	name: 'Get Overview',
	value: 'getOverview',
	action: 'Get analytics overview',
	description: 'Retrieve views, likes, comments and shares per platform',
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
		const overview = withPlatformNames(data, undefined, true);
		return output === 'perPlatform' ? platformRows(overview) : overview;
	},
});

/** One item a platform, from figures by platform or records that name theirs: row 24 of docs/spec-gaps.md. */
function platformRows(data: IDataObject | IDataObject[]): IDataObject[] {
	if (Array.isArray(data)) return withColumns(data, ['platform']);
	const keyed = pickBy(data, (_, name) => isPlatform(name));
	const figures = [data.by_platform, data.platforms, keyed].find(hasFigures);
	if (Array.isArray(figures)) return withColumns(figures.filter(isRecord), ['platform']);
	return figures ? itemPerPlatform(figures) : [data];
}

/** A list of names has none: they may stand elsewhere in the answer. */
const hasFigures = (value: unknown): value is IDataObject | unknown[] =>
	Array.isArray(value) ? value.length === 0 || value.some(isRecord) : isRecord(value) && !isEmpty(value);
