import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../../api/address';
import { listNames } from '../../../api/contract';
import { Failure, toErrorItem, toFailure } from '../../../api/errors';
import { records } from '../../../api/paging';
import { event } from '../../../api/schema';
import {
	deliveriesOf,
	eachOnce,
	missedEvent,
	type DeliveryStatus,
	type MissedEvent,
} from '../../../shared/missedEvents';
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
			: records(await item.get({ path: '/webhooks' }), listNames.webhooks).map(({ id }) => String(id));
		const statuses: DeliveryStatus[] = includeFailed ? ['dead_letter', 'failed'] : ['dead_letter'];
		const found: MissedEvent[] = [];
		for (const webhook of webhooks)
			for (const status of statuses)
				found.push(...(await missedBy(item, webhook, status, webhook === onlyWebhookId)));
		const missed = eachOnce(found);
		const taken = new Set(
			await takeUpTo(
				item,
				missed.map(({ id }) => id),
				all ? Infinity : most,
			),
		);
		const mine = missed.filter(({ id }) => taken.has(id));
		return await Promise.all(mine.map(async (one) => await withPost(item, one)));
	},
	output: event,
});

/**
 * The events of one webhook's deliveries.
 * @param isNamed the user named it; one of the list may have been deleted since
 * @throws Failure naming the parameter, where the user named one that is not there
 */
async function missedBy(
	item: ItemContext,
	webhook: string,
	status: DeliveryStatus,
	isNamed: boolean,
): Promise<MissedEvent[]> {
	try {
		const deliveries = await deliveriesOf(async (request) => await item.get(request), webhook, status);
		return deliveries.map(missedEvent).filter((one) => one !== undefined);
	} catch (error) {
		if (!(error instanceof Failure && error.details.status === 404)) throw toFailure(error);
		if (!isNamed) return [];
		throw error.with({
			message: `There is no webhook '${webhook}' in this workspace`,
			hint: "Choose another one in 'Webhook', or leave it empty for all webhooks of the workspace.",
		});
	}
}

/** Takes in order until there are enough; what is left is there for the next run. */
async function takeUpTo(item: ItemContext, ids: string[], most: number): Promise<string[]> {
	const taken: string[] = [];
	for (let at = 0; at < ids.length && taken.length < most;) {
		const part = ids.slice(at, most === Infinity ? undefined : at + most - taken.length);
		taken.push(...(await item.claimUnprocessed(part)));
		at += part.length;
	}
	return taken;
}

/** With the post as it is now; an event is not lost because its post can't be fetched. */
async function withPost(item: ItemContext, missed: IDataObject): Promise<IDataObject> {
	const postId = (missed.data as IDataObject | undefined)?.post_id;
	if (typeof postId !== 'string' || postId === '') return { ...missed, post: null };
	try {
		const post = (await item.get({ path: `/posts/${pathSegment(postId, 'Post')}` })) as IDataObject;
		return { ...missed, post };
	} catch (error) {
		const details =
			error instanceof Failure ? toErrorItem(error.details) : { message: (error as Error).message };
		return { ...missed, post: null, post_error: details };
	}
}
