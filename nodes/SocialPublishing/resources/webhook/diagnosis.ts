import type { IDataObject } from 'n8n-workflow';

import type { Failure } from '../../../api/errors';
import type { Subscription } from '../../../api/records';

/** What the service knows of a webhook, and what the address itself tells. */
export interface Findings {
	url: string;
	/** The subscriptions that the service has for the address. */
	subscriptions: Subscription[];
	/** Addresses with the same path elsewhere: of a copy of this n8n, or of where it was before. */
	elsewhere: string[];
	/** Why the service can't deliver to the address, as far as the address itself tells. */
	unreachable?: Failure;
	/** How much later this computer's clock is than the service's. */
	clockAheadMs?: number;
	/** How many deliveries there are, by status. */
	deliveries: IDataObject;
	/** Status and error of the latest delivery. */
	latest?: { status: string; error?: string };
	/** Of the last one that did not arrive. */
	lastError?: string;
}

/** What is wrong, in plain words, and what to do. */
export interface Verdict {
	verdict: string;
	message: string;
	hint: string;
}

/** How far clocks may be apart (spec, "Signature" 4). */
const MAX_CLOCK_OFFSET_MS = 5 * 60_000;

const republish = 'Unpublish the workflow of the trigger and publish it again.';
const repairs =
	'The trigger repairs this at its next check. To repair it now, unpublish its workflow and publish it again.';
const askAdmin = 'Ask whoever runs the reverse proxy, tunnel or firewall in front of n8n.';

/** The first problem that explains why nothing arrives; later ones may be its consequence. */
export const diagnose = (found: Findings): Verdict =>
	clock(found) ?? subscription(found) ?? address(found) ?? lastDelivery(found) ?? healthy(found);

function clock({ clockAheadMs = 0 }: Findings): Verdict | undefined {
	if (Math.abs(clockAheadMs) <= MAX_CLOCK_OFFSET_MS) return undefined;
	const seconds = Math.round(Math.abs(clockAheadMs) / 1000);
	return {
		verdict: 'clock_off',
		message: `The clock of this computer is ${seconds} seconds ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the service's, so deliveries are refused as too old or too new`,
		hint: 'Turn on automatic time (NTP) on this computer. Until then, raise Max Clock Difference (Seconds) in the options of the trigger.',
	};
}

function subscription({ subscriptions, elsewhere }: Findings): Verdict | undefined {
	const [first] = subscriptions;
	if (!first && elsewhere.length > 0)
		return {
			verdict: 'other_address',
			message: `The service delivers to ${elsewhere.join(', ')}, not to this address`,
			hint: `If n8n has a new address, set WEBHOOK_URL to it and publish the workflow again; then delete the old webhook, unless another n8n uses it.`,
		};
	if (!first)
		return {
			verdict: 'not_subscribed',
			message: 'The service has no subscription for this address, so it sends nothing to it',
			hint: "If the trigger's workflow isn't published, publish it. If it is, the trigger subscribes again at its next check. To subscribe now, unpublish the workflow and publish it again.",
		};
	if (subscriptions.every(({ isDisabled }) => isDisabled))
		return {
			verdict: 'disabled',
			message: 'The service has disabled the subscription, so it sends nothing',
			hint: repairs,
		};
	if (subscriptions.length > 1)
		return {
			verdict: 'duplicate',
			message: `The service has ${subscriptions.length} subscriptions for this address, so it sends each event ${subscriptions.length} times`,
			hint: repairs,
		};
	if (first.events?.length === 0)
		return {
			verdict: 'no_events',
			message: 'The subscription names no event, so the service sends nothing',
			hint: repairs,
		};
	return undefined;
}

function address({ unreachable }: Findings): Verdict | undefined {
	if (!unreachable) return undefined;
	const { message, hint } = unreachable.details;
	return { verdict: 'address_not_public', message, hint };
}

/** What an error of the service says, the likeliest first: [what it matches, verdict, what happened, what to do]. */
const errors: ReadonlyArray<readonly [RegExp, string, string, string]> = [
	[
		/certificate|\bcert\b|CERT_|self[- _]signed|UNABLE_TO_VERIFY|\bTLS\b|\bSSL\b|EPROTO/i,
		'certificate',
		"The service doesn't trust the certificate of this address",
		"Renew the certificate, and have the whole chain served. The service doesn't accept a self-signed certificate.",
	],
	[
		/ENOTFOUND|EAI_AGAIN|\bDNS\b|getaddrinfo|resolve/i,
		'dns',
		"The service can't find the host name of this address (DNS)",
		'Check WEBHOOK_URL of n8n for typos, and the DNS entry of the name.',
	],
	[
		/\b404\b/,
		'not_published',
		'No published workflow answers at this address (404)',
		`The workflow is not published, or the address is another n8n's. ${republish}`,
	],
	[
		/\b40[13]\b/,
		'wrong_secret',
		'The trigger refused the signature of the last delivery, or something in front of n8n asks for a login (401 or 403)',
		`The trigger and the service have different secrets. ${republish} If that doesn't help, something in front of n8n changes requests or asks for a login. ${askAdmin}`,
	],
	[
		/\b3\d\d\b/,
		'redirect',
		"The address redirects, and the service doesn't follow",
		'Set WEBHOOK_URL to the address that answers itself: usually with https and without a redirect.',
	],
	[
		/\b503\b/,
		'unavailable',
		'n8n or something in front of it is unavailable, or the trigger has lost its secret (503)',
		"If n8n's log says that a delivery can't be verified, unpublish the workflow of the trigger and publish it again. Otherwise ask whoever runs n8n.",
	],
	[
		/\b5\d\d\b/,
		'server_error',
		'n8n or something in front of it answers with an error',
		`n8n may be down behind its proxy, or overloaded. ${askAdmin}`,
	],
	[
		/time[d-]?[ -]?out|ETIMEDOUT|ECONNABORTED|no (answer|response)|within 15/i,
		'timeout',
		'n8n did not answer within 15 seconds, which is as long as the service waits',
		`A firewall may drop the requests, or n8n is overloaded. ${askAdmin}`,
	],
	[
		/ECONN|EHOSTUNREACH|ENETUNREACH|refused|reset|connect|socket|network/i,
		'connection',
		"The service can't connect to this address",
		`Check host and port in WEBHOOK_URL, and whether n8n can be reached from outside. ${askAdmin}`,
	],
];

function lastDelivery({ latest }: Findings): Verdict | undefined {
	if (latest?.status !== 'failed' && latest?.status !== 'dead_letter') return undefined;
	const { error } = latest;
	const [, verdict, message, hint] = (error && errors.find(([pattern]) => pattern.test(error))) || [
		undefined,
		'failing',
		'The last delivery failed',
		'The service sends it again by itself, and the trigger recovers what it gives up. If more fail, run this again.',
	];
	return { verdict, message: error ? `${message}. The service says: ${error}` : message, hint };
}

function healthy({ deliveries }: Findings): Verdict {
	const { total, failed, dead_letter } = deliveries;
	const undelivered = Number(failed ?? 0) + Number(dead_letter ?? 0);
	if (undelivered > 0)
		return {
			verdict: 'recovering',
			message: `Deliveries arrive, but ${undelivered} earlier ones did not`,
			hint: 'The trigger recovers them at its next check.',
		};
	return {
		verdict: 'ok',
		message: total
			? 'The service has the subscription, and the last delivery arrived'
			: 'The service has the subscription; it has not sent anything yet',
		hint: 'If the workflow still does not start, check the events that are chosen in the trigger, and its Brand IDs.',
	};
}
