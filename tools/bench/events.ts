import { type N8nClient, poll } from '../../test/n8n/client';
import { deliver, inParallel, newEvent, type Receiver, type Sent } from '../../test/support/e2e/sender';

const WIDTH = 10;

/** So many requests, ten at once, each with the answer that is expected; how long they took, in s. */
export async function inTime(count: number, send: () => Promise<Sent>, expected = 200): Promise<number> {
	const started = performance.now();
	const requests = Array.from({ length: count }, () => send);
	const answers = await inParallel(requests, WIDTH);
	const wrong = answers.find(({ status }) => status !== expected);
	if (wrong) throw new Error(`Answered ${wrong.status} ${wrong.body}`);
	return (performance.now() - started) / 1000;
}

/** Sends new events until the last one has run; how long it took until all were answered, and until then, in s. */
export async function sendEvents(n8n: N8nClient, workflow: string, receiver: Receiver, count: number) {
	const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow, status: ['success'] }));
	const finished = async (): Promise<number> =>
		(await n8n.rest('GET', `/executions?limit=1&filter=${filter}`)).count;
	const before = await finished();
	const started = performance.now();
	const answered = await inTime(count, async () => await deliver(receiver, newEvent()));
	await poll('the executions', finished, (all) => all >= before + count);
	return { answered, ran: (performance.now() - started) / 1000 };
}
