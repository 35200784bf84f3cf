import type { Resource } from '../../engine/operation';
import { getBestTimes } from './getBestTimes';
import { getInsights } from './getInsights';
import { getOverview } from './getOverview';
import { getSummary } from './getSummary';
import { getUnified } from './getUnified';

export const analytics: Resource = {
	name: 'Analytics',
	value: 'analytics',
	operations: [getOverview, getSummary, getUnified, getBestTimes, getInsights],
};
