import findKey from 'lodash/findKey';
import findLast from 'lodash/findLast';
import lowerFirst from 'lodash/lowerFirst';

import type { Failure } from '../../../api/failure';
import type { Delivery, Subscription } from '../../../api/records';
import { DAY_MS } from '../time';

/** What the service knows of a subscription, and what the address itself shows. */
export interface DeliveryFindings {
	/** The address that is checked; empty where there is nothing to check. */
	url: string;
	webhook?: Subscription | undefined;
	/** How many subscriptions of the address are active. */
	active: number;
	/** Addresses with the same path elsewhere: of a copy of this n8n, or of where it was before. */
	elsewhere: string[];
	/** The latest last; none where they could not be read. */
	deliveries: readonly Delivery[];
	/** In ms. */
	now: number;
	/** Why the service can't deliver to the address. */
	unreachable?: Failure | undefined;
	/** How much later this computer's clock is than the service's; NaN where that isn't known. */
	clockAheadMs: number;
	/** Why the deliveries could not be read. */
	unread?: Failure | undefined;
}

/** How far clocks may be apart (spec, "Signature" 4). */
const MAX_CLOCK_OFFSET_MS = 5 * 60_000;
/** How much of the service's error is quoted, in characters. */
export const MAX_QUOTED = 500;
/** Spec, "Webhook delivery". */
const knownStatuses = ['pending', 'delivered', 'failed', 'dead_letter'];

/** An HTTP status behind a word that announces one, or at the beginning: no duration, port or version. */
const statusPattern =
	/(?:^|\b(?:HTTP(?:\/[\d.]+)?|status(?:[ _]?code)?|answered|responded|returned|code)(?: with)?)[\s:=]*([1-5]\d\d)\b(?!\s*m?s(?:ec|econds?)?\b|\.\d|:)/i;
const certificateError =
	/certificate|\bcert\b|CERT_|self[- _]signed|UNABLE_TO_VERIFY|\bTLS\b|\bSSL\b|EPROTO/i;
const connectionError =
	/ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|EPIPE|getaddrinfo|\bDNS\b|resolve|time[d-]?[ -]?out|no (answer|response)|refused|reset|connect|socket|network/i;

const askAdmin = 'Ask whoever runs the reverse proxy, tunnel or firewall in front of n8n.';

/** What is wrong, in plain words, and what to do: the first problem that explains why nothing arrives. */
export function diagnose(found: DeliveryFindings): { verdict: string; message: string; hint: string } {
	const { url, webhook, active, elsewhere, deliveries, now, unreachable, clockAheadMs, unread } = found;
	// What is older was recovered before, or is lost.
	const missed = deliveries.filter(
		({ status, at = 0 }) => status === 'failed' || (status === 'dead_letter' && at >= now - DAY_MS),
	).length;
	// Publishing again deletes the subscription, and with it what the service would still retry.
	const recovery =
		missed > 0 &&
		"Wait for the trigger's next check: it repairs its webhook and recovers the deliveries that failed.";
	const repair =
		recovery ||
		'The trigger repairs this at its next check. To repair it now, unpublish its workflow and publish it again.';
	const republish = recovery
		? `${recovery} Only then unpublish its workflow and publish it again.`
		: 'Unpublish the workflow of the trigger and publish it again.';

	const latest = findLast(deliveries, ({ status }) => status !== 'pending');
	const isLost = latest !== undefined && latest.status !== 'delivered';
	const { lastError = '', at = now } = latest ?? {};
	const days = Math.floor((now - at) / DAY_MS);
	const details = [
		days > 0 && `. That was ${days === 1 ? 'a day' : `${days} days`} ago; nothing was sent since`,
		lastError && `. The service says: ${lastError.slice(0, MAX_QUOTED)}`,
	]
		.filter(Boolean)
		.join('');
	// The HTTP status of the receiver, else the words of the service's error.
	const reason = statusPattern.exec(lastError)?.[1] ?? lastError;
	const failedBy = (pattern: RegExp): boolean => isLost && pattern.test(reason);

	const { message: cause, hint: remedy } = (unreachable ?? unread)?.details ?? {
		message: "they have a status that this node doesn't know",
		hint: "Check them in the service's dashboard.",
	};
	// Later ones may be a consequence of earlier ones.
	const verdicts: Record<string, readonly [applies: unknown, message: string, hint: string]> = {
		clock_off: [
			Math.abs(clockAheadMs) > MAX_CLOCK_OFFSET_MS,
			`The clock of this computer is ${Math.round(Math.abs(clockAheadMs) / 1000)} seconds ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the service's, so deliveries are refused as too old or too new`,
			'Turn on automatic time (NTP) on this computer. Until then, raise Max Clock Difference (Seconds) in the options of the trigger.',
		],
		other_address: [
			!webhook && elsewhere.length > 0,
			`The service delivers to ${elsewhere.join(', ')}, not to this address`,
			'If n8n has a new address, set WEBHOOK_URL to it and publish the workflow again; then delete the old webhook, unless another n8n uses it.',
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
			`The service has ${active} active subscriptions for this address, so it sends each event ${active} times`,
			repair,
		],
		no_events: [
			webhook?.events?.length === 0,
			'The subscription names no event, so the service sends nothing',
			repair,
		],
		address_not_public: [unreachable, cause, remedy],
		unknown: [
			unread || deliveries.some(({ status }) => !knownStatuses.includes(status)),
			`The service has the subscription, but its deliveries could not be read: ${cause}`,
			remedy,
		],
		redirect: [
			failedBy(/^3\d\d$/),
			`The address redirects, and the service doesn't follow${details}`,
			'Set WEBHOOK_URL to the address that it redirects to: usually the one with https.',
		],
		wrong_secret: [
			failedBy(/^40[13]$/),
			`The trigger refused the signature of the last delivery, or something in front of n8n asks for a login (401 or 403)${details}`,
			`The trigger and the service may have different secrets. ${republish} If that doesn't help, something in front of n8n changes requests or asks for a login. ${askAdmin}`,
		],
		not_published: [
			failedBy(/^404$/),
			`No published workflow answers at this address (404)${details}`,
			"If the workflow isn't published, publish it. If it is, the address is another n8n's: check WEBHOOK_URL. The trigger recovers the deliveries that failed at its next check.",
		],
		server_error: [
			failedBy(/^5\d\d$/),
			`n8n or something in front of it is down or answers with an error${details}`,
			`${askAdmin} If n8n's log says that a delivery can't be verified, the trigger has lost its secret: ${lowerFirst(republish)}`,
		],
		certificate: [
			failedBy(certificateError),
			`The service doesn't trust the certificate of this address${details}`,
			"Renew the certificate, and have the whole chain served. The service doesn't accept a self-signed certificate.",
		],
		unreachable: [
			failedBy(connectionError),
			`The service can't connect to this address, or n8n didn't answer within 15 seconds${details}`,
			`Check host and port in WEBHOOK_URL, and whether n8n can be reached from outside. ${askAdmin}`,
		],
		failing: [
			isLost,
			`The last delivery failed${details}`,
			recovery || "If newer events don't arrive either, run this check again.",
		],
		recovering: [
			missed > 0,
			`Deliveries arrive, but ${missed} earlier ones did not`,
			'The trigger recovers them at its next check. Publishing its workflow again would lose them.',
		],
		ok: [
			true,
			deliveries.some(({ status }) => status === 'delivered')
				? 'The service has the subscription, and the last delivery arrived'
				: 'The service has the subscription; it has not sent anything yet',
			'If the workflow still does not start, check the events that are chosen in the trigger, and its Brand IDs.',
		],
	};
	const verdict = findKey(verdicts, ([applies]) => applies) ?? 'ok';
	const [, message, hint] = verdicts[verdict]!;
	return { verdict, message, hint };
}
