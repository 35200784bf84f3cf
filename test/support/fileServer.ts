import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface FileServer {
	url: string;
	requests: Array<{ method: string; url: string; headers: IncomingHttpHeaders }>;
	/** What a path (without query) is answered with, until told otherwise. */
	on(path: string, answer: Answer): string;
	close(): Promise<void>;
}

/** A web server with files, as good or bad as a test wants it. */
export async function startFiles(): Promise<FileServer> {
	const answers = new Map<string, Answer>();
	const requests: FileServer['requests'] = [];
	const server = createServer((request, response) => {
		const { method = '', url = '', headers } = request;
		requests.push({ method, url, headers });
		const answer = answers.get(url.split('?')[0]!);
		if (answer) return answer(request, response);
		response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	server.unref();
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
		requests,
		on(path, answer) {
			answers.set(path, answer);
			return url + path;
		},
		async close() {
			server.closeAllConnections();
			await new Promise((done) => server.close(done));
		},
	};
}

/** Answers with these bytes, with or without their length. */
export const bytes =
	(content: Buffer, type = 'image/png', { length = true } = {}): Answer =>
	(_request, response) => {
		const size = length ? { 'content-length': content.length } : {};
		response.writeHead(200, { 'content-type': type, ...size }).end(content);
	};
