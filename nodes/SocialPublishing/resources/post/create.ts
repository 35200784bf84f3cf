import type { IDataObject } from 'n8n-workflow';

import { Failure, refusal } from '../../../api/errors';
import { post } from '../../../api/schema';
import { accounts as accountDirectory } from '../../directories';
import { findId } from '../../names';
import { operation, type Item, type Outcome } from '../../operation';
import { toFailure } from '../../partial';
import { canonicalPlatform } from '../../platforms';
import { toFutureUtc } from '../../time';
import { contentBody } from './content';

/** Spec: `POST /posts`; one request a platform in the integration-guide shape, one for all in the quick-start shape. */
export const create = operation({
	name: 'Create',
	value: 'create',
	action: 'Create post',
	description: 'Publish a post now or schedule it, on one or more platforms',
	method: 'POST',
	parallel: true,
	fields: [
		{
			displayName: 'Post To',
			name: 'postTo',
			type: 'options',
			default: 'platforms',
			description: 'How to say where the post goes',
			options: [
				{ name: 'Accounts', value: 'accounts', description: 'Choose connected accounts' },
				{
					name: 'Platforms',
					value: 'platforms',
					description: 'Choose platforms; the service takes the account that is connected',
				},
			],
		},
		{
			displayName: 'Platform Names or IDs',
			name: 'platforms',
			type: 'multiOptions',
			typeOptions: { loadOptionsMethod: 'getPlatforms' },
			default: [],
			required: true,
			displayOptions: { show: { postTo: ['platforms'] } },
			description:
				'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
			hint: 'Several may be given as text, separated by commas: instagram, x',
		},
		{
			displayName: 'Account Names or IDs',
			name: 'accounts',
			type: 'multiOptions',
			typeOptions: { loadOptionsMethod: 'getAccounts', loadOptionsDependsOn: ['options.workspaceId'] },
			default: [],
			required: true,
			displayOptions: { show: { postTo: ['accounts'] } },
			description:
				'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		},
		{
			displayName: 'Text',
			name: 'text',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			description: 'What the post says',
		},
		{
			displayName: 'Scheduled At',
			name: 'scheduledAt',
			type: 'dateTime',
			default: '',
			description: 'When to publish. Leave empty to give no schedule.',
			hint: 'In the time zone of the workflow unless it has an offset',
		},
	],
	options: [
		{
			displayName: 'Text per Platform',
			name: 'platformText',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			default: {},
			placeholder: 'Add Text',
			description: 'Another text for some of the platforms',
			options: [
				{
					displayName: 'Text',
					name: 'texts',
					values: [
						{
							displayName: 'Platform',
							name: 'platform',
							type: 'string',
							default: '',
							placeholder: 'e.g. linkedin',
							description: 'Platform that gets this text',
						},
						{
							displayName: 'Text',
							name: 'text',
							type: 'string',
							typeOptions: { rows: 3 },
							default: '',
							description: 'Text for this platform',
						},
					],
				},
			],
		},
	],
	run: async (item, { postTo, platforms, accounts, text, scheduledAt, options }) => {
		const targets = postTo === 'accounts' ? await accountTargets(item, accounts) : platformTargets(platforms);
		const own = new Map(
			(options.platformText?.texts ?? []).map((one) => [canonicalPlatform(one.platform), one.text]),
		);
		const at = scheduledAt ? toFutureUtc(scheduledAt, item.zone, 'Scheduled At', item.now) : undefined;
		const posts = targets.map((target) => ({ ...target, text: own.get(target.platform) ?? text }));
		if (posts.some((one) => one.text === ''))
			throw refusal('PARAMETER_EMPTY', "'Text' is empty", 'Write a text, or add media to the post.');
		const bodies = item.postFormat === 'quickStart' ? together(posts, at) : apart(posts, at);
		return await Promise.all(bodies.map(async (one): Promise<Outcome> => await send(item, one)));
	},
	output: post,
});

interface Target {
	platform: string;
	accountId?: string;
}

interface Planned {
	/** Tells this request from the item's others; '' where the item has one request for all platforms. */
	part: string;
	body: IDataObject;
}

const platformTargets = (platforms: string[]): Target[] =>
	[...new Set(platforms.map(canonicalPlatform))].map((platform) => ({ platform }));

/** The platform of each account comes from the service; an account may be given by name or @handle. */
async function accountTargets(item: Item, wanted: string[]): Promise<Target[]> {
	const list = await item.accounts();
	const ids = wanted.map((one) => findId(list, one, accountDirectory, 'Account Names or IDs'));
	return [...new Set(ids)].map((accountId) => ({
		platform: canonicalPlatform(String(list.find(({ id }) => String(id) === accountId)?.platform)),
		accountId,
	}));
}

/** Integration guide: one request for each target. */
const apart = (posts: Array<Target & { text: string }>, scheduledAt?: string): Planned[] =>
	posts.map(({ platform, accountId, text }) => ({
		part: accountId ? `${platform}:${accountId}` : platform,
		body: {
			platform,
			...(accountId ? { account_id: accountId } : {}),
			...contentBody('integrationGuide', { text, scheduledAt }),
		},
	}));

/** Quick start: one request for all that say the same; an account or a text of its own needs a request of its own. */
function together(posts: Array<Target & { text: string }>, scheduledAt?: string): Planned[] {
	const groups = new Map<string, typeof posts>();
	for (const one of posts) {
		const group = JSON.stringify([one.text, one.accountId ?? '']);
		groups.set(group, [...(groups.get(group) ?? []), one]);
	}
	return [...groups.values()].map((group) => {
		const { accountId, text } = group[0]!;
		const platforms = group.map(({ platform }) => platform);
		return {
			part: groups.size > 1 ? (accountId ?? platforms.join('+')) : '',
			body: {
				platforms,
				...(accountId ? { account_id: accountId } : {}),
				...contentBody('quickStart', { text, scheduledAt }),
			},
		};
	});
}

/** One request; what fails says for which platform. */
async function send(item: Item, { part, body }: Planned): Promise<Outcome> {
	const platform = String(body.platform ?? (body.platforms as string[]).join(', '));
	try {
		return { platform, ...(await item.write({ path: '/posts', body, part })) };
	} catch (error) {
		const failure: Failure = toFailure(error);
		return failure.with({ platform });
	}
}
