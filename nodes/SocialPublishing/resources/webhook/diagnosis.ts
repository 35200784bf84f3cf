import lowerFirst from 'lodash/lowerFirst';

import type { Failure } from '../../../api/failure';
import type { Delivery, Subscription } from '../../../api/records';
import { DAY_MS } from '../time';

/** What the service knows of a subscription, and what the address itself shows. */
export interface DeliveryFindings {
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
	/** How much later this computer's clock is than the service's. */
	clockAheadMs?: number | undefined;
	/** Why the deliveries could not be read. */
	unread?: Failure | undefined;
}

type DeliveryVerdict = keyof ReturnType<typeof verdictTexts>;

/** How far clocks may be apart (spec, "Signature" 4). */
const MAX_CLOCK_OFFSET_MS = 5 * 60_000;
/** How much of the service's error is quoted, in characters. */
export const MAX_QUOTED = 500;
/** Spec, "Webhook delivery". */
const knownStatuses = ['pending', 'delivered', 'failed', 'dead_letter'];

/** What is wrong, in plain words, and what to do: the first problem that explains why nothing arrives. */
export function diagnose(found: DeliveryFindings): {
	verdict: DeliveryVerdict;
	message: string;
	hint: string;
} {
	const { deliveries, now } = found;
	// What is older was recovered before, or is lost.
	const missed = deliveries.filter(
		({ status, at = 0 }) => status === 'failed' || (status === 'dead_letter' && at >= now - DAY_MS),
	).length;
	const problem = problemOf(found);
	const latest = deliveries.filter(({ status }) => status !== 'pending').at(-1);
	const isLatestLost = !problem && latest !== undefined && latest.status !== 'delivered';
	const { lastError = '', at = now } = isLatestLost ? latest : {};
	const days = Math.floor((now - at) / DAY_MS);
	const healthy = missed > 0 ? 'recovering' : 'ok';
	const verdict = problem ?? (isLatestLost ? verdictOfError(lastError) : healthy);
	const [message, hint] = verdictTexts(found, missed)[verdict];
	const details = [
		message,
		days > 0 && `That was ${days === 1 ? 'a day' : `${days} days`} ago; nothing was sent since`,
		lastError && `The service says: ${lastError.slice(0, MAX_QUOTED)}`,
	];
	return { verdict, message: details.filter(Boolean).join('. '), hint };
}

/** What keeps deliveries from being sent, from arriving in time, or from being read. Later ones may be its consequence. */
function problemOf(found: DeliveryFindings): DeliveryVerdict | undefined {
	const { webhook, active, elsewhere, deliveries, clockAheadMs = 0 } = found;
	if (Math.abs(clockAheadMs) > MAX_CLOCK_OFFSET_MS) return 'clock_off';
	if (!webhook) return elsewhere.length > 0 ? 'other_address' : 'not_subscribed';
	if (webhook.isDisabled) return 'disabled';
	if (active > 1) return 'duplicate';
	if (webhook.events?.length === 0) return 'no_events';
	if (found.unreachable) return 'address_not_public';
	const isUnknown = deliveries.some(({ status }) => !knownStatuses.includes(status));
	return found.unread || isUnknown ? 'unknown' : undefined;
}

/** An HTTP status behind a word that announces one, or at the beginning: no duration, port or version. */
const statusPattern =
	/(?:^|\b(?:HTTP(?:\/[\d.]+)?|status(?:[ _]?code)?|answered|responded|returned|code)(?: with)?)[\s:=]*([1-5]\d\d)\b(?!\s*m?s(?:ec|econds?)?\b|\.\d|:)/i;

/** By the HTTP status of the receiver, else by the words of the service's error. */
const errors: ReadonlyArray<readonly [RegExp, DeliveryVerdict]> = [
	[/^3\d\d$/, 'redirect'],
	[/^40[13]$/, 'wrong_secret'],
	[/^404$/, 'not_published'],
	[/^5\d\d$/, 'server_error'],
	[/certificate|\bcert\b|CERT_|self[- _]signed|UNABLE_TO_VERIFY|\bTLS\b|\bSSL\b|EPROTO/i, 'certificate'],
	[
		/ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|EPIPE|getaddrinfo|\bDNS\b|resolve|time[d-]?[ -]?out|no (answer|response)|refused|reset|connect|socket|network/i,
		'unreachable',
	],
];

function verdictOfError(lastError: string): DeliveryVerdict {
	const subject = statusPattern.exec(lastError)?.[1] ?? lastError;
	return errors.find(([pattern]) => pattern.test(subject))?.[1] ?? 'failing';
}

const askAdmin = 'Ask whoever runs the reverse proxy, tunnel or firewall in front of n8n.';

/**
 * What each verdict means, and what to do.
 * @param missed how many deliveries the trigger's next check recovers
 */
function verdictTexts(found: DeliveryFindings, missed: number) {
	const { active, elsewhere, deliveries, clockAheadMs = 0 } = found;
	const seconds = Math.round(Math.abs(clockAheadMs) / 1000);
	const { message, hint } = (found.unreachable ?? found.unread)?.details ?? {
		message: "they have a status that this node doesn't know",
		hint: "Check them in the service's dashboard.",
	};
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
	return {
		clock_off: [
			`The clock of this computer is ${seconds} seconds ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the service's, so deliveries are refused as too old or too new`,
			'Turn on automatic time (NTP) on this computer. Until then, raise Max Clock Difference (Seconds) in the options of the trigger.',
		],
		other_address: [
			`The service delivers to ${elsewhere.join(', ')}, not to this address`,
			'If n8n has a new address, set WEBHOOK_URL to it and publish the workflow again; then delete the old webhook, unless another n8n uses it.',
		],
		not_subscribed: [
			'The service has no subscription for this address, so it sends nothing to it',
			"If the trigger's workflow isn't published, publish it. If it is, the trigger subscribes again at its next check. To subscribe now, unpublish the workflow and publish it again.",
		],
		disabled: [
			`The service has disabled this subscription${active > 0 ? '; another one of the address is active' : ', so it sends nothing'}`,
			active > 0 ? 'Nothing to do. To tidy up, delete this webhook (Webhook: Delete).' : repair,
		],
		duplicate: [
			`The service has ${active} active subscriptions for this address, so it sends each event ${active} times`,
			repair,
		],
		no_events: ['The subscription names no event, so the service sends nothing', repair],
		address_not_public: [message, hint],
		unknown: [`The service has the subscription, but its deliveries could not be read: ${message}`, hint],
		redirect: [
			"The address redirects, and the service doesn't follow",
			'Set WEBHOOK_URL to the address that answers itself: usually with https and without a redirect.',
		],
		wrong_secret: [
			'The trigger refused the signature of the last delivery, or something in front of n8n asks for a login (401 or 403)',
			`The trigger and the service may have different secrets. ${republish} If that doesn't help, something in front of n8n changes requests or asks for a login. ${askAdmin}`,
		],
		not_published: [
			'No published workflow answers at this address (404)',
			"If the workflow isn't published, publish it. If it is, the address is another n8n's: check WEBHOOK_URL. The trigger recovers the deliveries that failed at its next check.",
		],
		server_error: [
			'n8n or something in front of it is down or answers with an error',
			`${askAdmin} If n8n's log says that a delivery can't be verified, the trigger has lost its secret: ${lowerFirst(republish)}`,
		],
		certificate: [
			"The service doesn't trust the certificate of this address",
			"Renew the certificate, and have the whole chain served. The service doesn't accept a self-signed certificate.",
		],
		unreachable: [
			"The service can't connect to this address, or n8n didn't answer within 15 seconds",
			`Check host and port in WEBHOOK_URL, and whether n8n can be reached from outside. ${askAdmin}`,
		],
		failing: [
			'The last delivery failed',
			recovery || 'If newer events do not arrive either, run this again then.',
		],
		recovering: [
			`Deliveries arrive, but ${missed} earlier ones did not`,
			'The trigger recovers them at its next check. Publishing its workflow again would lose them.',
		],
		ok: [
			deliveries.some(({ status }) => status === 'delivered')
				? 'The service has the subscription, and the last delivery arrived'
				: 'The service has the subscription; it has not sent anything yet',
			'If the workflow still does not start, check the events that are chosen in the trigger, and its Brand IDs.',
		],
	} as const satisfies Record<string, readonly [string, string]>;
}
