import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { titleOf } from '../../api/platforms';

/** How many posts a message names. */
const NAMED = 5;

/** Posts in few words. */
export const labels = (posts: IDataObject[], zone: string): string =>
	posts
		.slice(0, NAMED)
		.map((one) => labelOf(one, zone))
		.join('; ') + (posts.length > NAMED ? '; …' : '');

/** Platform and time of a post; what else there is of other records. */
function labelOf(one: IDataObject, zone: string): string {
	const { platform, platforms, scheduled_at: at, schedule_at: quickAt, id, filename } = one;
	const names = [platforms ?? platform ?? []].flat().map((name) => titleOf(String(name)));
	if (names.length === 0) return String(filename ?? id ?? 'done');
	const time = DateTime.fromISO(String(at ?? quickAt ?? ''), { zone });
	return `${names.join(', ')}${time.isValid ? `, scheduled for ${time.toFormat('yyyy-LL-dd HH:mm')}` : ''}`;
}
