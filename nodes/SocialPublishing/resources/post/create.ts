import type { IDataObject } from 'n8n-workflow';

import { Failure, refusal, toFailure, type Outcome } from '../../../api/errors';
import { canonicalPlatform, titleOf } from '../../../api/platforms';
import { createdPost } from '../../../api/schema';
import { operation, type ItemContext } from '../../engine/operation';
import { checkMedia, mediaOf } from '../../media/fields';
import { contentBody } from './content';
import { fields, options } from './createFields';
import { plan, times, type ScheduleParams } from './schedule';
import {
	accountTargets,
	checkPlatforms,
	notConnected,
	platformTargets,
	refuseUnclear,
	type Target,
} from './targets';
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
	check: ({ postTo, platforms, text, options: { platformText, ...options }, ...rest }, context) => {
		const { when, scheduledAt, delayAmount, delayUnit, ...sources } = rest;
		if (postTo === 'platforms') checkPlatforms(platforms, 'Platform Names or IDs');
		const chosen = postTo === 'platforms' && context.isFixed('platforms') ? platforms : undefined;
		const own = textsOf(platformText?.texts, context.typeVersion, chosen);
		const wished = { when, scheduledAt, ...laterOf(when, { delayAmount, delayUnit }, options) };
		const schedule = plan(wished, context);
		// What was sent in an earlier try may lie in the past by now.
		if (context.isFirstTry) schedule?.check();
		checkMedia(sources, context.requireFile);
		if (postTo === 'platforms') refuseNoText(platformTargets(platforms), own, text, sources.mediaFrom);
	},
	verify: async (item, { postTo, platforms, accounts, options: { platformText } }) => {
		if (postTo === 'accounts') {
			const targets = await accountTargets(item, accounts);
			if (item.isFixed('accounts'))
				textsOf(
					platformText?.texts,
					item.typeVersion,
					targets.map(({ platform }) => platform),
				);
		} else if (item.typeVersion > 1) await refuseUnclear(item, platforms);
	},
	countPosts: ({ postTo, platforms, accounts }) =>
		postTo === 'accounts' ? new Set(accounts).size : platformTargets(platforms).length,
	run: async (item, { postTo, platforms, accounts, text, options: { platformText, ...more }, ...rest }) => {
		const { when, scheduledAt, delayAmount, delayUnit, ...sources } = rest;
		const targets = postTo === 'accounts' ? await accountTargets(item, accounts) : platformTargets(platforms);
		const own = textsOf(platformText?.texts, item.typeVersion);
		const schedule = plan({ when, scheduledAt, ...laterOf(when, { delayAmount, delayUnit }, more) }, item);
		refuseNoText(targets, own, text, sources.mediaFrom);
		const media = await mediaOf(item, sources);
		const posts = targets.map((one) => ({
			...one,
			text: own.get(one.platform) ?? text,
			media: media.urls,
		}));
		const bodiesAt = (at?: string): Planned[] =>
			item.postFormat === 'quickStart' ? together(posts, at) : apart(posts, at);
		// A key made of the content has the time that was asked for, also where that means now.
		const asked = bodiesAt(schedule?.given);
		return await Promise.all(
			bodiesAt(schedule?.utc).map(
				async (one, index): Promise<Outcome> =>
					await send(item, { ...one, content: media.stable(asked[index]!.body) }, schedule?.check),
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

interface Planned {
	/** Tells this request from the item's others; '' where the item has one request for all platforms. */
	part: string;
	body: IDataObject;
	/** Stands for the body in keys of mode `content`. */
	content?: IDataObject;
}

/** What one platform or account gets. */
type PlannedPost = Target & { text: string; media: string[] };

interface OwnText {
	platform: string;
	text: string;
}

/**
 * Texts of some platforms.
 * @param chosen the platforms that the post goes to, where a text for another one is a mistake
 */
function textsOf(given: OwnText[] = [], typeVersion: number, chosen?: string[]): Map<string, string> {
	const texts = given.filter(({ platform, text }) => platform !== '' || text !== '');
	if (typeVersion > 1) {
		const label = 'Text per Platform';
		checkPlatforms(
			texts.map(({ platform }) => platform),
			label,
		);
		const goesTo = chosen?.map(canonicalPlatform);
		const lost = texts.find(({ platform }) => goesTo && !goesTo.includes(canonicalPlatform(platform)));
		if (lost)
			throw refusal(
				'PLATFORM_TEXT',
				`'${label}' has a text for ${titleOf(canonicalPlatform(lost.platform)) || 'no platform'}, which the post does not go to`,
				`Choose the platform for the post, too, or remove it from '${label}'.`,
			);
	}
	return new Map(texts.map(({ platform, text }) => [canonicalPlatform(platform), text]));
}

type Later = ScheduleParams['delay'];

/** Delay and spacing: from version 1.1 on the delay stands beside *When*, before that among the options. */
const laterOf = (
	when: ScheduleParams['when'],
	{ delayAmount, delayUnit }: { delayAmount?: number; delayUnit?: string },
	{ delay, spacing }: { delay?: { time?: Later }; spacing?: { time?: Later } },
): Pick<ScheduleParams, 'delay' | 'spacing'> => ({
	delay: when === 'delay' ? { amount: delayAmount, unit: delayUnit } : when ? undefined : delay?.time,
	spacing: spacing?.time,
});

function refuseNoText(targets: Target[], own: Map<string, string>, text: string, mediaFrom: string): void {
	if (mediaFrom === 'none' && targets.some(({ platform }) => (own.get(platform) ?? text) === ''))
		throw refusal('PARAMETER_EMPTY', "'Text' is empty", 'Write a text, or add media to the post.');
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
		const local = times(answer.scheduled_at ?? sent.scheduled_at ?? sent.schedule_at, item.zone);
		return inOrder({ platform, text: textOf(sent), ...answer, ...local });
	} catch (error) {
		const names = body.account_id ? [] : platform.split(', ');
		const failure = await notConnected(item, toFailure(error), names);
		return failure.with({ platform });
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
