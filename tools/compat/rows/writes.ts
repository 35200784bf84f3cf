import {
	call,
	createParameters,
	flow,
	manual,
	runFlow,
	socialPublishing,
} from '../../../test/support/e2e/flow';
import { uploadEverywhere } from '../../../test/support/e2e/media';
import { answerOnly, MOVING, sender, untilSent, wordIn, words } from '../../../test/support/e2e/writes';
import { type Execution, itemsOf } from '../../../test/n8n/client';
import { demand, demandCount, type Scene, type Stage } from '../stage';

/** The action node: what it sends, and that nothing is sent twice. */

const textsOf = ({ service }: Stage): string[] =>
	[...service.store.posts.values()].map(({ text }) => text).filter((text) => text.startsWith('Word'));

async function create(stage: Stage): Promise<void> {
	const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
	const parameters = createParameters({
		platforms: ['x', 'linkedin'],
		text: 'Word',
		when: 'at',
		scheduledAt,
	});
	const id = await stage.create(flow('By hand', [manual, socialPublishing(parameters)]));
	const items = itemsOf(await stage.n8n.runWorkflow(id), 'Post');
	demand(
		items.length === 2 && items.every(({ status, idempotency_key: key }) => status === 'scheduled' && key),
		`Items: ${JSON.stringify(items).slice(0, 300)}`,
	);
	demandCount(textsOf(stage).length, 2, 'posts');
}

async function upload({ n8n, service }: Stage): Promise<void> {
	await uploadEverywhere(n8n, service);
}

/** A workflow that sends one post for each item of the request that starts it; its ID. */
const save = async (stage: Stage, more: Record<string, unknown>, settings = {}): Promise<string> =>
	await stage.create(sender(socialPublishing(createParameters(more), settings)));

async function retryOnFail(stage: Stage): Promise<void> {
	stage.service.faults.add({ kind: 'dropAfter', method: 'POST', rate: 0.5, seed: 3, times: 0 });
	const again = { retryOnFail: true, maxTries: 5, waitBetweenTries: 10 };
	const id = await save(stage, { text: MOVING, options: { maxRetryWait: 0 } }, again);
	await runFlow(stage.n8n, id, { items: words(5) });
	const texts = textsOf(stage).map(wordIn);
	demand(texts.length > 1, 'Nothing was sent');
	demandCount(texts.length, new Set(texts).size, 'posts');
}

async function retry(stage: Stage): Promise<void> {
	const { n8n, service } = stage;
	service.faults.add({ kind: 'dropAfter', method: 'POST', skip: 2, times: 2 });
	const id = await save(stage, { text: MOVING, options: { maxRetryWait: 0, concurrency: 1 } });
	const first = await runFlow(n8n, id, { items: words(5) });
	demand(first.status === 'error', `The first run ended as ${first.status}`);
	const second = await n8n.retryExecution(first.id);
	demand(second.status === 'error', `The retry ended as ${second.status}`);
	const third = await n8n.retryExecution(second.id, { loadWorkflow: true });
	const last = third.status === 'error' ? await n8n.retryExecution(third.id) : third;
	demand(last.status === 'success', `The last retry ended as ${last.status}`);
	demandCount(textsOf(stage).length, 5, 'posts');
}

const ITEMS = 30;

/** Starts a run that sends 30 posts and returns when some of them are sent: it can't end by itself. */
async function startSending(stage: Stage, options: Record<string, unknown>): Promise<string> {
	const { n8n, service } = stage;
	answerOnly(service, 8);
	const id = await save(stage, { options });
	await n8n.activate(id);
	await call(n8n, id, { items: words(ITEMS) });
	await untilSent(service, 8);
	const [running] = await n8n.executions(id);
	demand(running, 'n8n shows no execution');
	return running.id;
}

async function afterRetry(stage: Stage, broken: Execution): Promise<void> {
	const sent = textsOf(stage).length;
	demand(sent < ITEMS, 'All posts were sent before it ended');
	stage.service.faults.clear();
	const last = await stage.n8n.retryExecution(broken.id);
	const texts = textsOf(stage);
	const twice = texts.length - new Set(texts).size;
	const missing = ITEMS - new Set(texts).size;
	const post = last.data.resultData.runData.Post?.at(-1);
	const hints: Array<{ message: string }> = post?.hints ?? [];
	const warned = hints.some(({ message }) => message.includes('Avoid Duplicates'));
	const found = [
		...(twice ? [`${twice} twice, the node ${warned ? 'says so' : 'does not say so'}`] : []),
		...(missing ? [`${missing} not sent`] : []),
		...(post ? [] : [`the retry says ${last.status} and did not run the node`]),
	];
	demand(twice === 0 && missing === 0, found.join(', '));
}

const stop = (options: Record<string, unknown>) => async (stage: Stage) => {
	const id = await startSending(stage, options);
	await stage.n8n.stopExecution(id);
	await afterRetry(stage, await stage.n8n.waitForFinish(id));
};

const kill = (options: Record<string, unknown>) => async (stage: Stage) => {
	const id = await startSending(stage, options);
	await stage.n8n.kill();
	await stage.n8n.restart();
	const crashed = await stage.n8n.waitForFinish(id);
	demand(crashed.status === 'crashed', `n8n shows the execution as ${crashed.status}`);
	await afterRetry(stage, crashed);
};

const sameContent = { idempotencyKeyMode: 'content' };

export const writes: Scene = {
	'Post → Create': create,
	'Media → Upload, from a field and from an address': upload,
	'Retry On Fail: each post once': retryOnFail,
	'Retry of a failed execution, as it was and as saved now: each post once': retry,
	'Stopped while sending 30, then retried: each post once': stop({}),
	'The same with Same Text and Time': stop(sameContent),
	'kill -9 while sending 30, then retried: each post once': kill({}),
	'The same kill -9 with Same Text and Time': kill(sameContent),
};
