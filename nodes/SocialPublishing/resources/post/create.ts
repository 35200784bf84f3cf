import groupBy from 'lodash/groupBy';
import type { IDataObject } from 'n8n-workflow';

import type { PostFormat } from '../../../api/contract';
import { Failure, refusal, toFailure, type Outcome } from '../../../api/errors';
import { createdPost } from '../../../api/schema';
import { accounts as accountSource } from '../../lookups/accounts';
import { findId } from '../../lookups/names';
import { binaryFields, mediaOf, mediaUrls, optionalMedia } from '../../media/fields';
import { operation, type ItemContext } from '../../engine/operation';
import { canonicalPlatform } from '../../../api/platforms';
import { amount, plan, times, unit } from './schedule';
import { DEFAULT_WAIT, waitForPublication, waitTimeout } from './wait';
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
			typeOptions: { loadOptionsMethod: 'getPlatforms', loadOptionsDependsOn: ['options.workspaceId'] },
			default: [],
			required: true,
			displayOptions: { show: { postTo: ['platforms'] } },
			description:
				'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
			hint: 'An expression may give several: instagram, x',
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
			placeholder: 'e.g. Fresh plum jam is on the shelf',
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
		optionalMedia,
		binaryFields,
		mediaUrls,
	],
	options: [
		{
			displayName: 'Delay',
			name: 'delay',
			type: 'fixedCollection',
			default: {},
			placeholder: 'Add Delay',
			description: 'Publish so much later than now, instead of at a fixed time in Scheduled At',
			options: [{ displayName: 'Delay', name: 'time', values: [amount, unit] }],
		},
		{
			displayName: 'Spacing',
			name: 'spacing',
			type: 'fixedCollection',
			default: {},
			placeholder: 'Add Spacing',
			description:
				'Publish each item so much later than the one before, counted from Scheduled At, Delay or now',
			options: [{ displayName: 'Spacing', name: 'time', values: [amount, unit] }],
		},
		waitForPublication,
		waitTimeout,
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
	run: async (item, { postTo, platforms, accounts, text, scheduledAt, options, ...sources }) => {
		const targets = postTo === 'accounts' ? await accountTargets(item, accounts) : platformTargets(platforms);
		const own = new Map(
			(options.platformText?.texts ?? []).map((one) => [canonicalPlatform(one.platform), one.text]),
		);
		const schedule = plan({ scheduledAt, delay: options.delay?.time, spacing: options.spacing?.time }, item);
		const at = schedule?.utc;
		const texts = targets.map((target) => ({
			...target,
			text: own.get(target.platform) ?? text,
			hasOwnText: own.has(target.platform),
		}));
		if (sources.mediaFrom === 'none' && texts.some((one) => one.text === ''))
			throw refusal('PARAMETER_EMPTY', "'Text' is empty", 'Write a text, or add media to the post.');
		const media = await mediaOf(item, sources);
		const posts = texts.map((one) => ({ ...one, media: media.urls }));
		const groups = await grouped(item, posts);
		const bodies = groups.map((group) => planned(item.postFormat, group, groups.length, at));
		return await Promise.all(
			bodies.map(
				async (one): Promise<Outcome> =>
					await send(item, { ...one, content: media.stable(one.body) }, schedule?.check),
			),
		);
	},
	after: async (item, outcomes, { options: { waitForPublication: wait, waitTimeout: seconds } }) =>
		wait ? await Promise.all(outcomes.map(async (one) => await published(item, one, seconds))) : outcomes,
	output: createdPost,
});

/** The post once it is published, or what became of it instead. */
async function published(item: ItemContext, outcome: Outcome, seconds = DEFAULT_WAIT): Promise<Outcome> {
	if (outcome instanceof Failure || typeof outcome.id !== 'string') return outcome;
	try {
		const known = await item.waitFor(outcome.id, {
			waitFor: 'completed',
			timeout: seconds * 1000,
			known: outcome,
		});
		return { ...outcome, ...known };
	} catch (error) {
		return toFailure(error).with({
			platform: String(outcome.platform),
			idempotency_key: outcome.idempotency_key as string,
		});
	}
}

interface Target {
	platform: string;
	accountId?: string;
}

interface Planned {
	/** Tells this request from the item's others; '' where the item has one request for all platforms. */
	part: string;
	/** The platforms or the account that it is for. */
	targets: string[];
	body: IDataObject;
	/** Stands for the body in keys of mode `content`. */
	content?: IDataObject;
}

/** What one platform or account gets. */
type PlannedPost = Target & { text: string; media: string[]; hasOwnText: boolean };

const targetOf = ({ platform, accountId }: Target): string => accountId ?? platform;

const platformTargets = (platforms: string[]): Target[] =>
	[...new Set(platforms.map(canonicalPlatform))].map((platform) => ({ platform }));

/**
 * The platform of each account comes from the service; an account may be given by name or @handle.
 * @throws Failure where the service says no platform
 */
async function accountTargets(item: ItemContext, wanted: string[]): Promise<Target[]> {
	const list = await item.list(accountSource);
	const ids = wanted.map((one) => findId(list, one, accountSource, 'Account Names or IDs'));
	return [...new Set(ids)].map((accountId) => {
		const platform = list.find(({ id }) => String(id) === accountId)?.platform;
		if (typeof platform !== 'string' || platform === '')
			throw refusal(
				'ACCOUNT_PLATFORM',
				`The service does not say on which platform the account ${accountId} is`,
				"Set 'Post To' to 'Platforms' and choose the platform there.",
			);
		return { platform: canonicalPlatform(platform), accountId };
	});
}

/**
 * Which posts share a request: what an earlier try may have sent together stays together. Otherwise, in the integration
 * guide's form, one each; in the quick start's, all but accounts and platforms with a text of their own, whatever it says.
 */
async function grouped(item: ItemContext, posts: PlannedPost[]): Promise<PlannedPost[][]> {
	const earlier = await item.sentBefore({ path: '/posts', targets: posts.map(targetOf) });
	const groups = groupBy(posts, (post) => {
		const before = earlier.findIndex((targets) => targets.includes(targetOf(post)));
		if (before >= 0) return `earlier ${before}`;
		return item.postFormat === 'quickStart' && !post.accountId && !post.hasOwnText
			? 'shared'
			: targetOf(post);
	});
	return Object.values(groups);
}

/** The request of a group; the part of an item's only one in the quick start's form is ''. */
function planned(format: PostFormat, group: PlannedPost[], groups: number, scheduledAt?: string): Planned {
	const { platform, accountId, text, media } = group[0]!;
	const platforms = group.map((post) => post.platform);
	const isQuick = format === 'quickStart';
	const names = accountId && !isQuick ? `${platform}:${accountId}` : (accountId ?? platforms.join('+'));
	return {
		part: isQuick && groups === 1 ? '' : names,
		targets: group.map(targetOf),
		body: {
			...(isQuick ? { platforms } : { platform }),
			...(accountId ? { account_id: accountId } : {}),
			...contentBody(format, { text: text || undefined, media, scheduledAt }),
		},
	};
}

/** One request; what fails says for which platform. */
async function send(item: ItemContext, request: Planned, check?: () => void): Promise<Outcome> {
	let sent: IDataObject | undefined = request.body;
	const platform = (): string => {
		const { platform: one, platforms } = sent ?? request.body;
		return Array.isArray(platforms) ? platforms.join(', ') : String(one);
	};
	try {
		const answer = await item.write({
			...request,
			path: '/posts',
			check,
			sent: (body) => {
				sent = body;
			},
		});
		return {
			platform: platform(),
			...answer,
			...times(answer.scheduled_at ?? sent?.scheduled_at ?? sent?.schedule_at, item.zone),
		};
	} catch (error) {
		return toFailure(error).with({ platform: platform() });
	}
}
