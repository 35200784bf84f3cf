import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { runNode, runTool } from '../../../support/engine';
import { contextOf, credentialOf, type Service, startService } from '../../../support/writes';

interface Stored {
	name: string;
	format?: string;
	tool?: true;
	parameters: IDataObject;
	items: INodeExecutionData[];
	contextData: IDataObject;
	/** What the service carried out for the execution. */
	carriedOut: Array<{ method: string; path: string; key: string; body: IDataObject }>;
}

/** Executions that version 0.1.0 of the package left half-way, as n8n stored them: its output, with the keys of `test-instance`. */
const stored = JSON.parse(
	readFileSync(join(__dirname, 'fixtures', 'version-0.1.0.json'), 'utf8').replaceAll(
		'<40000 x>',
		'x'.repeat(40_000),
	),
) as Stored[];

describe('a retry of an execution that version 0.1.0 left half-way', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService();
	});
	afterEach(async () => await service.close());

	let tick = 500;
	const variables = {
		get tick() {
			return tick++;
		},
	};

	/** The service as version 0.1.0 left it. */
	const replay = async ({ carriedOut }: Stored): Promise<void> => {
		for (const { method, path, key, body } of carriedOut)
			await fetch(service.url + path, {
				method,
				body: JSON.stringify(body),
				headers: {
					Authorization: `Bearer ${service.keys.full}`,
					'Content-Type': 'application/json',
					'Idempotency-Key': key,
					'x-service-workspace-id': 'ws_main',
				},
			});
		expect(service.requests.map(({ acted }) => acted)).toEqual(carriedOut.map(() => true));
		service.requests.length = 0;
	};

	test.each(stored.map((one) => [one.name, one] as const))(
		'%s: nothing goes out twice',
		async (name, one) => {
			await replay(one);
			const credential = { ...credentialOf(service), postFormat: one.format ?? 'integrationGuide' };
			const { parameters, items, contextData } = one;
			const shared = { credential, contextData, resumeToken: 'token-010', executionId: '2', variables };
			let told: IDataObject[];
			if (one.tool) [told] = await runTool({ ...shared, calls: [{ parameters, runIndex: 1 }] });
			else {
				const node = { onError: 'continueRegularOutput' as const };
				const retry = await runNode({ ...shared, parameters, items, node, mode: 'retry' });
				expect(retry.error).toBeUndefined();
				told = retry.json;
				const again = await runNode({
					...shared,
					parameters,
					items,
					node,
					contextData: contextOf(retry),
					mode: 'retry',
				});
				expect(again.json.map(({ id }) => id)).toEqual(told.map(({ id }) => id));
				expect(JSON.stringify(contextOf(retry))).not.toContain('"w":');
			}
			const open = { 'integration guide': 1, 'quick start, answered': 1 }[name] ?? 0;
			expect(service.requests.filter(({ acted }) => acted)).toHaveLength(open);
			const failed = told.filter(({ error }) => error !== undefined);
			// The two that the service kept with 422.
			expect(failed).toHaveLength(name === 'integration guide' ? 2 : 0);
			expect(failed.every(({ error }) => (error as IDataObject).status === 422)).toBe(true);
		},
	);

	test('another operation than the one that was answered then is sent', async () => {
		const one = stored.find(({ name }) => name === 'webhook')!;
		await replay(one);
		const id = [...(service.store as any).webhooks.keys()][0];
		const retry = await runNode({
			credential: credentialOf(service),
			contextData: one.contextData,
			resumeToken: 'token-010',
			mode: 'retry',
			items: one.items.slice(0, 1),
			parameters: { resource: 'webhook', operation: 'delete', webhookId: id },
		});
		expect(retry.json).toEqual([expect.objectContaining({ deleted: true, id })]);
		expect(service.requests.map(({ method, status }) => [method, status])).toEqual([['DELETE', 204]]);
	});
});
