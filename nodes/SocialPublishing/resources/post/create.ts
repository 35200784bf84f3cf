import type { IDataObject } from 'n8n-workflow';

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
		const texts = targets.map((target) => ({ ...target, text: own.get(target.platform) ?? text }));
		if (sources.mediaFrom === 'none' && texts.some((one) => one.text === ''))
			throw refusal('PARAMETER_EMPTY', "'Text' is empty", 'Write a text, or add media to the post.');
		const media = await mediaOf(item, sources);
		const posts = texts.map((one) => ({ ...one, media: media.urls }));
		const bodies = item.postFormat === 'quickStart' ? together(posts, at) : apart(posts, at);
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
	body: IDataObject;
	/** Stands for the body in keys of mode `content`. */
	content?: IDataObject;
}

/** What one platform or account gets. */
type PlannedPost = Target & { text: string; media: string[] };

const platformTargets = (platforms: string[]): Target[] =>
	[...new Set(platforms.map(canonicalPlatform))].map((platform) => ({ platform }));

/** The platform of each account comes from the service; an account may be given by name or @handle. */
async function accountTargets(item: ItemContext, wanted: string[]): Promise<Target[]> {
	const list = await item.list(accountSource);
	const ids = wanted.map((one) => findId(list, one, accountSource, 'Account Names or IDs'));
	return [...new Set(ids)].map((accountId) => ({
		platform: canonicalPlatform(String(list.find(({ id }) => String(id) === accountId)?.platform)),
		accountId,
	}));
}

/** Integration guide: one request for each target. */
const apart = (posts: PlannedPost[], scheduledAt?: string): Planned[] =>
	posts.map(({ platform, accountId, text, media }) => ({
		part: accountId ? `${platform}:${accountId}` : platform,
		body: {
			platform,
			...(accountId ? { account_id: accountId } : {}),
			...contentBody('integrationGuide', { text: text || undefined, media, scheduledAt }),
		},
	}));

/** Quick start: one request for all that say the same; an account or a text of its own needs a request of its own. */
function together(posts: PlannedPost[], scheduledAt?: string): Planned[] {
	const groups = new Map<string, typeof posts>();
	for (const one of posts) {
		const group = JSON.stringify([one.text, one.accountId ?? '']);
		groups.set(group, [...(groups.get(group) ?? []), one]);
	}
	return [...groups.values()].map((group) => {
		const { accountId, text, media } = group[0]!;
		const platforms = group.map(({ platform }) => platform);
		return {
			part: groups.size > 1 ? (accountId ?? platforms.join('+')) : '',
			body: {
				platforms,
				...(accountId ? { account_id: accountId } : {}),
				...contentBody('quickStart', { text: text || undefined, media, scheduledAt }),
			},
		};
	});
}

/** One request; what fails says for which platform. */
async function send(
	item: ItemContext,
	{ part, body, content }: Planned,
	check?: () => void,
): Promise<Outcome> {
	const platform = String(body.platform ?? (body.platforms as string[]).join(', '));
	let sent = body;
	try {
		const answer = await item.write({
			path: '/posts',
			body,
			content,
			part,
			check,
			sent: (frozen) => {
				sent = frozen;
			},
		});
		return {
			platform,
			...answer,
			...times(answer.scheduled_at ?? sent.scheduled_at ?? sent.schedule_at, item.zone),
		};
	} catch (error) {
		const failure: Failure = toFailure(error);
		return failure.with({ platform });
	}
}
