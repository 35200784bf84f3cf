import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

import { type N8nClient, poll } from '../../n8n/client';
import { request } from '../../n8n/rest';

/** n8n doesn't let anything that looks like a program press a button. */
const browser = {
	'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36',
};

/** A mail server on loopback, and a person who presses the buttons of the e-mails. */

export interface Mail {
	subject: string;
	html: string;
	/** Presses a button as a browser does; what the page says. */
	press(button: 'Approve' | 'Decline'): Promise<string>;
}

export interface Mailbox {
	/** For n8n's *Send Email* nodes. */
	account(n8n: N8nClient): Promise<{ smtp: string }>;
	/** Waits for the next e-mail. */
	next(): Promise<Mail>;
	close(): void;
}

export async function startMailbox(): Promise<Mailbox> {
	const mails: Mail[] = [];
	let read = 0;
	const server = createServer((socket) => receive(socket, (text) => mails.push(mailOf(text))));
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		async account(n8n) {
			const data = { user: '', password: '', host: '127.0.0.1', port, secure: false, disableStartTls: true };
			return { smtp: await n8n.createCredential('SMTP account', 'smtp', data) };
		},
		async next() {
			const mail = await poll('an e-mail', async () => mails[read]);
			read++;
			return mail;
		},
		close: () => server.close(),
	};
}

/** As much of SMTP (RFC 5321) as one sender needs. */
function receive(socket: Socket, arrived: (text: string) => void): void {
	let text = '';
	let isData = false;
	socket.setEncoding('utf8').on('data', (chunk) => {
		text += chunk;
		for (let end; (end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n')) >= 0;) {
			const part = text.slice(0, end);
			text = text.slice(end + (isData ? 5 : 2));
			if (isData) arrived(part);
			isData = !isData && part === 'DATA';
			socket.write(`${isData ? 354 : part === 'QUIT' ? 221 : 250} OK\r\n`);
		}
	});
	socket.on('error', () => socket.destroy()).write('220 mailbox\r\n');
}

function mailOf(text: string): Mail {
	const [head = '', ...body] = text.split('\r\n\r\n');
	const headers = head.replace(/\r\n\s+/g, ' ');
	const encoded = body.join('\r\n\r\n').replace(/^\.\./gm, '.');
	const html = /^Content-Transfer-Encoding: base64$/im.test(headers)
		? Buffer.from(encoded, 'base64').toString()
		: decodeURIComponent(
				encoded
					.replace(/=\r\n/g, '')
					.replace(/%/g, '%25')
					.replace(/=([0-9A-F]{2})/g, '%$1'),
			);
	return {
		html: html.replace(/\r\n/g, '\n'),
		subject: /^Subject: (.*)$/im.exec(headers)?.[1]?.trim() ?? '',
		async press(button) {
			const link = new RegExp(`<a href="([^"]+)"[^>]*>${button}</a>`).exec(html)?.[1];
			if (!link) throw new Error(`The e-mail has no button '${button}'`);
			const page = await request(link.replace(/&amp;/g, '&'), { headers: browser });
			return await page.text();
		},
	};
}
