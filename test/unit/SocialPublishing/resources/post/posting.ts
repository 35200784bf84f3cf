import { map } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../../../../../nodes/SocialPublishing/engine/item';
import type { CommonOptions } from '../../../../../nodes/SocialPublishing/engine/options';
import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import type { PostPlan } from '../../../../../nodes/SocialPublishing/resources/post/plan';
import { continued } from '../../../../../nodes/SocialPublishing/writes/continued';
import type { Sent } from '../../../../../nodes/SocialPublishing/writes/journal';
import { fakeItem, NOW, paramsOf, planOf, sendOf, type Given } from '../operations';

/** What tests of *Post: Create* share: a post to X that says "Hi", at once, unless they say something else. */

export function useNow(): void {
	beforeEach(() => void jest.useFakeTimers({ now: NOW }));
	afterEach(() => void jest.useRealTimers());
}

const accounts = [
	{ id: 'acc_1', platform: 'Twitter', name: 'Plum' },
	{ id: 'acc_2', platform: 'linkedin', name: 'Plum Ltd' },
	...['facebook', 'tiktok', 'youtube', 'instagram'].map((platform) => ({ id: `acc_${platform}`, platform })),
].map((one) => ({ ...one, status: 'connected' }));
export const whole = (given: IDataObject) => ({ when: 'now', platforms: ['x'], text: 'Hi', ...given });
export const connected = (more: Given = {}): Given => ({
	...more,
	answers: { '/accounts': accounts, ...more.answers },
});
export const send = async (given: IDataObject, more?: Given) =>
	await sendOf<PostPlan>(create, whole(given), connected(more));
export const plan = async (given: IDataObject, more?: Given) =>
	(await planOf<PostPlan>(create, whole(given), connected(more))).plan;
/** The plans of the rows of one run, and what is wrong with each. */
export async function check(rows: IDataObject[], more?: Given) {
	const { context, asked } = fakeItem(connected(more));
	const planned = rows.map(async (row, index) => {
		const { previewOnly = false, workspaceId = '' } = (row.options ?? {}) as CommonOptions;
		const once: Item['once'] = async (name, make) => await context.once(name + workspaceId, make);
		const item = { ...context, index, previewOnly, workspaceId, once } as unknown as Item;
		return (await create.plan!(paramsOf(create, whole(row)), item)) as PostPlan;
	});
	const plans = await Promise.all(planned);
	await create.check!(plans as never);
	const requests = map(plans, 'requests').flat();
	return { plans, failures: map(plans, 'failure.message'), requests, asked };
}
export const bodies = async (given: IDataObject, more?: Given) =>
	(await send(given, more)).written.map(({ body }) => body!);

export const quick: Given = { item: { postFormat: 'quickStart' } };
export const textFor = (platform: string, text = 'Dear all') => ({
	options: { platformText: { texts: [{ platform, text }] } },
});

/** An earlier try sent these. */
export const before = (...sent: Array<Partial<Sent>>): Given => ({
	writer: { continued: (_item, _asked, places) => continued(places, sent as Sent[], false) },
});
export const sentTo = (platform: string, more: Partial<Sent> = {}): Partial<Sent> => ({
	...{ path: '/posts', names: [platform], state: 'succeeded', workspaceId: '' },
	...{ record: { platform }, entry: {} as Sent },
	...more,
});
