import mapValues from 'lodash/mapValues';

import { searchWorkspaces } from '../../shared/workspaces';
import { getAccounts, getPlatforms, getTargets } from './accounts';
import { inboxItems } from './inboxItems';
import { searchOpenPosts, searchPosts, searchPublishedPosts } from './posts';
import { searchIn } from './search';
import type { LookupSource } from './source';
import { webhooks } from './webhooks';

/** The lists that locators pick from, by the locator's search method. */
const sources: Readonly<Record<string, LookupSource>> = {
	searchInboxItems: inboxItems,
	searchWebhooks: webhooks,
};

/** What the node offers n8n for its locators. Posts are searched page by page. */
export const listSearch = {
	...mapValues(sources, searchIn),
	searchOpenPosts,
	searchPosts,
	searchPublishedPosts,
	searchWorkspaces,
};

/** What the node offers n8n for its dropdowns. */
export const loadOptions = { getAccounts, getPlatforms, getTargets };
