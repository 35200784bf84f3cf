import { credentialFor } from '../n8n/examples';
import { poll, type N8nClient } from '../n8n/client';
import { startService, type Service } from '../service';
import { faultCases, withFault } from '../support/e2e/faults';
import { Field } from '../support/e2e/field';
import { flood } from '../support/e2e/flood';
import { repeats } from '../support/e2e/repeats';
import { deliver, newEvent } from '../support/e2e/sender';
import { Sink } from '../support/e2e/sink';
import { step } from '../support/e2e/step';
import { nothing, ours, tell } from '../support/e2e/workflows';
import { sharedN8n } from './shared';

/** The trigger in a real n8n; the same tests at full size: `npm run soak -- trigger`. */

let service: Service;
let n8n: N8nClient;
let field: Field;
let sink: Sink;

beforeAll(async () => {
	service = await startService();
	n8n = await sharedN8n();
	field = await Field.set(n8n, service);
	sink = await Sink.start();
});

afterEach(async () => await field.clear());

afterAll(async () => {
	await sink.stop();
	await service.close();
});

const hookOf = (workflow: Record<string, any>): string => workflow.nodes[0].webhookId;
/** How often an event came out behind triggers. */
const arrivals = (id: string) => sink.byEvent().get(id)?.length ?? 0;
const arrival = async (id: string, times = 1) =>
	await poll(
		`event ${id} behind the trigger`,
		() => arrivals(id),
		(found) => found >= times,
	);
const emit = (workspaceId = 'ws_main') =>
	service.deliveries.emit({
		type: 'post.published',
		workspaceId,
		brandId: 'brand_1',
		resource: 'r',
		data: { post_id: 'p' },
	});

describe('forged and repeated deliveries', () => {
	test('forged ones start nothing and get no 2xx', async () => {
		const { statuses, executions, passed } = await flood(field, { memory: async () => 0 }, 200, 0);
		expect(passed).toEqual([]);
		expect(Object.keys(statuses).filter((status) => !['401', '422'].includes(status))).toEqual([]);
		expect(executions).toBe(0);
	});

	test('repeated events arrive once each, those that come at the same moment too', async () => {
		const { id, receiver } = await field.publish(ours([tell(sink.url)], { name: 'Repeats' }));
		const { doubled, lost, answers } = await repeats({
			count: 120,
			deliver,
			receiver,
			sink,
			makeEvent: () => newEvent(),
		});
		expect({ doubled, lost }).toEqual({ doubled: 0, lost: 0 });
		expect(answers['200 duplicate']).toBeGreaterThan(0);
		const execution = JSON.stringify(await n8n.waitForExecution(id));
		expect(execution).toContain('evt_');
		expect(execution).not.toContain(receiver.secret);
		expect(execution).not.toContain('x-service-signature');
	});
});

describe("the subscription's life", () => {
	test('one subscription through all changes of the workflow, and none after it', async () => {
		const workflow = ours([tell(sink.url)], { name: 'Life' });
		const hook = hookOf(workflow);
		let id = '';
		const subscriptions = () => field.subscriptions(hook);
		const one = async (fits: (webhook: any) => boolean = () => true) => {
			const isOne = (all: unknown[]) => all.length === 1 && fits(all[0]);
			return (await poll('exactly one subscription that fits', subscriptions, isOne))[0]!;
		};
		const works = async (workspaceId?: string) => await arrival(emit(workspaceId).id);

		await step('published: one subscription, events arrive', async () => {
			({ id } = await field.publish(workflow));
			await one(({ events }) => events.join() === 'post.published');
			await works();
		});

		await step(
			'other events: one subscription, with another secret or the same, and the old one is gone',
			async () => {
				const before = await one();
				await field.change(
					id,
					([trigger]) => (trigger!.parameters.events = ['post.published', 'post.failed']),
				);
				const after = await one(({ events }) => events.length === 2);
				expect(after.id).not.toBe(before.id);
				await works();
			},
		);

		await step('another workspace: one subscription, there', async () => {
			const workspaces = [...service.store.workspaces.keys()];
			const other = workspaces.find((each) => each !== 'ws_main')!;
			await n8n.rest('PATCH', `/credentials/${field.credential}`, {
				name: 'Social Publishing account',
				type: 'socialPublishingApi',
				data: credentialFor(service, service.addKey({ plan: 'enterprise', workspaces })),
			});
			await field.change(
				id,
				([trigger]) =>
					(trigger!.parameters.options = { workspaceId: { __rl: true, mode: 'id', value: other } }),
			);
			await one(({ workspaceId }) => workspaceId === other);
			await works(other);
			await field.change(id, ([trigger]) => (trigger!.parameters.options = {}));
			await one(({ workspaceId }) => workspaceId === 'ws_main');
		});

		await step('another credential: one subscription, with a secret made from the new key', async () => {
			const { secret } = await one();
			const credential = await n8n.createCredential(
				'Other',
				'socialPublishingApi',
				credentialFor(service, service.addKey({ plan: 'enterprise' })),
			);
			await field.change(
				id,
				([trigger]) => (trigger!.credentials = { socialPublishingApi: { id: credential, name: 'Other' } }),
			);
			const after = await one((webhook) => webhook.secret !== secret);
			// What was signed with the old secret is forged now.
			expect((await deliver({ url: after.url, secret }, newEvent())).status).toBe(401);
			await works();
		});

		await step('deleted at the service by hand: publishing it again brings it back', async () => {
			for (const { id: webhook } of subscriptions()) service.store.webhooks.delete(webhook);
			await field.unpublish(id);
			await n8n.activate(id);
			await field.settled(id, 'published');
			await one();
			await works();
		});

		await step(
			'"Listen for test event" beside it: a subscription of its own, which goes with the test',
			async () => {
				const live = await one();
				const listening = await n8n.rest('POST', `/workflows/${id}/run`, {
					triggerToStartFrom: { name: 'Trigger' },
				});
				expect(listening.waitingForWebhook).toBe(true);
				const all = await poll('two subscriptions', subscriptions, ({ length }) => length === 2);
				const test = all.find(({ id: each }) => each !== live.id)!;
				expect(test.url).toContain('/webhook-test/');
				expect(test.secret).not.toBe(live.secret);
				const event = emit();
				// From the test and from the live execution.
				await arrival(event.id, 2);
				await one(({ id: each }) => each === live.id);
				expect(arrivals(event.id)).toBe(2);
			},
		);

		await step('deleting the workflow deletes the subscription', async () => {
			await field.remove(id);
			await poll('no subscription', subscriptions, ({ length }) => length === 0);
		});
	});

	test('two triggers in one workflow: two subscriptions, and none when it is unpublished', async () => {
		const double = ours([tell(sink.url)], { name: 'Two' });
		const second = { ...ours([nothing]).nodes[0], name: 'Second' };
		double.nodes.push(second);
		double.connections.Second = double.connections.Trigger;
		const { id: both } = await field.publish(double);
		expect(field.subscriptions(second.webhookId)).toHaveLength(1);
		const event = emit();
		await arrival(event.id, 2);
		await field.unpublish(both);
		expect([...field.subscriptions(hookOf(double)), ...field.subscriptions(second.webhookId)]).toEqual([]);
		expect(arrivals(event.id)).toBe(2);
	});

	test.each(
		faultCases.filter(({ name }) =>
			['dropped after of POST', '500 for good of POST', '429 of DELETE'].includes(name),
		),
	)('$name: one subscription, the event arrives, none is left', async (one_) => {
		expect(await withFault(field, one_)).toMatchObject({ published: 1, arrived: 1, unpublished: 0 });
	});
});
