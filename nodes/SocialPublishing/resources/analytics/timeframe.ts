import type { INodeProperties } from 'n8n-workflow';

import { iso } from '../../../api/postRange';
import { DAY_MS } from '../time';

export const timeframeField = {
	displayName: 'Timeframe',
	name: 'timeframe',
	type: 'options',
	default: 'last_30_days',
	description: 'Which posts to count, by their publication time',
	options: [
		{ name: 'All Time', value: 'all_time' },
		{ name: 'Last 30 Days', value: 'last_30_days' },
		{ name: 'Last 7 Days', value: 'last_7_days' },
		{ name: 'Last 90 Days', value: 'last_90_days' },
	],
} as const satisfies INodeProperties;

/** In days; all time is ten years, as for posts. */
export const timeframeDays = { all_time: 3652, last_30_days: 30, last_7_days: 7, last_90_days: 90 } as const;

/** The range that ends now, ten years at most, for endpoints that take no time frame. */
export function rangeOfDays(days: number, nowMs: number): { from: string; to: string } {
	const to = Math.floor(nowMs / 1000) * 1000;
	return { from: iso(to - Math.min(days, timeframeDays.all_time) * DAY_MS), to: iso(to) };
}
