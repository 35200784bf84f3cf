import { resolve } from 'node:path';

import { type Editor, openEditor } from '../n8n/browser';
import { requiring } from '../n8n/requires';
import {
	createParameters,
	flow,
	type FlowNode,
	manual,
	sideBySide,
	socialPublishing,
} from '../support/e2e/flow';
import { posts } from '../support/store';
import { sharedN8n, useScene } from './shared';

/** The node's panel in the editor, one page for all of it. How it was left at the end: test-results/panel.png */

const inBrowser = requiring('browser');
let editor: Editor;

beforeAll(async () => void (editor = await openEditor(await sharedN8n(), { height: 1000 })));

afterAll(async () => {
	await editor?.screenshot(resolve('test-results/panel.png'));
	await editor?.close();
});

describe("the node's panel", () => {
	const scene = useScene();

	inBrowser('a failed run, and Execute step pressed again: only what is missing is sent', async () => {
		const { service, save } = scene;
		const rows: FlowNode = {
			name: 'Rows',
			type: 'n8n-nodes-base.code',
			typeVersion: 2,
			parameters: { jsCode: "return ['Rye', 'Spelt', 'Oat'].map((bread) => ({ json: { bread } }));" },
		};
		const fault = { kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST' } as const;
		service.faults.add({ ...fault, skip: 2, times: 1 });
		const parameters = { platforms: ['linkedin'], text: '={{ $json.bread }}', options: { concurrency: 1 } };
		const post = socialPublishing(createParameters(parameters));
		await editor.openWorkflow(await save(flow('Pressed again', [manual, rows, post])));
		await editor.openNode('Post');
		const shows = async (text: string) => await editor.output.getByText(text).first().waitFor();
		await editor.execute();
		await shows('2 posts were already sent');
		await editor.execute();
		await shows('2 posts were not sent again');
		expect(posts(service)).toHaveLength(3);
		await editor.closeNode();
	});

	const platformText = { texts: ['x', 'bluesky'].map((platform) => ({ platform, text: 'Hello [[422]]' })) };
	const five = ['youtube', 'x', 'linkedin', 'facebook', 'bluesky'];

	/** Typical ones. The words of the others: unit tests of `api/failureTexts`. */
	const mistakes: Array<[parameters: Record<string, unknown>, message: RegExp, hint: RegExp]> = [
		[
			{ platforms: five, options: { platformText } },
			/^2 of 5 platforms failed: X: The platform rejected.*; Bluesky: The platform rejected.*\. 3 posts were already sent \(YouTube.*LinkedIn.*Facebook.*\)\.$/,
			/Correct the content.*Create the new post for X and Bluesky only/,
		],
		[
			{ text: 'Hello [[fail]]', options: { waitForPublication: true, waitTimeout: 300 } },
			/publishing it failed on X: The platform did not take the post \(post ID: post_/,
			/Correct the content or reconnect the account/,
		],
	];

	inBrowser('an error shows what happened, what to do, and all that is known', async () => {
		scene.service.store.publishDelayMs = 500;
		const nodes = mistakes.map(([more], i) =>
			socialPublishing(createParameters({ text: 'Hello', ...more }), {}, `Mistake ${i}`),
		);
		await editor.openWorkflow(await scene.save(sideBySide('Mistakes', [manual], nodes)));
		for (const [i, [, message, hint]] of mistakes.entries()) {
			const panel = await editor.openNode(`Mistake ${i}`);
			await editor.execute();
			const shown = (what: string) => panel.locator(`[data-test-id="node-error-${what}"]`).first();
			await shown('message').waitFor();
			expect(await shown('message').innerText()).toMatch(message);
			const description = await shown('description').innerText();
			expect(description).toMatch(hint);
			// What the hints point to: all that is known, as the item of an error output has it.
			await panel.locator('summary', { hasText: 'From Social Publishing' }).first().click();
			const details = await panel.locator('details[open]').first().innerText();
			expect(details).toMatch(/"hint": ".*"code": "\w+"/s);
			if (/'Error details'/.test(description)) expect(details).toMatch(/"post": \{.*"status": "failed"/s);
			await editor.closeNode();
			// n8n 2.41's editor stumbles over a second "Execute step" after one that failed.
			await editor.element('clear-execution-data-button').first().click();
		}
	});
});
