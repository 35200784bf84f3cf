import { compact } from 'lodash';

import { refusal } from '../api/failure';
import { decoded } from '../api/fileTypes';

type Reach = 'machine' | 'network' | 'everywhere';

/** From where a host can be reached, by its name or number as `URL` writes it; the first row that fits counts. */
const hosts: ReadonlyArray<readonly [RegExp, Reach]> = [
	[/^((.*\.)?localhost|host\.docker\.internal|(127|0)(\.\d+){3}|\[::(1|ffff:7f00:\w+)?\])$/, 'machine'],
	// Private, link-local and shared networks (RFC 1918, 3927, 6598), and what is no address of one host.
	[
		/^(10|172\.(1[6-9]|2\d|3[01])|192\.168|169\.254|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|22[4-9]|2[3-5]\d)(\.\d+)+$/,
		'network',
	],
	[/^\[(f[cd]|fe[89ab])/, 'network'],
	// A bare name is a container or a machine next door.
	[/^[^.[]*$|\.(local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/, 'network'],
	[/^/, 'everywhere'],
];

export function reachOf(url: URL): Reach {
	const host = url.hostname.toLowerCase().replace(/\.$/, '');
	return hosts.find(([pattern]) => pattern.test(host))![1];
}

/** One form of an address, however a service writes it: capitals, default port, umlauts, percent signs, a slash at the end (n8n drops it). */
export function canonicalAddress(address: string): string {
	if (!URL.canParse(address)) return address;
	const url = new URL(address);
	url.hash = '';
	url.hostname = url.hostname.replace(/\.$/, '');
	const segments = url.pathname.split('/').map((one) => encodeURIComponent(decoded(one)));
	url.pathname = segments.join('/').replace(/\/$/, '');
	return url.href;
}

export const isSameAddress = (a: string, b: string): boolean => canonicalAddress(a) === canonicalAddress(b);

/** Whether an address is another one with the same path (that of a trigger has an ID of its own), or one of `former`. */
export const isElsewhere = (address: string, url: string, former: string[] = []): boolean =>
	!isSameAddress(address, url) &&
	(pathOf(address) === pathOf(url) || former.some((one) => isSameAddress(address, one)));

const pathOf = (address: string): string =>
	URL.canParse(address) ? new URL(canonicalAddress(address)).pathname : address;

const setting =
	'Set the environment variable WEBHOOK_URL of n8n (newer versions also know it as N8N_WEBHOOK_URL) to the https address at which n8n can be reached from outside, restart n8n and publish the workflow again. Behind a reverse proxy, also set N8N_PROXY_HOPS.';

/** Why the service may not reach an address of this n8n, as far as its name says. @throws Failure where it can't deliver there */
export function doubtOfAddress(webhookUrl: string, serviceUrl: string): string | undefined {
	const refuse = (message: string) => refusal('WEBHOOK_ADDRESS', message, setting);
	const url = URL.canParse(webhookUrl) ? new URL(webhookUrl) : undefined;
	if (!url || !/^https?:$/.test(url.protocol))
		throw refuse(`The address of this workflow isn't a web address: ${webhookUrl}`);
	const service = reachOf(new URL(serviceUrl));
	const here = reachOf(url);
	if (service === 'everywhere' && url.protocol !== 'https:')
		throw refuse(`The service delivers to https addresses only, but this n8n gives out ${url.origin}`);
	if (here === 'machine' && service !== 'machine')
		throw refuse(`The service can't reach this n8n: ${url.origin} is known only on this machine`);
	// Both may be on the same network, or a VPN.
	const isDoubtful = here === 'network' && service === 'everywhere';
	// A node without an ID: n8n keeps its name in the path encoded, but looks it up decoded.
	const isEncoded = url.pathname.split('/').at(-2)?.includes('%');
	const doubts = [
		isDoubtful &&
			`the service may not reach ${url.origin}, which looks like an address of a private network. If no events arrive, set WEBHOOK_URL to the https address at which n8n can be reached from outside`,
		isEncoded &&
			`n8n may not find the workflow at ${url.href}. If no events arrive, replace the trigger node with a new one in the editor and publish the workflow again`,
	];
	return compact(doubts).join('; ') || undefined;
}
