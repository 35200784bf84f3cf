import { countBy, findLast, trimEnd } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../api/failure';
import { iso } from '../../../api/postRange';
import type { DeliveryRecord, Subscription } from '../../../api/records';
import { withoutSecretFields, withoutSignedQueries } from '../../../api/redaction';
import { shortened } from '../../../api/texts';
import { DAY_MS } from '../time';

/** A subscription, or an address that was asked for. */
export interface Checked extends Partial<Subscription> {
	record?: IDataObject;
	/** No subscription has this address. */
	isMissing?: boolean;
	/** Addresses with the same path on other hosts. */
	elsewhere?: string[];
}

type Verdict = 'other_address' | 'not_subscribed' | 'disabled' | 'unknown' | 'failing' | 'recovering' | 'ok';

const repairs =
	"If the webhook is a published trigger's, the trigger repairs this at its next check, and recovers the deliveries that failed.";

/**
 * What is wrong: the first problem that explains why nothing arrives, what to do, and the facts.
 * @param read deliveries of the webhook, the latest last, or why they could not be read
 */
export function diagnose(checked: Checked, read: DeliveryRecord[] | Failure, now: number): IDataObject {
	const deliveries = read instanceof Failure ? [] : withoutSignedQueries(read);
	const [verdict, message, hint] = verdictOf(checked, read instanceof Failure ? read : deliveries, now);
	const { url, record, elsewhere = [] } = checked;
	const lastDelivered = findLast(deliveries, { status: 'delivered' })?.at;
	const lastFailed = findLast(deliveries, ({ status, lastError }) => status !== 'delivered' && !!lastError);
	return {
		...{ verdict, message, hint },
		url: url ? withoutSignedQueries(url) : null,
		last_error: lastFailed?.lastError ?? null,
		...(elsewhere.length > 0 ? { other_addresses: withoutSignedQueries(elsewhere) } : {}),
		...(deliveries.length > 0
			? {
					deliveries: {
						total: deliveries.length,
						by_status: countBy(deliveries, 'status'),
						last_delivered_at: lastDelivered === undefined ? null : iso(lastDelivered),
					},
				}
			: {}),
		...(record ? { webhook: withoutSignedQueries(withoutSecretFields(record)) } : {}),
	};
}

/** Later ones may be a consequence of earlier ones. */
function verdictOf(
	{ url, isMissing, elsewhere = [], isDisabled }: Checked,
	deliveries: DeliveryRecord[] | Failure,
	now: number,
): readonly [Verdict, message: string, hint: string] {
	if (elsewhere.length > 0)
		return [
			'other_address',
			`The service delivers to ${elsewhere.join(', ')}, not to this address`,
			'If n8n has a new address, set WEBHOOK_URL to it and publish the workflow again; then delete the old webhook, unless another n8n uses it.',
		];
	if (isMissing)
		return [
			'not_subscribed',
			`The service ${url ? 'has no subscription for this address' : 'has no webhooks in this workspace'}, so it sends nothing`,
			"If the trigger's workflow isn't published, publish it. If it is, the trigger subscribes again at its next check. To subscribe now, unpublish the workflow and publish it again.",
		];
	if (isDisabled)
		return ['disabled', 'The service has disabled this subscription, so it sends nothing', repairs];
	if (deliveries instanceof Failure)
		return [
			'unknown',
			`The deliveries could not be read: ${trimEnd(deliveries.message, '.')}`,
			deliveries.details.hint,
		];
	const latest = findLast(deliveries, ({ status }) => status !== 'pending');
	if (latest && latest.status !== 'delivered')
		return [
			'failing',
			`The last delivery failed${latest.lastError ? `. The service says: ${shortened(latest.lastError)}` : ''}`,
			'Check that the workflow is published, that WEBHOOK_URL is the address at which the service reaches n8n, and what the reverse proxy, tunnel or firewall in front of n8n says. If n8n refuses the signature (401), unpublish the workflow and publish it again.',
		];
	// What is older was recovered before, or is lost.
	const missed = deliveries.filter(
		({ status, at = 0 }) => status === 'failed' || (status === 'dead_letter' && at >= now - DAY_MS),
	);
	if (missed.length > 0)
		return ['recovering', `Deliveries arrive, but ${missed.length} earlier ones did not`, repairs];
	return [
		'ok',
		latest
			? 'The service has the subscription, and the last delivery arrived'
			: 'The service has the subscription; it lists no delivery yet',
		'If the workflow still does not start, check the events that are chosen in the trigger, and its Brand IDs.',
	];
}
