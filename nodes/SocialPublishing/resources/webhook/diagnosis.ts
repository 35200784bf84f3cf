import { countBy, findKey, findLast } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../api/failure';
import { iso } from '../../../api/postRange';
import type { DeliveryRecord, Subscription } from '../../../api/records';
import { withoutSecretFields, withoutSignedQueries } from '../../../api/redaction';
import { isElsewhere, isSameAddress } from '../../../shared/addresses';
import { DAY_MS } from '../time';

/** A subscription, and its record as the service lists it; a URL of '' is none. */
export type ListedWebhook = Subscription & { url: string; record: IDataObject };

/** How far clocks may be apart (spec, "Signature" 4). */
const MAX_CLOCK_OFFSET_MS = 5 * 60_000;
const MAX_QUOTED = 500;

/** An HTTP status behind a word that announces one, or at the beginning: no duration or port. */
const receiverStatus =
	/(?:^|\b(?:HTTP(?:\/[\d.]+)?|status|code|answered|responded|returned)\D{0,8})([45]\d\d)\b(?! *m?s(?:ec\w*)?\b)/i;

// With the subscription, the service drops what it still retries.
const ifUnpublished =
	'If you unpublish its workflow before that, publish it again within five minutes, without restarting n8n, or they are lost.';
const repair = `If the webhook is a published trigger's, the trigger repairs this at its next check, and recovers the deliveries that failed. ${ifUnpublished}`;
const republish =
	"After the trigger's next check, which recovers the deliveries that failed, unpublish its workflow and publish it again.";
const askAdmin = 'Ask whoever runs the reverse proxy, tunnel or firewall in front of n8n.';

/**
 * What is wrong with an address, the first problem that explains why nothing arrives there: what to do, and the facts.
 * @param read deliveries of the webhook, or its latest where it has many, the latest last, or why they could not be read
 * @param isComplete there are no webhooks that the list doesn't have
 * @param clockAheadMs how much later this computer's clock is than the service's; NaN where that isn't known
 */
export function diagnose(
	url: string,
	webhook: ListedWebhook | undefined,
	list: ListedWebhook[],
	read: DeliveryRecord[] | Failure,
	clockAheadMs: number,
	now: number,
	isComplete: boolean,
): IDataObject {
	const unread = read instanceof Failure ? read : undefined;
	const deliveries = read instanceof Failure ? [] : withoutSignedQueries(read);
	const here = list.filter((one) => one === webhook || (url !== '' && isSameAddress(one.url, url)));
	const active = here.filter(({ isDisabled }) => !isDisabled).length;
	// The same path elsewhere: of a copy of this n8n, or of where it was before.
	const elsewhere = withoutSignedQueries(list.map((one) => one.url).filter((one) => isElsewhere(one, url)));
	// What is older was recovered before, or is lost.
	const missed = deliveries.filter(
		({ status, at = 0 }) => status === 'failed' || (status === 'dead_letter' && at >= now - DAY_MS),
	).length;
	const latest = findLast(deliveries, ({ status }) => status !== 'pending');
	const isLost = latest !== undefined && latest.status !== 'delivered';
	const error = (isLost && latest.lastError) || '';
	const said = error && `. The service says: ${error.slice(0, MAX_QUOTED)}`;
	// What has arrived in the last day was within the trigger's Max Clock Difference.
	const hasArrived = latest?.status === 'delivered' && (latest.at ?? 0) >= now - DAY_MS;
	const answered = Number(receiverStatus.exec(error)?.[1]);
	// Later ones may be a consequence of earlier ones.
	const verdicts: Record<string, readonly [applies: unknown, message: string, hint: string]> = {
		clock_off: [
			Math.abs(clockAheadMs) > MAX_CLOCK_OFFSET_MS && !hasArrived,
			`The clock of this computer is ${Math.round(Math.abs(clockAheadMs) / 1000)} seconds ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the service's, so deliveries are refused as too old or too new`,
			'Turn on automatic time (NTP) on this computer. Until then, raise Max Clock Difference (Seconds) in the options of the trigger.',
		],
		other_address: [
			!webhook && elsewhere.length > 0,
			`The service delivers to ${elsewhere.join(', ')}, not to this address`,
			'If n8n has a new address, set WEBHOOK_URL to it and publish the workflow again; then delete the old webhook, unless another n8n uses it.',
		],
		not_found: [
			!webhook && (!isComplete || list.some((one) => one.url === '')),
			"This address isn't among the webhooks that this node can read: the service lists some without an address, or may have more than it lists",
			"Choose the webhook by its ID, or look for it in the service's dashboard.",
		],
		not_subscribed: [
			!webhook,
			url
				? 'The service has no subscription for this address, so it sends nothing to it'
				: 'The workspace has no webhooks, so the service sends nothing',
			"If the trigger's workflow isn't published, publish it. If it is, the trigger subscribes again at its next check. To subscribe now, unpublish the workflow and publish it again.",
		],
		disabled: [
			webhook?.isDisabled,
			`The service has disabled this subscription${active > 0 ? '; another one of the address is active' : ', so it sends nothing'}`,
			active > 0 ? 'Nothing to do. To tidy up, delete this webhook (Webhook: Delete).' : repair,
		],
		duplicate: [
			active > 1,
			`The service has ${active} subscriptions for this address, none of them said to be disabled, so each event may come ${active} times`,
			repair,
		],
		unknown: [
			unread,
			`The service has the subscription, but its deliveries could not be read: ${unread?.message}`,
			unread?.details.hint ?? '',
		],
		wrong_secret: [
			answered === 401 || answered === 403,
			`The last delivery was refused (401 or 403)${said}`,
			`If the webhook is a trigger's, the trigger and the service may have different secrets. ${republish} If that doesn't help, something in front of n8n changes requests or asks for a login. ${askAdmin}`,
		],
		not_published: [
			answered === 404,
			`The address answered that there is nothing there (404)${said}`,
			"If the webhook is a workflow's, publish the workflow. If it is published, the address is another n8n's: check WEBHOOK_URL. At its next check, the trigger then recovers the deliveries that failed.",
		],
		server_error: [
			answered >= 500,
			`n8n or something in front of it is down or refuses deliveries${said}`,
			`${askAdmin} If n8n's log says that a delivery can't be verified, the trigger has lost its secret. ${republish}`,
		],
		failing: [
			isLost,
			`The last delivery failed${said}`,
			`Check scheme, host and port in WEBHOOK_URL, whether the address opens from outside without a redirect or a certificate warning, and whether n8n answers within 15 seconds. ${askAdmin}`,
		],
		recovering: [
			missed > 0,
			`Deliveries arrive, but ${missed} earlier ones did not`,
			`If the webhook is a trigger's, the trigger recovers them at its next check. ${ifUnpublished}`,
		],
		ok: [
			true,
			deliveries.some(({ status }) => status === 'delivered')
				? 'The service has the subscription, and the last delivery that it lists arrived'
				: 'The service has the subscription; it lists no delivery that arrived',
			'If the workflow still does not start, check the events that are chosen in the trigger, and its Brand IDs.',
		],
	};
	const verdict = findKey(verdicts, ([applies]) => applies)!;
	const [, message, hint] = verdicts[verdict]!;
	const lastDelivered = findLast(deliveries, { status: 'delivered' })?.at;
	const lastFailed = findLast(deliveries, ({ status, lastError }) => status !== 'delivered' && !!lastError);
	return {
		...{ verdict, message, hint },
		url: withoutSignedQueries(url) || null,
		webhook: webhook ? withoutSignedQueries(withoutSecretFields(webhook.record)) : null,
		subscriptions: here.length,
		...(elsewhere.length > 0 ? { other_addresses: elsewhere } : {}),
		deliveries:
			webhook && !unread
				? {
						total: deliveries.length,
						// n8n shows an empty object in red.
						...(deliveries.length > 0 ? { by_status: countBy(deliveries, 'status') } : {}),
						...(lastDelivered === undefined ? {} : { last_delivered_at: iso(lastDelivered) }),
					}
				: null,
		last_error: lastFailed?.lastError?.slice(0, MAX_QUOTED) ?? null,
		clock_ahead_seconds: Number.isNaN(clockAheadMs) ? null : Math.round(clockAheadMs / 1000),
	};
}
