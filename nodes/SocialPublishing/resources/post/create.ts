import groupBy from 'lodash/groupBy';
import type { IDataObject } from 'n8n-workflow';

import type { PostFormat } from '../../../api/contract';
import { Failure, refusal, toFailure, type Outcome } from '../../../api/errors';
import { createdPost } from '../../../api/schema';
import { operation, type ItemContext } from '../../engine/operation';
import { checkMedia, countFiles, mediaOf } from '../../media/fields';
import { contentBody } from './content';
import { fields, options } from './createFields';
import { comparePreviews, previewOf } from './preview';
import { plan, times } from './schedule';
import {
	accountTargets,
	checkPlatforms,
	notConnected,
	platformTargets,
	refuseUnclear,
	type Planned,
	type PlannedPost,
	type Target,
} from './targets';
import { textsOf } from './texts';
import { DEFAULT_WAIT } from './wait';

/** Spec: `POST /posts`; one request a platform in the integration-guide shape, one for all in the quick-start shape. */
export const create = operation({
	name: 'Create',
	value: 'create',
	action: 'Publish or schedule post',
	description: 'Publish a post now or schedule it, on one or more platforms',
	method: 'POST',
	parallel: true,
	fields,
	options,
	check: ({ postTo, platforms, text, options: { platformText, ...more }, ...rest }, context) => {
		const { when, scheduledAt, delayAmount, delayUnit, ...sources } = rest;
		if (postTo === 'platforms') checkPlatforms(platforms, 'Platform Names or IDs');
		const chosen = postTo === 'platforms' && context.isFixed('platforms') ? platforms : undefined;
		const own = textsOf(platformText?.texts, chosen);
		const schedule = plan(
			{ when, scheduledAt, delayAmount, delayUnit, spacing: more.spacing?.time },
			context,
		);
		// What was sent in an earlier try may lie in the past by now; a preview tells of it.
		if (context.isFirstTry && !more.previewOnly) schedule?.check();
		checkMedia(sources, context.requireFile);
		if (postTo === 'platforms') refuseNoText(platformTargets(platforms), own, text, sources.mediaFrom);
	},
	verify: async (item, { postTo, platforms, accounts, options: { platformText } }) => {
		if (postTo === 'accounts') {
			const goesTo = (await accountTargets(item, accounts)).map(({ platform }) => platform);
			if (item.isFixed('accounts')) textsOf(platformText?.texts, goesTo);
		} else await refuseUnclear(item, platforms);
	},
	countPosts: ({ postTo, platforms, accounts }) =>
		postTo === 'accounts' ? new Set(accounts).size : platformTargets(platforms).length,
	countRequests: ({ postTo, platforms, accounts, ...sources }, postFormat) =>
		countFiles(sources) +
		(postTo === 'accounts'
			? new Set(accounts).size
			: postFormat === 'quickStart'
				? 1
				: platformTargets(platforms).length),
	run: async (item, { postTo, platforms, accounts, text, options: { platformText, ...more }, ...rest }) => {
		const { when, scheduledAt, delayAmount, delayUnit, ...sources } = rest;
		const targets = postTo === 'accounts' ? await accountTargets(item, accounts) : platformTargets(platforms);
		const own = textsOf(platformText?.texts);
		const schedule = plan({ when, scheduledAt, delayAmount, delayUnit, spacing: more.spacing?.time }, item);
		refuseNoText(targets, own, text, sources.mediaFrom);
		const media = await mediaOf(item, sources);
		const posts = targets.map((one) => ({
			...one,
			text: own.get(one.platform) ?? text,
			hasOwnText: own.has(one.platform),
			media: media.urls,
		}));
		const groups = await grouped(item, posts);
		return await Promise.all(
			groups.map(async (group): Promise<Outcome> => {
				const request = planned(item.postFormat, group, groups.length, schedule?.utc);
				// A key made of the content has the time that was asked for, also where that means now.
				const asked = planned(item.postFormat, group, groups.length, schedule?.given);
				const write = { ...request, content: media.stable(asked.body), timeMoves: schedule?.moves };
				if (!item.previewOnly) return await send(item, write, schedule?.check);
				return await previewOf(item, write, { group, schedule, isDelay: when === 'delay' });
			}),
		);
	},
	compare: comparePreviews,
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

const targetOf = ({ platform, accountId }: Target): string => accountId ?? platform;

function refuseNoText(targets: Target[], own: Map<string, string>, text: string, mediaFrom: string): void {
	if (mediaFrom === 'none' && targets.some(({ platform }) => (own.get(platform) ?? text) === ''))
		throw refusal('PARAMETER_EMPTY', "'Text' is empty", 'Write a text, or add media to the post.');
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
		const local = times(answer.scheduled_at ?? sent?.scheduled_at ?? sent?.schedule_at, item.zone);
		return inOrder({ platform: platform(), text: textOf(sent ?? {}), ...answer, ...local });
	} catch (error) {
		const names = request.body.account_id ? [] : platform().split(', ');
		return (await notConnected(item, toFailure(error), names)).with({ platform: platform() });
	}
}

/** What people look for comes first. */
const inOrder = ({ platform, status, scheduled_at_local, text, id, ...rest }: IDataObject): IDataObject => ({
	platform,
	...(status === undefined ? {} : { status }),
	...(scheduled_at_local === undefined ? {} : { scheduled_at_local }),
	...(text === undefined ? {} : { text }),
	...(id === undefined ? {} : { id }),
	...rest,
});

/** What a request says, in either body shape. */
const textOf = ({ content }: IDataObject): string | undefined => {
	const text = typeof content === 'string' ? content : (content as IDataObject | undefined)?.text;
	return typeof text === 'string' ? text : undefined;
};
