import type { IDataObject } from 'n8n-workflow';

import { Failure, type Outcome } from '../../../../nodes/api/errors';
import {
	resolveNames,
	withNames,
	withPlaceholders,
} from '../../../../nodes/SocialPublishing/engine/nameResolution';
import type { Operation } from '../../../../nodes/SocialPublishing/engine/operation';
import type { LookupSource } from '../../../../nodes/SocialPublishing/lookups/source';
import { webhookId } from '../../../../nodes/SocialPublishing/lookups/webhooks';

const operation = { method: 'GET', fields: [webhookId], options: [] } as unknown as Operation;
const records: Record<string, IDataObject[]> = {
	'/webhooks': [
		{ id: 'wh_1', description: 'Posts' },
		{ id: 'wh_2', description: 'New posts' },
	],
	'/workspaces': [{ id: 'ws_1', name: 'Main street' }],
};
const params = (webhook: string, workspaceId?: string) => ({
	webhookId: webhook,
	text: 'Hello',
	options: { maxRetryWait: 1, ...(workspaceId === undefined ? {} : { workspaceId }) },
});
const failure = (status: number, code = `OF_${status}`) =>
	new Failure({ code, message: 'no', hint: 'as it was', status });

/** The lists that are asked for, in order. */
let listed: string[];
beforeEach(() => (listed = []));
const list = async ({ path }: LookupSource) => (listed.push(path), records[path]!);

test('for checks a name is replaced in a copy; an ID stays', () => {
	const byId = params('wh_1', 'ws_1');
	expect(withPlaceholders(operation, byId)).toBe(byId);
	const byName = params('New posts', 'Main street');
	expect(withPlaceholders(operation, byName)).toEqual(params('name', 'name'));
	expect(byName).toEqual(params('New posts', 'Main street'));
});

test('what cannot be an ID is looked up, the workspace first', async () => {
	const byName = params('New posts', 'Main street');
	await resolveNames(operation, byName, list);
	expect([byName, listed]).toEqual([params('wh_2', 'ws_1'), ['/workspaces', '/webhooks']]);
	await resolveNames(operation, params('Posts'), list);
	expect(listed).toHaveLength(2);
});

describe('what may be an ID', () => {
	/** Works on an item: what comes of it in the first and in the second try, and with which parameters. */
	async function worked(given: IDataObject, tries: Outcome[][], asked: typeof list = list) {
		const seen: unknown[] = [];
		const { outcomes } = await withNames(operation, given, asked, async () => {
			seen.push(given.webhookId);
			return { outcomes: tries[seen.length - 1]! };
		});
		return { outcomes, seen };
	}
	const done = [{ id: 'wh_1' }];

	test('is looked up where the service does not know it, and asked for again', async () => {
		const { outcomes, seen } = await worked(params('Posts'), [[failure(404)], done]);
		expect([outcomes, seen, listed]).toEqual([done, ['Posts', 'wh_1'], ['/webhooks']]);
	});

	test('a workspace, where the service has none of this ID', async () => {
		const unknown = failure(403, 'PUBLIC_API_WORKSPACE_FORBIDDEN');
		const { outcomes } = await worked(params('wh_1', 'Main'), [[unknown]]);
		expect((outcomes[0] as Failure).details.hint).toMatch(/^The closest are: Main street \(ws_1\)/);
		expect(listed).toEqual(['/workspaces']);
	});

	test.each<[string, IDataObject, Outcome[]]>([
		['what was done', params('Posts'), done],
		['another failure', params('Posts'), [failure(403)]],
		['one of several that failed', params('Posts'), [...done, failure(404)]],
		['several of which one failed first', params('Posts'), [failure(404), ...done]],
		['a workspace that is not found', params('', 'ws_2'), [failure(404)]],
	])('%s: not looked up', async (_what, given, outcomes) => {
		expect(await worked(given, [outcomes])).toEqual({ outcomes, seen: [given.webhookId] });
		expect(listed).toEqual([]);
	});

	test('the failure stays where the ID is listed all the same, or the list does not come', async () => {
		const outcomes = [failure(404)];
		expect((await worked(params('wh_1'), [outcomes])).outcomes).toEqual(outcomes);
		const away = async () => await Promise.reject(new Error('away'));
		expect((await worked(params('Posts'), [outcomes], away)).outcomes).toBe(outcomes);
	});
});
