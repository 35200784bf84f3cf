import { isNil, omitBy, uniq, zipObject } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { canonicalPlatform, isPlatform, shownPlatform } from '../../../api/contract';
import { refusal } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { withColumns, withFirst } from '../../engine/tables';

/** How many records or lists inside each other have platforms: the summary's platforms, its list of insights. */
const MAX_LEVELS = 5;

/**
 * An answer with platforms named as in posts: `x`, never `twitter`.
 * @param isNamed its name says that it is of platforms; other records are where all their names are of different ones
 * @throws Failure where figures by platform have both
 */
export function withPlatformNames<T>(data: T, levels = MAX_LEVELS, isNamed = false): T {
	if (isNamed && typeof data === 'string') return shownPlatform(data) as T;
	if (levels === 0 || typeof data !== 'object' || data === null) return data;
	if (Array.isArray(data)) {
		const all: unknown[] = data.map((one) => withPlatformNames<unknown>(one, levels - 1, isNamed));
		return (isNamed ? uniq(all) : all) as T;
	}
	const given = Object.keys(data);
	const isByPlatform =
		isNamed || uniq(given.filter(isPlatform).map(canonicalPlatform)).length === given.length;
	const names = given.map((name) => (isByPlatform ? shownPlatform(name) : name));
	const twice = names.find((name, i) => names.indexOf(name) !== i);
	if (twice !== undefined)
		throw refusal(
			'UNEXPECTED_DATA',
			`The service returned two sets of figures for the platform '${twice}'`,
			"Contact the service's support: 'twitter' and 'x' are one platform.",
		).with({ status: 200 });
	const values = Object.entries(data).map(([name, value]): unknown =>
		withPlatformNames(value, levels - 1, /^(by_)?platforms?$/.test(name)),
	);
	return zipObject(names, values) as T;
}

/** One item a platform, from an object with the platforms as keys; all with the same columns. */
export function itemPerPlatform(byPlatform: IDataObject): IDataObject[] {
	const items = Object.entries(byPlatform).map(([platform, figures]) =>
		withFirst({ platform }, isRecord(figures) ? figures : omitBy({ value: figures }, isNil)),
	);
	return withColumns(items);
}
