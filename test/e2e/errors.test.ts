import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';

import { type Editor, openEditor } from '../n8n/browser';
import type { N8nClient } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { freePort } from '../n8n/process';
import { requiring } from '../n8n/requires';
import { type Service, startService } from '../service';
import { insertPost } from '../service/seed';
import { sharedN8n } from './shared';
import { createParameters, flow, type FlowNode, socialPublishing } from '../support/e2e/flow';

/**
 * Ten mistakes that are typical, each as somebody sees it who made it: in the editor, in the panel of the node that
 * failed. PANELS=folder keeps a picture of each.
 */
describe('error panels in the editor', () => {
	let service: Service;
	/** Its clock stands still: nothing is published. */
	let still: Service;
	let n8n: N8nClient;
	let editor: Editor | undefined;
	const closing: Array<() => unknown> = [];

	beforeAll(async () => {
		// Once used up, the rate limit stays so for longer than the node waits by default.
		service = await startService({ rateWindowMs: 3_600_000 });
		service.store.publishDelayMs = 500;
		// With two Instagram accounts the node would ask which one is meant.
		service.store.accounts.get('acc_main_cafe')!.status = 'disconnected';
		still = await startService({ speed: 0 });
		n8n = await sharedN8n();
	});

	afterAll(async () => {
		await editor?.screenshot(resolve('test-results/errors/end.png'));
		await editor?.close();
		for (const close of closing) close();
		await service.close();
		await still.close();
	});

	/** The port of a server that answers everything with a page. */
	async function website(): Promise<number> {
		const server = createServer((_request, response) => {
			response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>Welcome</title>');
		});
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		closing.push(() => server.close());
		return (server.address() as AddressInfo).port;
	}

	interface Mistake {
		/** The node's name. */
		name: string;
		parameters: Record<string, unknown>;
		/** Other than the service's address and a key that may do everything. */
		credential?: Record<string, unknown>;
		/** What is made ready right before. */
		before?: () => unknown;
		message: RegExp;
		hint: RegExp;
	}

	const list = {
		resource: 'post',
		operation: 'getAll',
		returnAll: false,
		limit: 10,
		filters: {},
		options: {},
	};
	const postId = (value: string) => ({ __rl: true, mode: 'id', value });
	const create = (more: Record<string, unknown> = {}) => createParameters({ text: 'Hello', ...more });

	const mistakes = async (): Promise<Mistake[]> => [
		{
			name: 'Wrong key',
			parameters: create(),
			credential: { apiKey: 'sk_mistyped' },
			message: /^The service doesn't recognize this API key$/,
			hint: /Open the credential and paste a valid API key/,
		},
		{
			name: 'Website',
			parameters: create(),
			credential: { baseUrl: `http://127.0.0.1:${await website()}` },
			message: /answered with a web page instead of data/,
			hint: /Open the credential and check 'Base URL' and 'API Path'.*a website/,
		},
		{
			name: 'Nobody there',
			parameters: list,
			credential: { baseUrl: `http://127.0.0.1:${await freePort()}` },
			message: /^Nothing answers at 127\.0\.0\.1:/,
			hint: /Open the credential and check 'Base URL'/,
		},
		{
			name: 'Limit used up',
			parameters: list,
			credential: { apiKey: service.keys.lowest },
			before: async () => {
				const headers = { authorization: `Bearer ${service.keys.lowest}` };
				for (let i = 0; i < 60; i++) await fetch(`${service.apiUrl}/workspaces`, { headers });
			},
			message: /^This API key's rate limit is exceeded$/,
			hint: /^Raise 'Rate Limit Timeout \(Seconds\)'/,
		},
		{
			name: 'Trouble',
			parameters: create(),
			before: () =>
				service.faults.add({
					kind: 'error',
					code: 'PUBLIC_API_POST_CREATE_FAILED',
					message: 'The database did not answer.',
					times: 0,
				}),
			message: /^Not confirmed as sent: the service couldn't store the post: The database did not answer/,
			hint: /^Retry this execution in a few minutes\. .* nothing is sent twice/,
		},
		{
			name: 'Two of five',
			parameters: create({
				platforms: ['instagram', 'x', 'linkedin', 'facebook', 'bluesky'],
				options: {
					platformText: {
						texts: ['x', 'bluesky'].map((platform) => ({ platform, text: 'Hello [[422]]' })),
					},
				},
			}),
			message:
				/^2 of 5 platforms failed: X \(The platform rejected.*\), Bluesky \(The platform rejected.*\)\. Sent: Instagram, LinkedIn, Facebook$/,
			hint: /Correct the content.*Create the new post for X and Bluesky only/,
		},
		{
			name: 'Not published',
			parameters: create({
				text: 'Hello [[fail]]',
				options: { waitForPublication: true, waitTimeout: 300 },
			}),
			message: /publishing it failed: The platform did not take the post \(post ID: post_/,
			hint: /Correct the content or reconnect the account/,
		},
		{
			name: 'In the past',
			parameters: create({ when: 'at', scheduledAt: '2020-01-01T09:00:00' }),
			message: /^'Scheduled At' is in the past: 2020-01-01 09:00:00 \(\w+\)\. Nothing was sent\.$/,
			hint: /Choose a later time: in \w+ it is .* now/,
		},
		{
			name: 'No such post',
			parameters: { resource: 'post', operation: 'get', postId: postId('post_missing'), options: {} },
			message: /^The post doesn't exist, or the API key can't access it$/,
			hint: /Check the post ID and the workspace/,
		},
		{
			name: 'Time is up',
			parameters: {
				...{ resource: 'post', operation: 'waitForStatus', waitFor: 'completed', waitTimeout: 2 },
				...{ postId: postId('post_next'), options: {} },
			},
			credential: credentialFor(still, still.keys.full),
			before: () => {
				const at = still.clock.now() + 1000;
				insertPost(still, { id: 'post_next', text: 'Next', platforms: ['x'], status: 'scheduled', at });
			},
			message: /^Waited 2 s, but the post's status is still 'scheduled' \(post ID: post_next\)$/,
			hint: /Raise 'Wait Timeout \(Seconds\)'/,
		},
	];

	/** A node for each, all behind one trigger. */
	async function workflowOf(all: Mistake[]): Promise<string> {
		const nodes: FlowNode[] = [{ name: 'By hand', type: 'n8n-nodes-base.manualTrigger' }];
		for (const { name, parameters, credential } of all) {
			const id = await n8n.createCredential(name, 'socialPublishingApi', {
				...credentialFor(service, service.keys.full),
				...credential,
			});
			nodes.push(socialPublishing(parameters, { credentials: { socialPublishingApi: { id, name } } }, name));
		}
		const links = Object.fromEntries(nodes.map(({ name }) => [name, { main: [] as unknown[] }]));
		links['By hand']!.main = [all.map(({ name }) => ({ node: name, type: 'main', index: 0 }))];
		const workflow = flow('Mistakes', nodes, links);
		(workflow.nodes as Array<{ position: number[] }>).forEach((node, i) => {
			node.position = i === 0 ? [0, 0] : [300, (i - 1) * 150];
		});
		return await n8n.createWorkflow(workflow);
	}

	async function picture(name: string): Promise<void> {
		if (!process.env.PANELS) return;
		await editor!.atRest();
		await editor!.screenshot(join(resolve(process.env.PANELS), `${name}.png`));
	}

	requiring('browser')('each says what happened, and what to do', async () => {
		const all = await mistakes();
		const id = await workflowOf(all);
		editor = await openEditor(n8n, { height: 900 });
		const { page } = editor;
		await editor.openWorkflow(id);
		for (const { name, before, message, hint } of all) {
			await before?.();
			const panel = await editor.openNode(name);
			await panel.locator('[data-test-id="node-execute-button"]').first().click();
			const shown = (what: string) => panel.locator(`[data-test-id="node-error-${what}"]`).first();
			await shown('message').waitFor();
			await picture(name);
			expect(await shown('message').innerText()).toMatch(message);
			expect(await shown('description').innerText()).toMatch(hint);
			service.faults.clear();
			// What the hints point to: all that is known, as the item of an error output has it.
			await panel.locator('summary', { hasText: 'From Social Publishing' }).first().click();
			const details = await panel.locator('details[open]').first().innerText();
			expect(details).toMatch(/"hint": ".*"code": "\w+"/s);
			if (/'Error details'/.test(await shown('description').innerText()))
				expect(details).toMatch(/"post": \{.*"status": "failed"/s);
			await picture(`${name}, details`);
			await editor.closeNode();
			// n8n 2.41's editor stumbles over a second "Execute step" after one that failed.
			await page.locator('[data-test-id="clear-execution-data-button"]').first().click();
		}
		await n8n.deleteWorkflow(id);
	});
});
