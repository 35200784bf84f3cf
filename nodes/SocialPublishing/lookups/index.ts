import { lists, titleOf } from '../../api/contract';
import { isRecord } from '../../api/lists';
import { readSubscription } from '../../api/records';
import { excerpt, filled, textOf } from '../../api/texts';
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

export const inboxItems: LookupSource = {
	...lists.inbox,
	label: ({ author, text, platform }) => {
		const name = isRecord(author) ? author.name : author;
		return filled([name, excerpt(textOf(text)), titleOf(textOf(platform))]).join(' · ');
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
