import { keyBy } from 'lodash';
import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';

import { readAnswer } from '../../../../../nodes/api/answers';
import { Failure } from '../../../../../nodes/api/failure';
import type { ReadRequest as Request } from '../../../../../nodes/SocialPublishing/engine/item';
import { checkHealth } from '../../../../../nodes/SocialPublishing/resources/workspace/checkHealth';
import { fakeItem, NOW, paramsOf } from '../operations';

export const DAY_MS = 86_400_000;
export const HOUR_MS = DAY_MS / 24;
export const iso = (ms: number) => new Date(NOW + ms).toISOString();

/** What the service lists, or a function of the request; where the check asks for deliveries or one kind of posts, by that. */
export type Lists = Partial<
	Record<'accounts' | 'overdue' | 'due' | 'failed' | 'webhooks' | 'deliveries' | 'approvals', unknown>
>;
export const names = ['accounts', 'overdue', 'due', 'failed', 'webhooks', 'deliveries', 'approvals'] as const;

export const account = { id: 'acc_x', platform: 'x', name: 'Lakeside', status: 'connected' };
export const off = { ...account, status: 'disconnected' };
export const webhook = { id: 'wh_1', url: 'https://n8n.example.com/a', status: 'active' };
export const post = (id: string, dueMs: number, more: IDataObject = {}): IDataObject => ({
	...{ id, status: 'scheduled', platform: 'x', text: `Text of ${id}`, scheduled_at: iso(dueMs) },
	...more,
});
const healthy: Lists = { accounts: [account], webhooks: [webhook] };

const endpointOf = ({ path, qs = {} }: Request): (typeof names)[number] => {
	if (path === '/posts')
		return qs.status === 'failed' ? 'failed' : String(qs.to) > iso(0) ? 'due' : 'overdue';
	return path.endsWith('/deliveries') ? 'deliveries' : (path.slice(1) as 'accounts');
};

/** Runs the operation against answers as they come over HTTP; a list is wrapped in the envelope. */
export async function checked(lists: Lists, days = 7) {
	const asked: Request[] = [];
	const get = async (request: Request) => {
		asked.push(request);
		const given = { ...healthy, ...lists }[endpointOf(request)] ?? [];
		const listed = typeof given === 'function' ? given(request) : given;
		if (listed instanceof Failure) throw listed;
		const response = Array.isArray(listed) ? { body: { success: true, data: listed } } : (listed as object);
		const full = { statusCode: 200, headers: {}, ...response } as IN8nHttpFullResponse;
		const answer = readAnswer(full, {}, 'https://api.example.com/v1', { method: 'GET', ...request });
		if (answer instanceof Failure) throw answer;
		return await Promise.resolve(answer);
	};
	const { context } = fakeItem({ item: { get } });
	const items = (await checkHealth.run!(context, paramsOf(checkHealth, { days }))) as IDataObject[];
	return { items, asked, ...({ by: keyBy(items, 'check') } as { by: Record<string, any> }) };
}
