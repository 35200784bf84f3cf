import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { inboxItems, listSearch, loadOptions, webhooks } from '../../../nodes/SocialPublishing/lookups';
import { editor } from './lookups/fakes';

/** In n8n's editor: "the lists of the editor", test/e2e/editor.test.ts. */

const paths: Record<string, string> = {
	...{ searchInboxItems: '/inbox', searchWebhooks: '/webhooks', searchWorkspaces: '/workspaces' },
	...{ searchOpenPosts: '/posts', searchPosts: '/posts', searchPublishedPosts: '/posts' },
	...{ getAccounts: '/accounts', getPlatforms: '/accounts', getTargets: '/accounts' },
};
const methods: Record<string, (this: ILoadOptionsFunctions) => Promise<unknown>> = {
	...listSearch,
	...loadOptions,
};

test.each(Object.entries(methods))(
	"%s asks for its list; what fails shows the service's message",
	async (name, method) => {
		const { context, asked } = editor(() => []);
		await method.call(context);
		expect(asked[0]!.path).toBe(paths[name]);
		// Platforms are known without the service.
		if (name === 'getPlatforms' || name === 'getTargets') return;
		const failing = editor(() => ({ code: 'PUBLIC_API_SCOPE_FORBIDDEN', status: 403, message: 'Ask.' }));
		const said = { name: 'NodeApiError', message: expect.stringContaining('Ask.') };
		await expect(method.call(failing.context)).rejects.toMatchObject(said);
	},
);

const address = 'https://a.example';
test.each([
	[inboxItems, { author: { name: 'Ann' }, text: 'Nice\njam', platform: 'x' }, 'Ann · Nice jam · X'],
	[inboxItems, { author: 'ann', text: 'Nice' }, 'ann · Nice'],
	[inboxItems, { author: null, platform: 'linkedin' }, 'LinkedIn'],
	[webhooks, { description: 'Newsroom', url: address }, `Newsroom · ${address}`],
	[webhooks, { description: null, url: address }, address],
])('$path: %j is shown as %s', ({ label }, record, shown) => expect(label(record)).toBe(shown));
