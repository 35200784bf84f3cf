import type { Resource } from '../engine/operation';
import { getAll as getAccounts } from './account/getAll';
import { getBestTimes } from './analytics/getBestTimes';
import { getInsights } from './analytics/getInsights';
import { getOverview } from './analytics/getOverview';
import { getSummary } from './analytics/getSummary';
import { getUnified } from './analytics/getUnified';
import { getAll as getApprovals } from './approval/getAll';
import { getAll as getInboxItems } from './inbox/getAll';
import { reply } from './inbox/reply';
import { createUploadUrl } from './media/createUploadUrl';
import { upload } from './media/upload';
import { uploadDirect } from './media/uploadDirect';
import { cancel } from './post/cancel';
import { create as createPost } from './post/create';
import { remove as deletePost } from './post/delete';
import { get as getPost } from './post/get';
import { getAll as getPosts } from './post/getAll';
import { getAnalytics } from './post/getAnalytics';
import { update } from './post/update';
import { waitForStatus } from './post/waitForStatus';
import { getAll as getConnections } from './socialConnection/getAll';
import { get as getUsage } from './usage/get';
import { check } from './webhook/check';
import { create as createWebhook } from './webhook/create';
import { remove as deleteWebhook } from './webhook/delete';
import { getAll as getWebhooks } from './webhook/getAll';
import { getDeliveries } from './webhook/getDeliveries';
import { checkHealth } from './workspace/checkHealth';
import { getAll as getWorkspaces } from './workspace/getAll';

/** The table of operations: dropdowns, fields and dispatch are derived from it. In the order in which people need them. */
export const resources: readonly Resource[] = [
	{
		name: 'Post',
		value: 'post',
		operations: [createPost, getPosts, getPost, update, cancel, deletePost, waitForStatus, getAnalytics],
	},
	{ name: 'Inbox', value: 'inbox', operations: [getInboxItems, reply] },
	{ name: 'Media', value: 'media', operations: [upload, uploadDirect, createUploadUrl] },
	{
		name: 'Analytics',
		value: 'analytics',
		operations: [getOverview, getSummary, getUnified, getBestTimes, getInsights],
	},
	{ name: 'Account', value: 'account', operations: [getAccounts] },
	{ name: 'Approval', value: 'approval', operations: [getApprovals] },
	{ name: 'Social Connection', value: 'socialConnection', operations: [getConnections] },
	{ name: 'Usage', value: 'usage', operations: [getUsage] },
	{ name: 'Workspace', value: 'workspace', operations: [checkHealth, getWorkspaces] },
	{
		name: 'Webhook',
		value: 'webhook',
		operations: [check, createWebhook, deleteWebhook, getDeliveries, getWebhooks],
	},
];
