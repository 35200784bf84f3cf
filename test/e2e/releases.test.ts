import { times } from 'lodash';

import { errorOf, type ExecutionSummary, itemsOf, N8nRestError, poll } from '../n8n/client';
import { accountOf, credentialFor } from '../n8n/examples';
import type { N8n } from '../n8n/instance';
import type { Ours } from '../support/e2e/field';
import {
	agentFlow,
	createParameters,
	flow,
	manual,
	ours,
	runFlow,
	socialPublishing,
} from '../support/e2e/flow';
import { uploadEverywhere } from '../support/e2e/media';
import { modelAccount, startModel } from '../support/e2e/model';
import { deliver, emit, newEvent } from '../support/e2e/sender';
import { breakOffAndRetry, count, MOVING, sender, words } from '../support/e2e/writes';
import { addPost, posts } from '../support/store';
import { ownN8n, useField } from './shared';

/**
 * What has to work in every n8n that the package supports. `N8N_RELEASE="1.123.81 npm" npm run test:e2e` runs it in one of
 * test/n8n/releases.ts. Where an older n8n gives less than the newest, the test says from which version on.
 */

const packageName = 'n8n-nodes-social-publishing';
// With its editor: n8n writes the list of nodes for it.
const field = useField(async () => await ownN8n({ editor: true }));
beforeEach(() => {
	field.service.faults.clear();
	field.service.store.posts.clear();
});
afterEach(async () => await field.clear());

const isBelow = (version: string): boolean =>
	field.n8n.version.localeCompare(version, 'en', { numeric: true }) < 0;

test('both nodes, the tool and the credential load, and the log has no word about them', async () => {
	const { n8n } = field;
	const names = (await n8n.get('/types/nodes.json')).map(({ name }: { name: string }) => name);
	for (const node of ['socialPublishing', 'socialPublishingTool', 'socialPublishingTrigger'])
		expect(names).toContain(`${packageName}.${node}`);
	const credentials = await n8n.get('/types/credentials.json');
	expect(credentials).toContainEqual(expect.objectContaining({ name: 'socialPublishingApi' }));
	// The folder that n8n is installed in has the package's name, too.
	const log = n8n.log().replaceAll(n8n.host.folder, '…').replaceAll(n8n.userFolder, '…');
	expect(log).not.toContain(packageName);
});

test('the credential is tested', async () => {
	const { n8n, service } = field;
	const verdict = async (key: string) =>
		await n8n.testCredential('socialPublishingApi', credentialFor(service, key));
	expect(await verdict(service.keys.full)).toMatchObject({ status: 'OK' });
	expect(await verdict('not-a-key')).toMatchObject({
		status: 'Error',
		message: expect.stringMatching(/key/i),
	});
});

test('the lists of the editor, and the reason where one fails', async () => {
	const { n8n, service, credential } = field;
	const ask = async (kind: string, path: string, methodName: string, id = credential) =>
		await n8n.rest('POST', `/dynamic-node-parameters/${kind}`, {
			nodeTypeAndVersion: { name: `${packageName}.socialPublishing`, version: 1 },
			path: `parameters.${path}`,
			methodName,
			currentNodeParameters: { resource: 'post', operation: 'create', options: {} },
			credentials: { socialPublishingApi: { id, name: 'Account' } },
		});
	expect(await ask('options', 'platforms', 'getPlatforms')).toContainEqual(
		expect.objectContaining({ value: 'linkedin' }),
	);
	addPost(service, { id: 'post_done', status: 'completed' });
	const { results } = await ask('resource-locator-results', 'postId', 'searchPosts');
	expect(results).toContainEqual(expect.objectContaining({ value: 'post_done' }));
	const { socialPublishingApi: expired } = await accountOf(n8n, service, service.keys.expired);
	await expect(ask('resource-locator-results', 'postId', 'searchPosts', expired)).rejects.toThrow(/expired/i);
});

test("a tool of n8n's AI agent: three calls, of which two say the same, are two posts", async () => {
	const { n8n, service, credentials } = field;
	const model = await startModel();
	const turns = [['One', 'Two'], ['One']];
	model.follow((_asked, turn) => {
		const calls = turns[turn]?.map((text) => ({ tool: 'Social', args: { text } }));
		return calls ? { calls } : { says: 'Done.' };
	});
	const text = "={{ $fromAI('text', 'What the post says', 'string') }}";
	const workflow = agentFlow({ Social: createParameters({ text }) });
	const id = await field.save(workflow, { ...credentials, ...(await modelAccount(n8n, model)) });
	const run = await n8n.runWorkflow(id, { trigger: 'Start' });
	await model.close();
	expect(errorOf(run)).toBeUndefined();
	expect(
		posts(service)
			.map((post) => post.text)
			.sort(),
	).toEqual(['One', 'Two']);
});

test('posts and files go out', async () => {
	const { n8n, service } = field;
	const at = { when: 'at', scheduledAt: new Date(Date.now() + 3_600_000).toISOString() };
	const post = socialPublishing(createParameters({ platforms: ['x', 'linkedin'], text: 'Word', ...at }));
	const items = itemsOf(await n8n.runWorkflow(await field.save(flow('By hand', [manual, post]))), 'Post');
	const scheduled = { status: 'scheduled', idempotency_key: expect.any(String) };
	expect(items).toEqual([expect.objectContaining(scheduled), expect.objectContaining(scheduled)]);
	service.store.posts.clear();
	await uploadEverywhere(n8n, service);
});

describe('no post is sent twice', () => {
	/** A workflow that sends one post for each item of the request that starts it; its ID. */
	const save = async (more: Record<string, unknown>, settings = {}): Promise<string> =>
		await field.save(sender(socialPublishing(createParameters(more), settings)));

	test('Retry On Fail', async () => {
		const { n8n, service } = field;
		service.faults.add({ kind: 'dropAfter', method: 'POST', rate: 0.5, seed: 3, times: 0 });
		const again = { retryOnFail: true, maxTries: 5, waitBetweenTries: 10 };
		await runFlow(n8n, await save({ text: MOVING, options: { maxRetryWait: 0 } }, again), {
			items: words(5),
		});
		expect(count(service, 5)).toMatchObject({ doubled: 0 });
		expect(posts(service).length).toBeGreaterThan(1);
	});

	test('Retry execution, as it was and as the workflow is saved now', async () => {
		const { n8n, service } = field;
		service.faults.add({ kind: 'dropAfter', method: 'POST', skip: 2, times: 1 });
		const id = await save({ text: MOVING, options: { maxRetryWait: 0 } });
		const first = await runFlow(n8n, id, { items: words(5) });
		expect(first.status).toBe('error');
		service.faults.add({ kind: 'dropAfter', method: 'POST', times: 1 });
		const second = await n8n.retryExecution(first.id);
		expect(second.status).toBe('error');
		expect((await n8n.retryExecution(second.id, { loadWorkflow: true })).status).toBe('success');
		expect(count(service, 5)).toMatchObject({ posts: 5, missing: 0, doubled: 0 });
	});

	/** Breaks a run off when some posts are sent; what its retry did. */
	async function brokenOff(options: object, breakOff: (n8n: N8n, execution: string) => Promise<unknown>) {
		const { n8n, service } = field;
		const id = await save({ options });
		const { retry } = await breakOffAndRetry(n8n, service, id, 30, async (one) => await breakOff(n8n, one));
		// A run that was killed may be there, too.
		const post = retry.data.resultData.runData.Post?.at(-1);
		return { ...count(service, 30), ran: post !== undefined, hints: JSON.stringify(post?.hints ?? []) };
	}

	test('stopped while sending, then retried', async () => {
		const found = await brokenOff({}, async (n8n, execution) => await n8n.stopExecution(execution));
		expect(found.doubled).toBe(0);
		// Before 2.41, n8n forgets the node that it stopped: the retry does nothing and reports success.
		expect([found.ran, found.missing === 0]).toEqual(isBelow('2.41.0') ? [false, false] : [true, true]);
	});

	test.each<[name: string, options: object]>([
		['When I Retry', {}],
		['Same Text and Time', { avoidDuplicates: { by: { mode: 'content' } } }],
	])('kill -9 while sending, then retried: %s', async (name, options) => {
		const found = await brokenOff(options, async (n8n) => {
			await n8n.kill();
			await n8n.restart();
		});
		expect(found.missing).toBe(0);
		// Before 2.14, n8n gives the retry nothing that tells it from a new execution; a hint says what to do.
		const isForgotten = isBelow('2.14.0') && name === 'When I Retry';
		if (isForgotten) expect(found.hints).toContain('Avoid Duplicates');
		else expect(found.doubled).toBe(0);
	});
});

describe('the trigger', () => {
	const publish = async () => await field.publish(field.workflow('Published', 'post.published'));

	/**
	 * The event was passed on exactly once, when nothing is running any more. What began before `since`, when n8n was killed, n8n
	 * may show as running for ever (docs/development/measurements.md).
	 */
	async function arrivesOnce(event: string, { id }: Ours, since = 0): Promise<void> {
		await field.arrived(event);
		const isRunning = ({ status, startedAt }: ExecutionSummary): boolean =>
			['new', 'running', 'waiting'].includes(status) && !(Date.parse(startedAt) < since);
		const running = async () => (await field.n8n.executions(id)).filter(isRunning);
		await poll('n8n to be done', running, ({ length }) => length === 0);
		expect(field.sink.times(event)).toBe(1);
	}

	test('an event and its copies are one execution, a forged one none; unpublished, there is no subscription', async () => {
		const one = await publish();
		await arrivesOnce(emit(field.service), one);
		const event = newEvent();
		await Promise.all(times(3, async () => await deliver(one.receiver, event)));
		expect(await deliver(one.receiver, event)).toMatchObject({
			status: 200,
			body: expect.stringContaining('duplicate'),
		});
		await arrivesOnce(event.id, one);
		const executions = (await field.n8n.executions(one.id)).length;
		expect(await deliver({ ...one.receiver, secret: 'guess' }, newEvent())).toMatchObject({ status: 401 });
		expect(await field.n8n.executions(one.id)).toHaveLength(executions);
		await field.unpublish(one);
		expect(field.subscriptions(one)).toEqual([]);
	});

	test('a change is published while a delivery waits for its next try: the event arrives', async () => {
		const { service } = field;
		const one = await publish();
		// The trigger refuses what is signed with it.
		one.receiver.secret = 'of nobody';
		const event = emit(service);
		await service.deliveries.idle();
		expect(field.sink.times(event)).toBe(0);
		await field.change(one, ({ parameters }) => parameters.events.push('post.scheduled'));
		await arrivesOnce(event, one);
		await field.one(one, ({ events }) => events.includes('post.scheduled'));
	});

	test.each<[string, (n8n: N8n) => Promise<void>]>([
		['restarted', async (n8n) => await n8n.restart()],
		[
			'killed',
			async (n8n) => {
				await n8n.kill();
				await n8n.restart();
			},
		],
	])('n8n is %s: nothing arrives again, and what is new arrives', async (_how, happens) => {
		const one = await publish();
		const event = newEvent();
		await deliver(one.receiver, event);
		await happens(field.n8n);
		const since = Date.now();
		const again = async () => await deliver(one.receiver, event);
		await poll('n8n to take deliveries', again, ({ status }) => status === 200);
		await arrivesOnce(event.id, one, since);
		await field.works(one);
	});

	test('what the service has given up while n8n was away arrives once', async () => {
		const { n8n, service } = field;
		const one = await publish();
		await n8n.kill();
		const event = emit(service);
		for (let hour = 0; hour < 24; hour++) {
			await service.clock.advance(3_600_000);
			await service.deliveries.idle();
		}
		const given = service.deliveries.history().find((each) => each.event.id === event);
		expect(given?.status).toBe('dead_letter');
		await n8n.restart();
		await arrivesOnce(event, one);
	});

	test('a copy with the same address is refused by n8n, and the first one stays subscribed', async () => {
		const one = await publish();
		const before = field.subscriptions(one);
		const workflow = await field.n8n.rest('GET', `/workflows/${one.id}`);
		const copy = await field.save({ ...workflow, name: 'Copy' });
		const publishing = field.n8n.activate(copy).then(
			() => 'published',
			() => 'refused',
		);
		// From 2.0 to 2.9, n8n gives the copy the address of the first one, which then gets nothing more.
		const isTaken = !isBelow('2.0.0') && isBelow('2.10.0');
		expect(await publishing).toBe(isTaken ? 'published' : 'refused');
		await field.remove({ id: copy });
		if (!isTaken) expect(field.subscriptions(one)).toEqual(before);
	});

	test('published with a key that is refused: n8n says so', async () => {
		const { n8n, service } = field;
		const id = await field.save(ours([], { name: 'Refused' }), await accountOf(n8n, service, 'not-a-key'));
		const answer = await n8n.activate(id).then(
			() => 'success',
			(error: unknown) => (error instanceof N8nRestError ? error.status : error),
		);
		// From 2.40 on, n8n publishes after it has answered, and shows in the editor that it failed.
		if (isBelow('2.40.0')) expect(answer).not.toBe('success');
		else expect(JSON.stringify(await field.settled(id, 'failed'))).toMatch(/API key/);
	});
});
