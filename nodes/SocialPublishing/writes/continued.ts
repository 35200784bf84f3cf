import { difference, map, uniqBy } from 'lodash';

import { refusal, type Failure } from '../../api/failure';
import { titleOf } from '../../api/contract';
import { readPost } from '../../api/records';
import type { Sent } from './journal';

/** An account of a platform; without an ID it may be any of them. */
export type Destination = { platform: string; accountId?: string };

export interface NamedDestination extends Destination {
	/** As the user gave it, in one spelling. */
	name: string;
}

/** Among the names of a request: an account that it went to. */
export const accountName = (platform: string, id: string): string => `account:${platform}:${id}`;

/** Whether two places may be the same account. */
export const mayBeSame = (one: Destination, other: Destination): boolean =>
	one.platform === other.platform &&
	(!one.accountId || !other.accountId || one.accountId === other.accountId);

/** The places that a request went to. */
export function placesOf({ record, names }: Sent): Destination[] {
	const { platforms, accountId } = readPost(record);
	return platforms.map((platform) => {
		const prefix = accountName(platform, '');
		const known = names.find((one) => one.startsWith(prefix))?.slice(prefix.length);
		return { platform, accountId: accountId ?? known };
	});
}

/**
 * The only place where a plan meets the past: which places of a row an earlier try began, by its words, else by the account's
 * ID; what is left is sent.
 * @param isByContent two accounts whose IDs differ are two posts, also where the plan names one and an earlier call the other
 * @throws Failure where what is left may be what was begun, or where a request is asked for in part
 */
export function continued<One extends NamedDestination>(
	places: readonly One[],
	begun: readonly Sent[],
	isByContent: boolean,
): { begun: Map<Sent, One[]>; left: One[] } {
	const found = new Map<Sent, One[]>();
	const left: One[] = [];
	const sentAs = (name: string): Sent | undefined => begun.find(({ names }) => names.includes(name));
	for (const place of places) {
		const { name, platform, accountId } = place;
		const sent =
			sentAs(name) ?? (accountId && platform ? sentAs(accountName(platform, accountId)) : undefined);
		if (sent) found.set(sent, [...(found.get(sent) ?? []), place]);
		else left.push(place);
	}
	for (const [sent, asked] of found) {
		const { platforms } = readPost(sent.record);
		// A request can't be divided: the service may have it.
		if (platforms.length > 1 && difference(platforms, map(asked, 'platform')).length > 0)
			throw refusal(
				'PLAN_CHANGED',
				`An earlier try sent this post to ${platforms.map(titleOf).join(' and ')} in one request, or may have sent it`,
				'To continue, choose all of these platforms. To post elsewhere, run the workflow again with only that.',
			);
	}
	const once = uniqBy(left, ({ platform, accountId, name }) =>
		accountId ? `${platform} ${accountId}` : name,
	);
	for (const place of once.filter(({ platform }) => platform)) {
		const twin = once.find((other) => other !== place && mayBeSame(other, place));
		if (twin)
			throw refusal(
				'TARGET_UNCLEAR',
				`'${place.name}' and '${twin.name}' may be the same account`,
				'Keep one of them, or choose accounts by their ID.',
			);
		const isSame = (sent: Sent, where: Destination): boolean =>
			isByContent || found.has(sent) ? mayBeSame(where, place) : where.platform === place.platform;
		const sent = begun.find((one) => placesOf(one).some((where) => isSame(one, where)));
		if (sent) throw changed(sent, place);
	}
	return { begun: found, left: once };
}

function changed({ names, record }: Sent, { name, platform }: NamedDestination): Failure {
	const { scheduledAt } = readPost(record);
	const words = names.filter((one) => !one.startsWith('account:')).join(', ');
	const when = scheduledAt ? `, scheduled for ${scheduledAt}` : '';
	return refusal(
		'PLAN_CHANGED',
		`An earlier try sent this post to ${titleOf(platform)} as '${words}'${when}, or may have sent it; '${name}' may be the same account`,
		`To continue, name it '${words}' again. To post elsewhere, run the workflow again with only that.`,
	);
}
