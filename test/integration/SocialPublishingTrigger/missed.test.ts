import type { IDataObject } from 'n8n-workflow';

import { missedEvent } from '../../../nodes/shared/missedEvents';
import { claimUnprocessed } from '../../../nodes/shared/claimUnprocessed';
import { credentialFor } from '../../n8n/examples';
import { startService, type Service } from '../../service';
import { runNode } from '../../support/engine';
import { Instance, processedData } from '../../support/triggerContexts';

/** Missed events: what the service gave up is handed on once, over all runs. */

let service: Service;
let n8n: Instance;

beforeEach(async () => {
	processedData.rows.clear();
	service = await startService({ inlineDelaysMs: [0], speed: 0 });
	n8n = await Instance.start({ credential: credentialFor(service, service.keys.full) as never });
	await n8n.publish();
});
afterEach(async () => {
	await n8n.stop();
	await service.close();
});

let runs = 0;

/** Each run is an execution of its own, unless it is said which. */
async function missed(
	more: IDataObject = {},
	run: { mode?: 'manual' | 'trigger' | 'retry'; contextData?: IDataObject; executionId?: string } = {},
) {
	return await runNode({
		parameters: {
			resource: 'webhook',
			operation: 'getMissed',
			returnAll: true,
			includeFailed: false,
			options: {},
			...more,
		},
		credential: credentialFor(service, service.keys.full) as never,
		executionId: `run ${++runs}`,
		...run,
	});
}

/** Events that nobody takes: the receiver answers 500, the service's clock runs through all its retries. */
async function lose(count: number, postId = 'post_gone'): Promise<string[]> {
	n8n.afterAccept = async (respond) => respond(500);
	const ids = Array.from(
		{ length: count },
		(_, i) =>
			service.deliveries.emit({
				type: 'post.failed',
				workspaceId: 'ws_main',
				brandId: 'b',
				resource: `r${i}`,
				data: { post_id: postId, status: 'failed' },
			}).id,
	);
	await service.deliveries.idle();
	return ids;
}

const giveUp = async () => {
	for (let hour = 0; hour < 24; hour++) {
		await service.clock.advance(3_600_000);
		await service.deliveries.idle();
	}
};

const idsOf = (json: IDataObject[]) => json.map(({ id }) => id).sort();

describe('missed events', () => {
	it('are handed on once, marked, with what happened to the delivery', async () => {
		const lost = await lose(3);
		expect((await missed()).json).toEqual([]);
		await giveUp();
		const first = await missed();
		expect(first.error).toBeUndefined();
		expect(idsOf(first.json)).toEqual([...lost].sort());
		expect(first.json[0]).toMatchObject({
			type: 'post.failed',
			workspace_id: 'ws_main',
			data: { post_id: 'post_gone' },
			recovered: true,
			delivery: { status: 'dead_letter' },
			post: null,
			post_error: { code: 'PUBLIC_API_POST_NOT_FOUND' },
		});
		expect((await missed()).json).toEqual([]);
		const more = await lose(1);
		await giveUp();
		expect(idsOf((await missed()).json)).toEqual(more);
	}, 60_000);

	it('include what is still being tried where that is wished', async () => {
		const lost = await lose(2);
		expect(idsOf((await missed({ includeFailed: true })).json)).toEqual([...lost].sort());
		await giveUp();
		expect((await missed()).json).toEqual([]);
	}, 60_000);

	it('beyond the limit wait for the next run', async () => {
		const lost = await lose(5);
		const limited = { includeFailed: true, returnAll: false, limit: 2 };
		const runs = [await missed(limited), await missed(limited), await missed(limited), await missed(limited)];
		expect(runs.map(({ json }) => json.length)).toEqual([2, 2, 1, 0]);
		expect(idsOf(runs.flatMap(({ json }) => json))).toEqual([...lost].sort());
	});

	it('a run by hand shows all and takes none', async () => {
		await lose(2);
		expect((await missed({ includeFailed: true }, { mode: 'manual' })).json).toHaveLength(2);
		expect((await missed({ includeFailed: true }, { mode: 'manual' })).json).toHaveLength(2);
		expect((await missed({ includeFailed: true })).json).toHaveLength(2);
	});

	it('are given again to a second try of the same execution (Retry On Fail), and to nobody else', async () => {
		const lost = await lose(3);
		const failed = { includeFailed: true };
		expect(idsOf((await missed(failed, { executionId: 'one' })).json)).toEqual([...lost].sort());
		expect(idsOf((await missed(failed, { executionId: 'one' })).json)).toEqual([...lost].sort());
		expect((await missed(failed, { executionId: 'two' })).json).toEqual([]);
	});

	it('two runs at the same moment share them', async () => {
		const lost = await lose(20);
		const runs = await Promise.all([missed({ includeFailed: true }), missed({ includeFailed: true })]);
		expect(idsOf(runs.flatMap(({ json }) => json))).toEqual([...lost].sort());
	});

	it('of one webhook only', async () => {
		const lost = await lose(1);
		const id = [...service.store.webhooks.keys()][0]!;
		const only = (value: string) => ({
			includeFailed: true,
			onlyWebhookId: { __rl: true, mode: 'id', value },
		});
		for (const wrong of ['wh_gone', 'no such name']) {
			const { error, json } = await missed(only(wrong));
			expect(json).toEqual([]);
			expect(String((error as Error).message)).toContain(wrong);
		}
		expect(idsOf((await missed(only(id))).json)).toEqual(lost);
	});
});

describe('a retry of an execution', () => {
	const context = (mode: string) =>
		({
			getMode: () => mode,
			helpers: {
				checkProcessedAndRecord: async (values: string[], scope: string, options: object) =>
					await processedData.checkProcessedAndRecord(
						values,
						scope,
						{ workflow: { id: 'w' }, node: { id: 'n' } },
						options as never,
					),
				removeProcessed: async (values: string[], scope: string) =>
					await processedData.removeProcessed(values, scope, { workflow: { id: 'w' }, node: { id: 'n' } }),
			},
		}) as never;

	it('gets again what the execution had taken, and nothing else', async () => {
		expect(await claimUnprocessed(context('trigger'), 'root 1', ['a', 'b'])).toEqual(['a', 'b']);
		expect(await claimUnprocessed(context('trigger'), 'root 2', ['a', 'b', 'c'])).toEqual(['c']);
		expect(await claimUnprocessed(context('retry'), 'root 1', ['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'd']);
		expect(await claimUnprocessed(context('retry'), 'root 3', ['a', 'b', 'c', 'd'])).toEqual([]);
		expect(await claimUnprocessed(context('retry'), 'root 3', ['a', 'b', 'c', 'd'])).toEqual([]);
		// Retry On Fail: the same execution, in its own mode.
		expect(await claimUnprocessed(context('trigger'), 'root 2', ['a', 'b', 'c', 'd'])).toEqual(['c']);
	});
});

describe('a delivery record, whose fields the spec does not show', () => {
	it.each([
		['event', { event: { id: 'e', type: 't', data: {} } }],
		['payload', { payload: { id: 'e', type: 't' } }],
		['body as text', { body: '{"id":"e","type":"t"}' }],
		['ID and name alone', { event_id: 'e', event_type: 't' }],
		['a name in `event`', { event_id: 'e', event: 't' }],
	])('understood with %s', (_name, record) => {
		expect(missedEvent(record as IDataObject)).toMatchObject({ id: 'e', type: 't', recovered: true });
	});

	it.each([[{}], [{ event_id: 7 }], [{ payload: 'no JSON' }], [{ event: null }]])(
		'%j names no event',
		(record) => {
			expect(missedEvent(record as IDataObject)).toBeUndefined();
		},
	);
});
