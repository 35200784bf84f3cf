import { isNil, mapKeys, omitBy, uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { shownPlatform } from '../../../api/contract';
import { isRecord } from '../../../api/lists';
import { withColumns, withFirst } from '../../engine/tables';

const shown = (name: unknown) => (typeof name === 'string' ? shownPlatform(name) : name);

/** A record of analytics with platforms named as in posts, where the spec shows them: `x`, never `twitter`. */
export function withPlatformNames(record: IDataObject): IDataObject {
	const { platform, platforms, by_platform: figures, insights } = record;
	return {
		...record,
		...(typeof platform === 'string' ? { platform: shownPlatform(platform) } : {}),
		...(Array.isArray(platforms) ? { platforms: uniq(platforms.map(shown)) as string[] } : {}),
		...(isRecord(figures) ? { by_platform: mapKeys(figures, (_, name) => shownPlatform(name)) } : {}),
		...(Array.isArray(insights) ? { insights: insights.filter(isRecord).map(withPlatformNames) } : {}),
	};
}

/** One item a platform, from `by_platform`; all with the same columns. */
export function itemPerPlatform(byPlatform: IDataObject): IDataObject[] {
	const items = Object.entries(byPlatform).map(([platform, figures]) =>
		withFirst({ platform }, isRecord(figures) ? figures : omitBy({ value: figures }, isNil)),
	);
	return withColumns(items);
}
