import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How often the health check asks, in ms. */
const EVERY = 250;

export interface Front {
	origin: string;
	stop(): Promise<void>;
}

/**
 * What should stand before n8n: a proxy that passes requests on only while n8n says that it is ready, and answers 503
 * otherwise. Without one, n8n itself answers webhooks with 200 while it is starting.
 */
export async function startFront(n8nOrigin: string): Promise<Front> {
	let ready = false;
	const check = async () => {
		const answer = await fetch(`${n8nOrigin}/healthz/readiness`).catch(() => undefined);
		ready = answer?.status === 200;
		await answer?.body?.cancel();
	};
	await check();
	const timer = setInterval(() => void check(), EVERY);

	const server = createServer((incoming, outgoing) => {
		const refuse = () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(503).end());
		if (!ready) return refuse();
		const { method, headers, url } = incoming;
		const passedOn = request(`${n8nOrigin}${url}`, { method, headers }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.on('error', refuse);
			answer.pipe(outgoing);
		});
		passedOn.on('error', refuse);
		outgoing.on('close', () => passedOn.destroy());
		incoming.pipe(passedOn);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		stop: async () => {
			clearInterval(timer);
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
