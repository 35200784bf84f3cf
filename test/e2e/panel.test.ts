import omit from 'lodash/omit';
import { resolve } from 'node:path';

import { type Editor, openEditor } from '../n8n/browser';
import { poll } from '../n8n/client';
import { accountOf } from '../n8n/examples';
import { requiring } from '../n8n/requires';
import {
	createParameters,
	flow,
	type FlowNode,
	manual,
	sideBySide,
	socialPublishing,
} from '../support/e2e/flow';
import { asked, posts } from '../support/store';
import { sharedN8n, useScene } from './shared';

/** The node's panel in the editor, one page for all of it. How it was left at the end: test-results/panel.png */

const inBrowser = requiring('browser');
let editor: Editor;

beforeAll(async () => void (editor = await openEditor(await sharedN8n(), { height: 1000 })));

afterAll(async () => {
	await editor?.screenshot(resolve('test-results/panel.png'));
	await editor?.close();
});

const shows = async (text: string) => await editor.output.getByText(text).first().waitFor();

/** What people do most. */
describe('posts', () => {
	const scene = useScene({ seed: 'demo' });

	async function open(name: string, ...nodes: FlowNode[]): Promise<void> {
		await editor.openWorkflow(await scene.save(flow(name, [manual, ...nodes])));
		await editor.openNode('Post');
	}
	afterEach(async () => await editor.closeNode());

	inBrowser(
		'this text now to Instagram and LinkedIn, with two Instagram accounts: seven actions',
		async () => {
			await open('First post', socialPublishing(omit(createParameters({ text: '', platforms: [] }), 'when')));
			const text = editor.field('text').locator('textarea').first();
			let actions = 0;
			/** A click or a text that somebody types. */
			const act = async (action: Promise<unknown>) => {
				await action;
				actions++;
			};
			await act(editor.openList('platforms', 'Instagram: Lakeside Bakery'));
			await act(editor.choice('Instagram: Lakeside Bakery').click());
			await act(editor.choice('LinkedIn').click());
			await editor.page.keyboard.press('Escape');
			await act(text.fill('Rye bread, still warm from the oven.'));
			await text.blur();
			await act(editor.field('when').locator('input').first().click());
			await act(editor.choice('Publish Now').click());
			await act(editor.execute());
			expect(actions).toBe(7);
			await shows('2 items');
			await shows('Accepted by the service');
			const heads = editor.output.locator('th');
			await heads.filter({ hasText: 'account' }).first().waitFor();
			// Until the table has been drawn.
			await editor.atRest();
			const columns = (await heads.allInnerTexts()).map((one) => one.trim()).filter(Boolean);
			expect(columns.slice(0, 2)).toEqual(['platform', 'account']);
			expect(await editor.output.innerText()).toContain('Lakeside Bakery');
			const sent = asked(scene.service, 'POST', /\/posts$/).map(({ body }) => body.platform);
			expect(sent.sort()).toEqual(['instagram', 'linkedin']);

			// Options by name; My Own ID and Wait Timeout only where they count.
			const names = await editor.addOption('Avoid Duplicates');
			expect(names).toEqual([...names].sort());
			expect(names).not.toContain('My Own ID');
			await editor.choose('idempotencyKeyMode', 'My Own ID');
			expect(await editor.addOption('Wait for Publication')).not.toContain('Wait Timeout (Seconds)');
			await editor.toggle('waitForPublication');
			expect(await editor.addOption('My Own ID')).toContain('Wait Timeout (Seconds)');
		},
	);

	inBrowser('a failed run, and Execute step pressed again: only what is missing is sent', async () => {
		const { service } = scene;
		const rows: FlowNode = {
			name: 'Rows',
			type: 'n8n-nodes-base.code',
			typeVersion: 2,
			parameters: { jsCode: "return ['Rye', 'Spelt', 'Oat'].map((bread) => ({ json: { bread } }));" },
		};
		const before = posts(service).length;
		service.faults.add({
			kind: 'error',
			code: 'PUBLIC_API_SCOPE_FORBIDDEN',
			method: 'POST',
			skip: 2,
			times: 1,
		});
		const parameters = { platforms: ['linkedin'], text: '={{ $json.bread }}', options: { concurrency: 1 } };
		await open('Pressed again', rows, socialPublishing(createParameters(parameters)));
		await editor.execute();
		await shows('2 posts were already sent');
		await editor.execute();
		await shows('2 posts were not sent again');
		expect(posts(service).length - before).toBe(3);
	});

	inBrowser('the queue: days and times are set once; what runs find free goes out there', async () => {
		const { service } = scene;
		const before = posts(service).length;
		await open('Queue', socialPublishing(createParameters({ text: 'Rye bread, still warm.' })));
		await editor.choose('when', 'In the Next Free Slot');
		await editor.choice('Publish Now').waitFor({ state: 'hidden' });
		await editor.field('slotDays').click();
		for (const day of ['Saturday', 'Sunday']) await editor.choice(day).click();
		await editor.page.keyboard.press('Escape');

		async function runAt(times: string, text: string): Promise<void> {
			const field = editor.field('slotTimes').locator('input, textarea').first();
			await field.fill(times);
			await field.blur();
			// n8n takes what was typed a moment later.
			await editor.atRest();
			await editor.execute();
			await shows(text);
		}
		await runAt('09:00, 25:00', "'25:00' in 'Slot Times' isn't a time");
		expect(asked(service, 'POST')).toEqual([]);
		const queued = () => posts(service).slice(before);
		for (const count of [1, 2]) {
			await runAt('09:00, 18:00', 'scheduled_at_local');
			await poll('the post', queued, ({ length }) => length === count);
		}
		const [first, second] = queued().map(({ scheduledAt }) => Date.parse(scheduledAt));
		expect(second! - first!).toBeGreaterThanOrEqual(8 * 3_600_000);

		// The slots say how far apart posts are.
		const { names } = await editor.optionsWith('Text per Platform');
		expect(names).not.toContain('Time Between Posts');
		await editor.page.keyboard.press('Escape');
	});
});

describe('errors', () => {
	const scene = useScene();

	const platformText = { texts: ['x', 'bluesky'].map((platform) => ({ platform, text: 'Hello [[422]]' })) };
	const five = ['youtube', 'x', 'linkedin', 'facebook', 'bluesky'];

	/** Typical ones. The words of the others: unit tests of `api/failureTexts`. */
	const mistakes: Array<[name: string, parameters: Record<string, unknown>, message: RegExp, hint: RegExp]> =
		[
			[
				'Wrong key',
				{},
				/^The service doesn't recognize this API key\. Nothing was sent\.$/,
				/Open the credential and paste a valid API key/,
			],
			[
				'Two of five',
				{ platforms: five, options: { platformText } },
				/^2 of 5 platforms failed: X \(The platform rejected.*\), Bluesky \(The platform rejected.*\)\. 3 posts were already sent \(YouTube.*LinkedIn.*Facebook.*\)\.$/,
				/Correct the content.*Create the new post for X and Bluesky only/,
			],
			[
				'Not published',
				{ text: 'Hello [[fail]]', options: { waitForPublication: true, waitTimeout: 300 } },
				/publishing it failed: The platform did not take the post \(post ID: post_/,
				/Correct the content or reconnect the account/,
			],
		];

	inBrowser('the panel shows what happened, what to do, and all that is known', async () => {
		const { service, n8n, account, save } = scene;
		service.store.publishDelayMs = 500;
		const wrong = await accountOf(n8n, service, 'sk_mistyped');
		const nodes = mistakes.map(([name, more]) => {
			const { socialPublishingApi: id } = name === 'Wrong key' ? wrong : account;
			const credentials = { socialPublishingApi: { id, name } };
			return socialPublishing(createParameters({ text: 'Hello', ...more }), { credentials }, name);
		});
		await editor.openWorkflow(await save(sideBySide('Mistakes', [manual], nodes), {}));
		for (const [name, , message, hint] of mistakes) {
			const panel = await editor.openNode(name);
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
