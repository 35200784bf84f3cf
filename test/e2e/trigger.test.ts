import { poll } from '../n8n/client';
import { byId } from '../support/e2e/flow';
import { OwnN8n } from '../support/e2e/ownN8n';
import { repeats } from '../support/e2e/repeats';
import { deliver, emit, newEvent } from '../support/e2e/sender';
import { step } from '../support/e2e/step';
import { hookOf, nothing, ours, tell } from '../support/e2e/workflows';
import { sharedN8n } from './shared';

/** The trigger in a real n8n; the same tests at full size: `npm run soak -- trigger`. */

let own: OwnN8n;

beforeAll(async () => void (own = await OwnN8n.in(await sharedN8n())));
afterEach(async () => await own.field.clear());
afterAll(async () => await own?.close());

const arrival = async (id: string, times = 1) =>
	await poll(
		`event ${id} behind the trigger`,
		() => own.arrivals(id),
		(found) => found >= times,
	);

test('repeated events arrive once each, those that come at the same moment too', async () => {
	const { field, sink } = own;
	const { id, receiver } = await field.publish(ours([tell(sink.url)], { name: 'Repeats' }));
	const { doubled, lost, answers } = await repeats({ count: 120, deliver, receiver, sink });
	expect({ doubled, lost }).toEqual({ doubled: 0, lost: 0 });
	expect(answers['200 duplicate']).toBeGreaterThan(0);
	const execution = JSON.stringify(await field.n8n.waitForExecution(id));
	expect(execution).toContain('evt_');
	expect(execution).not.toContain(receiver.secret);
	expect(execution).not.toContain('x-service-signature');
});

test('one subscription through all changes of the workflow, and none after it', async () => {
	const { field, service } = own;
	const life = await own.published('Life', 'post.published');
	const subscriptions = () => own.subscriptions(life);
	const one = async (fits: (webhook: any) => boolean = () => true) => {
		const isOne = (all: unknown[]) => all.length === 1 && fits(all[0]);
		return (await poll('exactly one subscription that fits', subscriptions, isOne))[0]!;
	};
	const works = async (workspaceId?: string) => await arrival(emit(service, { workspaceId }));

	await step('published: one subscription, events arrive', async () => {
		await one(({ events }) => events.join() === 'post.published');
		await works();
	});

	await step('other events: one subscription, and the old one is gone', async () => {
		const before = await one();
		const events = ['post.published', 'post.failed'];
		await field.change(life.id, ([trigger]: any) => (trigger.parameters.events = events));
		const after = await one((webhook) => webhook.events.length === 2);
		expect(after.id).not.toBe(before.id);
		await works();
	});

	await step('another workspace: one subscription, there', async () => {
		const workspaces = [...service.store.workspaces.keys()];
		const other = workspaces.find((each) => each !== 'ws_main')!;
		await own.setKey(field.credential, service.addKey({ plan: 'enterprise', workspaces }));
		for (const wanted of [other, 'ws_main']) {
			const options = { workspaceId: byId(wanted) };
			await field.change(life.id, ([trigger]: any) => (trigger.parameters.options = options));
			await one(({ workspaceId }) => workspaceId === wanted);
			await works(wanted);
		}
	});

	await step('another credential: one subscription, with a secret made from the new key', async () => {
		const { secret } = await one();
		const id = await own.ownAccount();
		const credentials = { socialPublishingApi: { id, name: 'Other' } };
		await field.change(life.id, ([trigger]: any) => (trigger.credentials = credentials));
		const after = await one((webhook) => webhook.secret !== secret);
		// What was signed with the old secret is forged now.
		expect((await deliver({ url: after.url, secret }, newEvent())).status).toBe(401);
		await works();
	});

	await step('"Listen for test event": a subscription of its own, which goes with the test', async () => {
		const live = await one();
		const start = { triggerToStartFrom: { name: 'Trigger' } };
		const listening = await field.n8n.rest('POST', `/workflows/${life.id}/run`, start);
		expect(listening.waitingForWebhook).toBe(true);
		const all = await poll('two subscriptions', subscriptions, ({ length }) => length === 2);
		const test = all.find(({ id }) => id !== live.id)!;
		expect(test.url).toContain('/webhook-test/');
		expect(test.secret).not.toBe(live.secret);
		const event = emit(service);
		// From the test and from the live execution.
		await arrival(event, 2);
		await one(({ id }) => id === live.id);
		expect(own.arrivals(event)).toBe(2);
	});

	await step('deleting the workflow deletes the subscription', async () => {
		await own.remove(life);
		await poll('no subscription', subscriptions, ({ length }) => length === 0);
	});
});

test('two triggers in one workflow: two subscriptions, and none when it is unpublished', async () => {
	const { field, service, sink } = own;
	const double = ours([tell(sink.url)], { name: 'Two' });
	const second = { ...ours([nothing]).nodes[0], name: 'Second' };
	double.nodes.push(second);
	double.connections.Second = double.connections.Trigger;
	const { id } = await field.publish(double);
	expect(field.subscriptions(second.webhookId)).toHaveLength(1);
	const event = emit(service);
	await arrival(event, 2);
	await field.unpublish(id);
	expect([...field.subscriptions(hookOf(double)), ...field.subscriptions(second.webhookId)]).toEqual([]);
	expect(own.arrivals(event)).toBe(2);
});
