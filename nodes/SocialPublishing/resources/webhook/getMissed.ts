import type { IDataObject } from 'n8n-workflow';

import { Failure, toErrorItem } from '../../../api/errors';
import { records } from '../../../api/paging';
import { event } from '../../../api/schema';
import { limit, returnAll } from '../fields';
import type { ItemContext } from '../../engine/operation';
import { operation } from '../../engine/operation';

/**
 * Spec, "Delivery and retry rules" 4: a dead letter "is not retried and not replayable; the receiver reconciles by
 * re-fetching the resource". Hands each missed event on once, with the post as it is now.
 */
export const getMissed = operation({
	name: 'Get Missed Events',
	value: 'getMissed',
	action: 'Get missed events of webhooks',
	description:
		'Retrieve events that the service could not deliver, each one once over all runs of the workflow, with the post as it is now',
	method: 'GET',
	fields: [
		returnAll,
		limit,
		{
			displayName: 'Include Failed',
			name: 'includeFailed',
			type: 'boolean',
			default: false,
			description:
				'Whether to also hand on what the service is still trying to deliver. The trigger may then get the same event later, with the same ID.',
		},
		{
			displayName: 'Webhook',
			name: 'onlyWebhookId',
			type: 'resourceLocator',
			default: { mode: 'list', value: '' },
			description: 'Whose deliveries to look at. Leave empty for all webhooks of the workspace.',
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					typeOptions: { searchListMethod: 'searchWebhooks', searchable: true },
				},
				{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. wh_2k9d4s' },
			],
		},
	],
	run: async (item, { returnAll: all, limit: most, includeFailed, onlyWebhookId }) => {
		const webhooks = onlyWebhookId
			? [onlyWebhookId]
			: records(await item.get({ path: '/webhooks' })).map(({ id }) => String(id));
		const statuses = includeFailed ? ['dead_letter', 'failed'] : ['dead_letter'];
		const missed = new Map<string, IDataObject>();
		for (const webhook of webhooks)
			for (const status of statuses)
				for (const delivery of await deliveries(item, webhook, status)) {
					const one = eventOf(delivery);
					if (one && !missed.has(one.id as string)) missed.set(one.id as string, one);
				}
		const oldestFirst = [...missed.values()].sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
		const taken = await takeUpTo(
			item,
			oldestFirst.map(({ id }) => id as string),
			all ? Infinity : most,
		);
		return await Promise.all(taken.map(async (id) => await withPost(item, missed.get(id)!)));
	},
	output: event,
});

/** The deliveries of one webhook; one that was deleted meanwhile has none. */
async function deliveries(item: ItemContext, webhook: string, status: string): Promise<IDataObject[]> {
	try {
		return records(
			await item.get({ path: `/webhooks/${encodeURIComponent(webhook)}/deliveries`, qs: { status } }),
		);
	} catch (error) {
		if (error instanceof Failure && error.details.status === 404) return [];
		throw asItIs(error);
	}
}

/** The event of a delivery record, whose fields the spec does not show; undefined where it does not even name one. */
export function eventOf(delivery: IDataObject): IDataObject | undefined {
	const whole = [delivery.event, delivery.payload, delivery.body]
		.map(objectOf)
		.find((one) => one?.id && one.type);
	const { event_id, event_type, occurred_at, created_at, status, attempts, last_error, webhook_id } =
		delivery;
	const id = whole?.id ?? event_id ?? (delivery.eventId as string | undefined);
	if (typeof id !== 'string' || id === '') return undefined;
	const type = whole?.type ?? event_type ?? delivery.event ?? null;
	return {
		...(whole ?? { id, type, occurred_at: occurred_at ?? created_at ?? null }),
		recovered: true,
		delivery: JSON.parse(JSON.stringify({ status, attempts, last_error, webhook_id })) as IDataObject,
	};
}

function objectOf(value: unknown): IDataObject | undefined {
	if (typeof value !== 'string')
		return typeof value === 'object' ? ((value ?? undefined) as IDataObject) : undefined;
	try {
		return objectOf(JSON.parse(value));
	} catch {
		return undefined;
	}
}

const timeOf = ({ occurred_at }: IDataObject): string => String(occurred_at ?? '');

/** Takes in order until there are enough; what is left is there for the next run. */
async function takeUpTo(item: ItemContext, ids: string[], most: number): Promise<string[]> {
	const taken: string[] = [];
	for (let at = 0; at < ids.length && taken.length < most;) {
		const part = ids.slice(at, most === Infinity ? undefined : at + most - taken.length);
		taken.push(...(await item.takeOnce(part)));
		at += part.length;
	}
	return taken;
}

/** With the post as it is now; an event is not lost because its post can't be fetched. */
async function withPost(item: ItemContext, missed: IDataObject): Promise<IDataObject> {
	const postId = (missed.data as IDataObject | undefined)?.post_id;
	if (typeof postId !== 'string' || postId === '') return { ...missed, post: null };
	try {
		const post = (await item.get({ path: `/posts/${encodeURIComponent(postId)}` })) as IDataObject;
		return { ...missed, post };
	} catch (error) {
		const details =
			error instanceof Failure ? toErrorItem(error.details) : { message: (error as Error).message };
		return { ...missed, post: null, post_error: details };
	}
}

const asItIs = (error: unknown): Error => error as Error;
