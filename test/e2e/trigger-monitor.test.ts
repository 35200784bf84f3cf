import { poll } from '../n8n/client';
import type { Service } from '../service';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';
import { step } from '../support/e2e/step';
import { allExecutions } from '../support/e2e/kills';
import { flow } from '../support/e2e/flow';
import { tell } from '../support/e2e/workflows';
import { sharedN8n } from './shared';

/** The trigger in an n8n that runs: nobody publishes anew, nobody catches up by hand. */

let own: OwnN8n;
let service: Service;
/** The one that most of this happens to, and the duplicate of it that another key was put into. */
let one: Ours;
let duplicate: Ours;
/** The duplicate's. */
let key: string;
let errorWorkflow = '';

beforeAll(async () => {
	// By an expression: n8n 2.41 evaluates those only while it waits for a call of its own.
	own = await OwnN8n.in(await sharedN8n(), { options: { checkEvery: '={{ 1 }}' } });
	service = own.service;
	one = await own.published('Looked after', 'post.published');
});

afterAll(async () => {
	if (errorWorkflow) await own.field.n8n.deleteWorkflow(errorWorkflow);
	await own?.close();
});

const anotherKey = () => service.addKey({ plan: 'enterprise' });
const subscriptions = (which = one) => own.subscriptions(which);

test('a trigger looks after its subscription, and catches up', async () => {
	await step('published: one subscription, events arrive, no execution but theirs', async () => {
		await own.works(one);
		// One that is just ending is in n8n's list twice, or not at all.
		await own.field.n8n.waitForExecution(one.id);
		expect(await allExecutions(own.field.n8n, one.id)).toHaveLength(1);
	});

	await step(
		'duplicated, with another account: a subscription and a secret of its own; then its key is revoked',
		async () => {
			key = anotherKey();
			const onError = { name: 'Error', type: 'n8n-nodes-base.errorTrigger' };
			errorWorkflow = await own.field.n8n.createWorkflow(
				flow('On error', [onError, tell(own.sink.url, '$json.workflow.name')]),
			);
			await own.field.n8n.activate(errorWorkflow);
			const workflow = own.workflow('Looked after copy', 'post.failed', { errorWorkflow });
			const credential = await own.createCredential(own.gate.url, key);
			duplicate = await own.published('Looked after copy', 'post.failed', credential, workflow);
			await own.works(one);
			await own.works(duplicate);
			expect(subscriptions()[0]!.secret).not.toBe(subscriptions(duplicate)[0]!.secret);
			service.store.keys.get(key)!.revoked = true;
			await own.works(duplicate);
		},
	);

	await step('deleted, or disabled, at the service by hand: another one within one look', async () => {
		const disabled = await own.published('Disabled', 'post.created');
		service.store.webhooks.delete(subscriptions()[0]!.id);
		subscriptions(disabled)[0]!.status = 'disabled';
		for (const each of [one, disabled]) {
			await own.backAgain(each);
			await own.works(each);
		}
		await own.remove(disabled);
	});

	await step('the key is replaced while events flow: none refused, none lost, a new secret', async () => {
		const { secret } = subscriptions()[0]!;
		await own.setKey(own.field.credential, anotherKey());
		const events: string[] = [];
		// One after another: so many as n8n takes, however busy this machine is.
		const send = async () => {
			events.push(own.emit(one.type));
			await service.deliveries.idle();
		};
		await poll(
			'another secret',
			async () => {
				await send();
				return subscriptions();
			},
			([first, ...others]) => others.length === 0 && first!.secret !== secret,
		);
		for (let i = 0; i < 5; i++) await send();
		for (const event of events) await own.arrived(event);
		expect(events.filter((event) => own.arrivals(event) !== 1)).toEqual([]);
		// The trigger's own answers: a busy n8n may answer late, or by itself that its database is not ready.
		const refused = service.deliveries
			.history()
			.filter(({ event_id }) => events.includes(event_id))
			.flatMap(({ log }) => log.filter(({ said }) => said?.startsWith('{"error"')));
		expect(refused).toEqual([]);
	});

	await step(
		'a key revoked for long: deliveries go on, people are told once; a new key is all it takes',
		async () => {
			const failed = async () =>
				(await allExecutions(own.field.n8n, duplicate.id)).filter((each) => each.status === 'error');
			const told = () => own.arrivals('Looked after copy');
			await poll('a failed execution', failed, (some) => some.length > 0);
			await poll('the error workflow', told, (times) => times > 0);
			await own.works(duplicate);
			const { secret } = subscriptions(duplicate)[0]!;
			await own.setKey(duplicate.credential, anotherKey());
			await poll(
				'another secret',
				() => subscriptions(duplicate),
				([first, ...others]) => first && first.secret !== secret && others.length === 0,
			);
			await own.works(duplicate);
			expect(await failed()).toHaveLength(1);
			expect(told()).toBe(1);
			await own.remove(duplicate);
			expect(subscriptions(duplicate)).toEqual([]);
		},
	);
});
