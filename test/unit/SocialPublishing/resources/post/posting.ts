import type { IDataObject } from 'n8n-workflow';

import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import type { PostPlan } from '../../../../../nodes/SocialPublishing/resources/post/plan';
import { continued } from '../../../../../nodes/SocialPublishing/writes/continued';
import type { Sent } from '../../../../../nodes/SocialPublishing/writes/write';
import { NOW, planOf, sendOf, type Given } from '../operations';

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
export const bodies = async (given: IDataObject, more?: Given) =>
	(await send(given, more)).written.map(({ body }) => body!);

export const quick: Given = { item: { postFormat: 'quickStart' } };
export const textFor = (platform: string, text = 'Dear all') => ({
	options: { platformText: { texts: [{ platform, text }] } },
});

/** An earlier try sent these. */
export const before = (...sent: Array<Partial<Sent>>): Given => ({
	item: { continued: (_asked, places) => continued(places, sent as Sent[], false) },
});
export const sentTo = (platform: string, more: Partial<Sent> = {}): Partial<Sent> => ({
	...{ path: '/posts', names: [platform], state: 'succeeded', workspaceId: '' },
	...{ record: { platform }, entry: {} as Sent },
	...more,
});
