import { searchIn } from '../../shared/search';
import { searchWorkspaces } from '../../shared/workspaces';
import { getAccounts, getPlatforms, getTargets } from './accounts';
import { inboxItems } from './inboxItems';
import { searchOpenPosts, searchPosts, searchPublishedPosts } from './posts';
import { chosenWorkspace } from './source';
import { webhooks } from './webhooks';

/** What the node offers n8n for its locators. */
export const listSearch = {
	searchInboxItems: searchIn(inboxItems, chosenWorkspace),
	searchOpenPosts,
	searchPosts,
	searchPublishedPosts,
	searchWebhooks: searchIn(webhooks, chosenWorkspace),
	searchWorkspaces,
};

/** What the node offers n8n for its dropdowns. */
export const loadOptions = { getAccounts, getPlatforms, getTargets };
