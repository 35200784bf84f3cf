import { type N8nClient, poll } from '../../test/n8n/client';
import { accountOf } from '../../test/n8n/examples';
import { type Service, startService } from '../../test/service';
import { call, type FlowNode } from '../../test/support/e2e/flow';
import { MOVING, sender, words } from '../../test/support/e2e/sending';
import {
	count,
	type Counted,
	endOf,
	PATIENCE,
	postNode,
	postThroughFaults,
} from '../../test/support/e2e/writes';
import { httpRequest } from '../bench/ownN8n';
import { row, told, type Row } from '../figures';

/** Many posts through a real n8n, with figures. */

const shown = ({ missing, doubled, wrong }: Counted): string => `${missing}, ${doubled}, ${wrong}`;

const onceEach = (what: string, counted: Counted): Row =>
	row(
		`${what}: missing, doubled, with a wrong text`,
		shown(counted),
		'0, 0, 0',
		shown(counted) === '0, 0, 0',
	);

/** Our node; `text` is its Text parameter. */
async function ours(n8n: N8nClient, size: number, text: string, what: string): Promise<Row[]> {
	const posted = await postThroughFaults(n8n, size, () => postNode(text));
	return [
		row(
			`${what}: posts of ${size}, after ${posted.stops} stops`,
			posted.posts,
			String(size),
			posted.posts === size,
		),
		onceEach(what, posted),
		told(`${what}: requests; end of the last run`, `${posted.requests}; ${endOf(posted.last)}`),
	];
}

const httpRequestNode = (service: Service): FlowNode =>
	httpRequest(
		service,
		'={{ Math.random().toString(36).slice(2) }}',
		{ batchSize: 20, batchInterval: 1 },
		{ retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
	);

/** n8n's HTTP Request node with a random key an item, in the same place. */
async function theirs(n8n: N8nClient, size: number): Promise<Row[]> {
	const posted = await postThroughFaults(n8n, size, httpRequestNode);
	return [
		told(
			`HTTP Request node, a random key an item: posts of ${size}`,
			`${posted.posts} (${posted.last.status})`,
		),
		told('HTTP Request node: missing, doubled, with a wrong text', shown(posted)),
	];
}

/** `size` posts each, one request in five failing, stopped and retried. */
export async function posts(n8n: N8nClient, size: number): Promise<Row[]> {
	return [
		...(await ours(n8n, size, '={{ $json.text }}', 'the same text in every try')),
		...(await ours(n8n, size, MOVING, '$now in the text')),
		...(await theirs(n8n, size)),
	];
}

/** A run on the lowest plan that nobody helps: default options, no retry. With `scale` its minute is shorter. */
export async function lowestPlan(n8n: N8nClient, size: number, scale: number): Promise<Row[]> {
	const service = await startService({ rateWindowMs: Math.max(1000, 60_000 * scale) });
	try {
		const account = await accountOf(n8n, service, service.keys.lowest);
		const id = await n8n.createWorkflow(sender(), account);
		await n8n.activate(id);
		await call(n8n, id, { items: words(size) });
		const execution = await poll('the execution', async () => (await n8n.executions(id))[0]?.id);
		const last = await n8n.waitForFinish(execution, PATIENCE);
		await n8n.deactivate(id);
		const counted = count(service, size);
		const asked = service.requests.filter(({ method }) => method === 'POST');
		const refused = asked.filter(({ status }) => status === 429).length;
		const seconds = Math.round((asked.at(-1)!.receivedAt - asked[0]!.receivedAt) / 1000);
		const task = last.data.resultData.runData.Post?.at(-1) as
			{ hints?: Array<{ message: string }> } | undefined;
		const [said] = (task?.hints ?? []).filter(({ message }) => /requests at/.test(message));
		const what = `lowest plan, default options, ${size} posts`;
		return [
			row(`${what}: how it ended`, endOf(last), `${size} items`, endOf(last) === `${size} items`),
			onceEach(what, counted),
			told(`${what}: took`, `${seconds} s, ${refused} × 429`),
			told(`${what}: said at its beginning`, said?.message ?? 'nothing'),
		];
	} finally {
		await service.close();
	}
}
