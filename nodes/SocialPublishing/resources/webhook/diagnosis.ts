import type { IDataObject } from 'n8n-workflow';

import type { Failure } from '../../../api/errors';
import type { ProbeReport, ProbeResult } from '../../../shared/probe';

/** What was found out about a webhook. */
export interface Findings {
	url: string;
	/** The subscription as the service lists it; undefined where it lists none for the address. */
	webhook?: IDataObject;
	/** How many subscriptions the service has for the address. */
	count: number;
	/** Why the service can't deliver to the address, as far as the address itself tells. */
	unreachable?: Failure;
	probe?: ProbeResult;
	/** How much later this computer's clock is than the service's, in ms. */
	clockAheadMs?: number;
	/** Deliveries by status. */
	deliveries: IDataObject;
	/** The last one that failed. */
	lastError?: string;
}

/** What is wrong, in plain words, and what to do. */
export interface Verdict {
	verdict: string;
	message: string;
	hint: string;
}

/** How far clocks may be apart, in ms (spec, "Signature" 4). */
const MOST_OFF = 5 * 60_000;

const publishAnew = 'Unpublish the workflow of the trigger and publish it again.';
const repairs = `The trigger repairs this at its next check. To repair it at once: ${publishAnew}`;
const askAdmin = 'Ask whoever runs the reverse proxy, tunnel or firewall in front of n8n.';

/** The first trouble that explains why nothing arrives; later ones may be its consequence. */
export function diagnose(found: Findings): Verdict {
	return (
		clock(found) ??
		subscription(found) ??
		address(found) ??
		network(found) ??
		answer(found) ??
		deliveries(found)
	);
}

function clock({ clockAheadMs = 0 }: Findings): Verdict | undefined {
	if (Math.abs(clockAheadMs) <= MOST_OFF) return undefined;
	const seconds = Math.round(Math.abs(clockAheadMs) / 1000);
	return {
		verdict: 'clock_off',
		message: `The clock of this computer is ${seconds} seconds ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the service's, so deliveries are refused as too old or too new`,
		hint: 'Let the computer set its clock by itself (NTP). Until then, raise Tolerance in the options of the trigger.',
	};
}

function subscription({ webhook, count }: Findings): Verdict | undefined {
	if (!webhook)
		return {
			verdict: 'not_subscribed',
			message: 'The service has no subscription for this address: it sends nothing there',
			hint: `Publish the workflow of the trigger. If it is published: ${repairs}`,
		};
	const { status, active, enabled, disabled } = webhook;
	if (
		status === 'disabled' ||
		status === 'inactive' ||
		active === false ||
		enabled === false ||
		disabled === true
	)
		return {
			verdict: 'disabled',
			message: 'The service has disabled the subscription: it sends nothing',
			hint: repairs,
		};
	if (count > 1)
		return {
			verdict: 'doubled',
			message: `The service has ${count} subscriptions for this address: each event is sent ${count} times`,
			hint: repairs,
		};
	return undefined;
}

function address({ unreachable }: Findings): Verdict | undefined {
	if (!unreachable) return undefined;
	const { message, hint } = unreachable.details;
	return { verdict: 'address_not_public', message, hint };
}

const certificates = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/;

function network({ probe }: Findings): Verdict | undefined {
	if (!probe?.error) return undefined;
	const { host } = new URL(probe.url);
	const code = probe.error;
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
		return {
			verdict: 'dns',
			message: `The name ${host} is not known in the network's directory (DNS)`,
			hint: 'Check WEBHOOK_URL of n8n for typing mistakes, and the DNS entry of the name.',
		};
	if (code === 'ECONNREFUSED')
		return {
			verdict: 'refused',
			message: `Nothing listens at ${host}: the connection is refused`,
			hint: `Check the port in WEBHOOK_URL. ${askAdmin}`,
		};
	if (certificates.test(code))
		return {
			verdict: 'certificate',
			message: `No secure connection can be made to ${host}: its certificate is not trusted, or it speaks no https (${code})`,
			hint: 'Renew the certificate, or have the whole chain served. A certificate of your own making is refused by the service, too.',
		};
	if (code === 'ETIMEDOUT' || code === 'ECONNABORTED')
		return {
			verdict: 'timeout',
			message: `${host} did not answer within 15 seconds, which is as long as the service waits`,
			hint: `A firewall may drop the requests, or n8n is overloaded. ${askAdmin}`,
		};
	return {
		verdict: 'connection',
		message: `The connection to ${host} broke (${code})`,
		hint: askAdmin,
	};
}

/** What n8n itself, another server or the trigger said. */
function answer({ probe, url }: Findings): Verdict | undefined {
	if (probe?.status === undefined) return undefined;
	const { host } = new URL(url);
	const report = reportIn(probe.body);
	if (report) return trouble(report, probe, url);
	const said = typeof probe.body === 'string' ? probe.body : JSON.stringify(probe.body ?? '');
	if (/n8n is starting up/i.test(said))
		return {
			verdict: 'starting',
			message: 'n8n is starting up: it answers deliveries with 200 itself, without asking the trigger',
			hint: 'Wait a minute and run this again. The trigger catches up what came in between.',
		};
	if (probe.status === 404)
		return /not registered|webhook/i.test(said)
			? {
					verdict: 'not_published',
					message: `n8n at ${host} knows no workflow at this address (404)`,
					hint: `The workflow is not published there, or the address is another n8n's. ${publishAnew}`,
				}
			: otherServer(host, probe.status);
	if (probe.status >= 300 && probe.status < 400)
		return {
			verdict: 'redirect',
			message: `${host} sends requests on to ${String(probe.headers?.location ?? 'another address')} (${probe.status}); the service does not follow`,
			hint: 'Set WEBHOOK_URL to the address that answers itself: usually with https and without a redirect.',
		};
	if (/signature or the timestamp is not valid/.test(said))
		return {
			verdict: 'wrong_key',
			message: `A trigger answers at ${host}, but it does not know the API key of this node's credential`,
			hint: 'Choose in this node the same credential as in the trigger. If it is the same, the address belongs to another n8n, or something drops the query of the address.',
		};
	if (probe.status >= 500)
		return {
			verdict: 'server_error',
			message: `${host} answers with an error (${probe.status})`,
			hint: `n8n may be down behind its proxy. ${askAdmin}`,
		};
	return otherServer(host, probe.status);
}

const otherServer = (host: string, status: number): Verdict => ({
	verdict: 'other_server',
	message: `Another server than this trigger answers at ${host} (${status})`,
	hint: 'The address leads somewhere else: a login page, a firewall, another n8n, or a trigger of an older version of this package. Check WEBHOOK_URL and what stands in front of n8n.',
});

/** What the trigger received of what was sent. */
function trouble(report: ProbeReport, { sent, url: sentTo }: ProbeResult, url: string): Verdict | undefined {
	if (report.body_sha256 !== sent.body_sha256)
		return {
			verdict: 'body_changed',
			message:
				'Something between the service and n8n changes the body of requests, so that no signature fits',
			hint: `Turn off what rewrites, packs or filters bodies on the way. ${askAdmin}`,
		};
	if (report.signature !== sent.signature || report.timestamp !== sent.timestamp)
		return {
			verdict: 'headers_changed',
			message:
				'Something between the service and n8n drops or changes the headers x-service-signature and x-service-timestamp',
			hint: `Let them through unchanged. ${askAdmin}`,
		};
	if (report.address !== sentTo)
		return {
			verdict: 'address_moved',
			message: `The service delivers to ${url}, but this n8n is at ${report.address} now`,
			hint: `The trigger moves its subscription at the next start of n8n. To move it at once: ${publishAnew}`,
		};
	return undefined;
}

function deliveries({ deliveries: { dead_letter = 0, failed = 0 }, lastError }: Findings): Verdict {
	if (Number(dead_letter) > 0)
		return {
			verdict: 'dead_letters',
			message: `Deliveries arrive, but the service has given up ${String(dead_letter)} earlier ones${lastError ? ` (${lastError})` : ''}`,
			hint: 'The trigger catches them up by itself, at its next check.',
		};
	if (Number(failed) > 0)
		return {
			verdict: 'failing',
			message: `Deliveries arrive, but the service still tries ${String(failed)} that failed${lastError ? ` (${lastError})` : ''}`,
			hint: 'It sends them again by itself. If there are more and more, run this again while they fail.',
		};
	return {
		verdict: 'ok',
		message: 'The service has the subscription, and a signed request to its address reaches the trigger',
		hint: 'If a workflow does not start all the same, check the events that are chosen in the trigger, and its Brand IDs.',
	};
}

function reportIn(body: unknown): ProbeReport | undefined {
	const report = body as Partial<ProbeReport> | null | undefined;
	return typeof report === 'object' && report?.status === 'probe' ? (report as ProbeReport) : undefined;
}
