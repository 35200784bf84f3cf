import lowerFirst from 'lodash/lowerFirst';

import type { Failure } from '../../../api/failure';
import type { Delivery, Subscription } from '../../../api/records';
import { DAY_MS } from './deliveries';

/** What the service knows of a subscription, and what the address itself shows. */
export interface DeliveryFindings {
	webhook?: Subscription;
	/** How many subscriptions of the address are active. */
	active: number;
	/** Addresses with the same path elsewhere: of a copy of this n8n, or of where it was before. */
	elsewhere: string[];
	/** The latest last; none where they could not be read. */
	deliveries: Delivery[];
	/** In ms. */
	now: number;
	/** Why the service can't deliver to the address. */
	unreachable?: Failure;
	/** How much later this computer's clock is than the service's. */
	clockAheadMs?: number;
	/** Why the deliveries could not be read. */
	unread?: Failure;
}

/** What is wrong, in plain words, and what to do. */
export interface Diagnosis {
	verdict: string;
	message: string;
	hint: string;
}

/** How far clocks may be apart (spec, "Signature" 4). */
const MAX_CLOCK_OFFSET_MS = 5 * 60_000;

/** Spec, "Webhook delivery". */
const knownStatuses = ['pending', 'delivered', 'failed', 'dead_letter'];
const askAdmin = 'Ask whoever runs the reverse proxy, tunnel or firewall in front of n8n.';

/** The first problem that explains why nothing arrives; later ones may be its consequence. */
export const diagnose = (found: DeliveryFindings): Diagnosis =>
	clock(found) ??
	subscription(found) ??
	address(found) ??
	unread(found) ??
	lastDelivery(found) ??
	healthy(found);

/** Deliveries that the trigger's next check recovers: what is older was recovered before, or is lost. */
const missed = ({ deliveries, now }: DeliveryFindings): number =>
	deliveries.filter(
		({ status, at = 0 }) => status === 'failed' || (status === 'dead_letter' && at >= now - DAY_MS),
	).length;

/** Publishing again deletes the subscription, and with it what the service would still retry. */
const republish = (found: DeliveryFindings): string =>
	missed(found) > 0
		? "Wait for the trigger's next check, which recovers the deliveries that failed. Only then unpublish its workflow and publish it again."
		: 'Unpublish the workflow of the trigger and publish it again.';

const repairs = (found: DeliveryFindings): string =>
	missed(found) > 0
		? "Wait for the trigger's next check: it repairs this and recovers the deliveries that failed."
		: 'The trigger repairs this at its next check. To repair it now, unpublish its workflow and publish it again.';

function clock({ clockAheadMs = 0 }: DeliveryFindings): Diagnosis | undefined {
	if (Math.abs(clockAheadMs) <= MAX_CLOCK_OFFSET_MS) return undefined;
	const seconds = Math.round(Math.abs(clockAheadMs) / 1000);
	return {
		verdict: 'clock_off',
		message: `The clock of this computer is ${seconds} seconds ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the service's, so deliveries are refused as too old or too new`,
		hint: 'Turn on automatic time (NTP) on this computer. Until then, raise Max Clock Difference (Seconds) in the options of the trigger.',
	};
}

function subscription(found: DeliveryFindings): Diagnosis | undefined {
	const { webhook, active, elsewhere } = found;
	if (!webhook && elsewhere.length > 0)
		return {
			verdict: 'other_address',
			message: `The service delivers to ${elsewhere.join(', ')}, not to this address`,
			hint: 'If n8n has a new address, set WEBHOOK_URL to it and publish the workflow again; then delete the old webhook, unless another n8n uses it.',
		};
	if (!webhook)
		return {
			verdict: 'not_subscribed',
			message: 'The service has no subscription for this address, so it sends nothing to it',
			hint: "If the trigger's workflow isn't published, publish it. If it is, the trigger subscribes again at its next check. To subscribe now, unpublish the workflow and publish it again.",
		};
	if (webhook.isDisabled)
		return {
			verdict: 'disabled',
			message:
				active > 0
					? 'The service has disabled this subscription; another one of the address is active'
					: 'The service has disabled the subscription, so it sends nothing',
			hint: active > 0 ? 'Nothing to do. To tidy up, delete this webhook (Webhook: Delete).' : repairs(found),
		};
	if (active > 1)
		return {
			verdict: 'duplicate',
			message: `The service has ${active} active subscriptions for this address, so it sends each event ${active} times`,
			hint: repairs(found),
		};
	if (webhook.events?.length === 0)
		return {
			verdict: 'no_events',
			message: 'The subscription names no event, so the service sends nothing',
			hint: repairs(found),
		};
	return undefined;
}

function address({ unreachable }: DeliveryFindings): Diagnosis | undefined {
	if (!unreachable) return undefined;
	const { message, hint } = unreachable.details;
	return { verdict: 'address_not_public', message, hint };
}

function unread({ unread: failure, deliveries }: DeliveryFindings): Diagnosis | undefined {
	const isUnknown = deliveries.some(({ status }) => !knownStatuses.includes(status));
	if (!failure && !isUnknown) return undefined;
	const { message, hint } = failure?.details ?? {
		message: "they have a status that this node doesn't know",
		hint: "Check them in the service's dashboard.",
	};
	return {
		verdict: 'unknown',
		message: `The service has the subscription, but its deliveries could not be read: ${message}`,
		hint,
	};
}

type ErrorRow = readonly [RegExp, string, string, (found: DeliveryFindings) => string];

/** By the HTTP status of the receiver: [status, verdict, what happened, what to do]. */
const statusRows: readonly ErrorRow[] = [
	[
		/^3/,
		'redirect',
		"The address redirects, and the service doesn't follow",
		() => 'Set WEBHOOK_URL to the address that answers itself: usually with https and without a redirect.',
	],
	[
		/^40[13]/,
		'wrong_secret',
		'The trigger refused the signature of the last delivery, or something in front of n8n asks for a login (401 or 403)',
		(found) =>
			`The trigger and the service may have different secrets. ${republish(found)} If that doesn't help, something in front of n8n changes requests or asks for a login. ${askAdmin}`,
	],
	[
		/^404/,
		'not_published',
		'No published workflow answers at this address (404)',
		() =>
			"If the workflow isn't published, publish it. If it is, the address is another n8n's: check WEBHOOK_URL. The trigger recovers the deliveries that failed at its next check.",
	],
	[
		/^5/,
		'server_error',
		'n8n or something in front of it is down or answers with an error',
		(found) =>
			`${askAdmin} If n8n's log says that a delivery can't be verified, the trigger has lost its secret: ${lowerFirst(republish(found))}`,
	],
];

/** By the words of the error, where it has no status. */
const wordRows: readonly ErrorRow[] = [
	[
		/certificate|\bcert\b|CERT_|self[- _]signed|UNABLE_TO_VERIFY|\bTLS\b|\bSSL\b|EPROTO/i,
		'certificate',
		"The service doesn't trust the certificate of this address",
		() =>
			"Renew the certificate, and have the whole chain served. The service doesn't accept a self-signed certificate.",
	],
	[
		/ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|EPIPE|getaddrinfo|\bDNS\b|resolve|time[d-]?[ -]?out|ETIMEDOUT|no (answer|response)|refused|reset|connect|socket|network/i,
		'unreachable',
		"The service can't connect to this address, or n8n didn't answer within 15 seconds",
		() => `Check host and port in WEBHOOK_URL, and whether n8n can be reached from outside. ${askAdmin}`,
	],
];

/** An HTTP status behind a word that announces one, or at the beginning: no duration, port or version. */
const statusPattern =
	/(?:^|\b(?:HTTP(?:\/[\d.]+)?|status(?:[ _]?code)?|answered|responded|returned|code)(?: with)?)[\s:=]*([1-5]\d\d)\b(?!\s*m?s(?:ec|econds?)?\b|\.\d|:)/i;

function lastDelivery(found: DeliveryFindings): Diagnosis | undefined {
	const latest = found.deliveries.filter(({ status }) => status !== 'pending').at(-1);
	if (latest?.status !== 'failed' && latest?.status !== 'dead_letter') return undefined;
	const { lastError = '', at = found.now } = latest;
	const days = Math.floor((found.now - at) / DAY_MS);
	const status = statusPattern.exec(lastError)?.[1];
	const [rows, subject] = status ? ([statusRows, status] as const) : ([wordRows, lastError] as const);
	const [, verdict, message, hint] = rows.find(([pattern]) => pattern.test(subject)) ?? otherError;
	return {
		verdict,
		message: [
			message,
			...(days > 0 ? [`That was ${days === 1 ? 'a day' : `${days} days`} ago; nothing was sent since`] : []),
			...(lastError ? [`The service says: ${lastError.slice(0, MAX_QUOTED)}`] : []),
		].join('. '),
		hint: hint(found),
	};
}

/** How much of the service's error a message quotes, in characters. */
const MAX_QUOTED = 500;

const otherError: ErrorRow = [
	/^/,
	'failing',
	'The last delivery failed',
	(found) =>
		missed(found) > 0
			? "Wait for the trigger's next check, which recovers it. If more fail, run this again."
			: 'If newer events do not arrive either, run this again then.',
];

function healthy(found: DeliveryFindings): Diagnosis {
	const count = missed(found);
	if (count > 0)
		return {
			verdict: 'recovering',
			message: `Deliveries arrive, but ${count} earlier ones did not`,
			hint: 'The trigger recovers them at its next check. Publishing its workflow again would lose them.',
		};
	return {
		verdict: 'ok',
		message: found.deliveries.some(({ status }) => status === 'delivered')
			? 'The service has the subscription, and the last delivery arrived'
			: 'The service has the subscription; it has not sent anything yet',
		hint: 'If the workflow still does not start, check the events that are chosen in the trigger, and its Brand IDs.',
	};
}
