import { lists, titleOf } from '../../api/contract';
import { readInboxItem, readSubscription } from '../../api/records';
import { excerpt, filled } from '../../api/texts';
import { locator, searchIn, searchWorkspaces, type LookupSource } from '../../shared/locator';
import { getPlatforms, getTargets } from './accounts';
import { searchOpenPosts, searchPosts, searchPublishedPosts } from './posts';

export const inboxItemId = locator({
	label: 'Inbox Item',
	name: 'inboxItemId',
	description: 'The comment or message to reply to',
	searchListMethod: 'searchInboxItems',
	exampleId: 'inb_5d2c8f',
});

const kindNames = { comment: 'Comment', message: 'Direct message' };

export const inboxItems: LookupSource = {
	...lists.inbox,
	label: (record) => {
		const { author, text, kind, platform = '' } = readInboxItem(record);
		return filled([author, excerpt(text), kind && kindNames[kind], titleOf(platform)]).join(' · ');
	},
};

export const webhookId = locator({
	label: 'Webhook',
	name: 'webhookId',
	description: 'The webhook to use',
	searchListMethod: 'searchWebhooks',
	exampleId: 'wh_2k9d4s',
});

export const webhooks: LookupSource = {
	...lists.webhooks,
	label: (record) => {
		const { description, url } = readSubscription(record);
		return filled([description, url]).join(' · ');
	},
};

export const listSearch = {
	searchInboxItems: searchIn(inboxItems),
	searchOpenPosts,
	searchPosts,
	searchPublishedPosts,
	searchWebhooks: searchIn(webhooks),
	searchWorkspaces,
};

export const loadOptions = { getPlatforms, getTargets };
