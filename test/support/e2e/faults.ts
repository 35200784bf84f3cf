import { poll } from '../../n8n/client';
import type { Fault } from '../../service';
import type { Field } from './field';
import { emit } from './sender';
import { Sink } from './sink';
import { hookOf, ours, tell } from './workflows';

/** Faults of the service while a real n8n publishes and unpublishes. */

interface FaultCase {
	name: string;
	fault: Fault;
}

const kinds: Array<[string, Fault]> = [
	['500', { kind: 'error', code: 'PUBLIC_API_CONTEXT_ERROR' }],
	['500 after acting', { kind: 'errorAfter', code: 'PUBLIC_API_WEBHOOK_CREATE_FAILED' }],
	['500 for good', { kind: 'errorAfter', code: 'PUBLIC_API_NO_SUCH_CODE' }],
	['429', { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '2' }],
	['dropped before', { kind: 'dropBefore' }],
	['dropped after', { kind: 'dropAfter' }],
	['hang', { kind: 'hang' }],
];
const requests: Array<[method: string, path: string]> = [
	['POST', '^/webhooks$'],
	['GET', '^/webhooks$'],
	['DELETE', '^/webhooks/'],
];

/** Every kind of fault with every request of the life-cycle. */
export const faultCases: FaultCase[] = kinds.flatMap(([kind, fault]) =>
	requests.map(([method, path]) => ({ name: `${kind} of ${method}`, fault: { ...fault, method, path } })),
);

interface FaultOutcome {
	name: string;
	/** Subscriptions of the trigger's address after publishing, and after unpublishing. */
	published: number;
	unpublished: number;
	/** Events behind the trigger, of one that happened. */
	arrived: number;
}

/** Publishes, lets an event happen, unpublishes; the fault meets one request of each of the two steps. */
export async function withFault(field: Field, { name, fault }: FaultCase): Promise<FaultOutcome> {
	const { service, n8n } = field;
	const sink = await Sink.start();
	const workflow = ours([tell(sink.url)], { name });
	const id = await n8n.createWorkflow(workflow, { socialPublishingApi: field.credential });
	const count = () => field.subscriptions(hookOf(workflow)).length;
	try {
		service.faults.add(fault);
		await n8n.activate(id);
		await poll('the subscription', count, (found) => found > 0);
		await field.settled(id);
		service.faults.clear();
		const published = count();
		const event = emit(service);
		const arrived = () => sink.times(event);
		await poll('the event', arrived, (times) => times > 0).catch(() => undefined);

		service.faults.add(fault);
		await n8n.deactivate(id);
		await field.settled(id);
		service.faults.clear();
		return { name, published, unpublished: count(), arrived: arrived() };
	} finally {
		service.faults.clear();
		await field.remove(id);
		await sink.stop();
	}
}
