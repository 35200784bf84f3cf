import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type N8nClient, poll, request } from '../../n8n/client';
import { requireFromN8n } from './mcpClient';

/** A mail server on loopback, and a person who presses the buttons of the e-mails. */

export interface Mail {
	subject: string;
	html: string;
	/** Presses a button as a browser does; what the page says. */
	press(button: 'Approve' | 'Decline'): Promise<string>;
}

export type Mailbox = Awaited<ReturnType<typeof startMailbox>>;

export async function startMailbox() {
	const mails: string[] = [];
	let isFull = false;
	const server = createServer((socket) =>
		receive(socket, (text) => {
			if (!isFull) mails.push(text);
			return isFull ? '452 Full' : '250 OK';
		}),
	);
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		async account(n8n: N8nClient) {
			const data = { user: '', password: '', host: '127.0.0.1', port, secure: false, disableStartTls: true };
			return { smtp: await n8n.createCredential('SMTP account', 'smtp', data) };
		},
		/** As long as it is full, no e-mail can be sent. */
		setFull: (is: boolean) => void (isFull = is),
		next: async () => await mailOf(await poll('an e-mail', () => mails.shift())),
		close: () => server.close(),
	};
}

/** As much of SMTP (RFC 5321) as one sender needs. */
function receive(socket: Socket, take: (text: string) => string): void {
	let text = '';
	let isData = false;
	socket.setEncoding('utf8').on('data', (chunk) => {
		text += chunk;
		for (let end; (end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n')) >= 0;) {
			const part = text.slice(0, end);
			text = text.slice(end + (isData ? 5 : 2));
			const answers: Record<string, string> = { DATA: '354 OK', QUIT: '221 OK' };
			socket.write(`${isData ? take(part) : (answers[part] ?? '250 OK')}\r\n`);
			isData = !isData && part === 'DATA';
		}
	});
	socket.on('error', () => socket.destroy()).write('220 mailbox\r\n');
}

async function mailOf(text: string): Promise<Mail> {
	const { simpleParser } = await requireFromN8n('n8n-nodes-base', 'mailparser');
	const { subject, html } = await simpleParser(text);
	return {
		subject,
		html,
		async press(button) {
			const link = new RegExp(`<a href="([^"]+)"[^>]*>${button}</a>`).exec(html)?.[1];
			if (!link) throw new Error(`The e-mail has no button '${button}'`);
			// n8n doesn't let anything that looks like a program press a button.
			const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36';
			const page = await request(link.replace(/&amp;/g, '&'), { headers: { 'user-agent': agent } });
			return await page.text();
		},
	};
}
