import { join, resolve } from 'node:path';
import type { Locator } from 'playwright-core';
import { type Editor, openEditor } from '../n8n/browser';
import { type N8nClient, poll } from '../n8n/client';
import { example } from '../n8n/examples';
import { requiring } from '../n8n/requires';
import { type Service, startService } from '../service';
import { sharedN8n } from './shared';

/**
 * What somebody does who has just installed the package: find the node, make a credential, post, read the output, make
 * a mistake, read the message. Pictures of it go to test-results; `npm run pictures` (UPDATE_PICTURES=1) puts those of
 * the documents into docs/images, light and dark.
 */
describe('a first walk through the editor', () => {
	const update = process.env.UPDATE_PICTURES === '1';
	const root = resolve(__dirname, '../..');
	let service: Service;
	let n8n: N8nClient;
	let editor: Editor;
	let dark = false;

	beforeAll(async () => {
		service = await startService({ seed: 'demo' });
		n8n = await sharedN8n();
	});

	afterAll(async () => await service.close());

	const element = (id: string): Locator => editor.page.locator(`[data-test-id="${id}"]`);
	const search = () => element('node-creator-search-bar');
	const found = () => element('node-creator-item-name');
	const visible = (selector: string) => editor.page.locator(selector).filter({ visible: true });
	const fieldOf = (name: string) => element(`parameter-input-${name}`);

	const documented = new Set(['find', 'credential', 'create', 'mistake']);

	async function picture(name: string): Promise<void> {
		const folder = update && documented.has(name) ? 'docs/images' : 'test-results/walk';
		await editor.page.addStyleTag({ content: '.el-notification { display: none !important }' });
		await editor.atRest();
		await editor.screenshot(join(root, folder, `${name}${dark ? '-dark' : ''}.png`));
	}

	/** Also where the walk got stuck: then the last picture shows it. */
	async function end(): Promise<void> {
		await editor.screenshot(join(root, 'test-results/walk/end.png'));
		await editor.close();
	}

	async function choose(field: string, entry: string): Promise<void> {
		await fieldOf(field).locator('input').first().click();
		await visible('.el-select-dropdown__item').filter({ hasText: entry }).first().click();
	}

	async function addOption(name: string): Promise<void> {
		const add = visible('[data-test-id^="collection-parameter-add"]').last();
		await add.scrollIntoViewIfNeeded();
		await add.click();
		const entries = visible('.el-select-dropdown__item, [role="menuitem"], [role="option"]');
		await entries.filter({ hasText: name }).first().click();
	}

	/** Saves the credential of the dialog; n8n stores it and tests it. */
	async function saveCredential(): Promise<void> {
		const { page } = editor;
		const answer = async (path: string) =>
			await page.waitForResponse(
				(response) => response.request().method() === 'POST' && response.url() === `${n8n.url}${path}`,
			);
		const [saved, tested] = await Promise.all([
			answer('/rest/credentials'),
			answer('/rest/credentials/test'),
			element('credential-save-button').click(),
		]);
		expect(saved.status()).toBe(200);
		expect((await tested.json()).data).toMatchObject({ status: 'OK' });
		// n8n then closes the dialog, but not always, or asks first whether to leave something unsaved.
		const dialog = element('credential-edit-dialog');
		const closing = visible('.el-dialog__headerbtn, .el-message-box .btn--cancel').last();
		const isOpen = async () => {
			if (await dialog.isVisible()) await closing.click({ timeout: 2000 }).catch(() => undefined);
			return await dialog.isVisible();
		};
		await poll('the dialog to be closed', isOpen, (open) => !open);
	}

	async function walk(): Promise<void> {
		const { page } = editor;
		const posted = () => service.requests.filter(({ method }) => method === 'POST').length;
		const before = posted();
		await editor.visit('/workflow/new');

		// Find it: in the list of triggers, then among the nodes.
		await visible('[data-test-id="canvas-add-button"], [data-test-id="canvas-plus-button"]').first().click();
		for (const words of ['instagram', 'post failed', 'social media', 'new comment']) {
			await search().fill(words);
			await found().filter({ hasText: 'Social Publishing' }).first().waitFor();
		}
		await search().fill('');
		await page.getByText('Trigger manually').first().click();
		await element('canvas-handle-plus').first().click();
		const words = [
			'schedule post',
			'social',
			'tiktok',
			'upload video',
			'post to x',
			'caption',
			'crosspost',
			'instagram',
		];
		for (const each of words) {
			await search().fill(each);
			await found().filter({ hasText: 'Social Publishing' }).first().waitFor();
		}
		const node = found().filter({ hasText: 'Social Publishing' }).first();
		const create = found().filter({ hasText: /^Publish or schedule post$/ });
		// A click is lost while the list still changes for what was typed last.
		await poll('the actions of the node', async () => {
			if (!(await create.first().isVisible())) await node.click({ timeout: 4000 }).catch(() => undefined);
			return await create
				.first()
				.waitFor({ timeout: 4000 })
				.then(
					() => true,
					() => undefined,
				);
		});
		await picture('find');
		await create.first().click();
		await element('ndv').waitFor();

		// A credential of one's own.
		const first = element('node-credentials-empty-state').getByRole('button').first();
		const select = element('node-credentials-select');
		await first.or(select).first().waitFor();
		// n8n shows that there are none until it has loaded those of other tests.
		await poll('the dialog of a new credential', async () => {
			const quick = { timeout: 4000 };
			const open = async () => {
				if (await first.isVisible()) return await first.click(quick);
				await select.first().click(quick);
				await visible('[data-test-id="node-credentials-select-item-new"]').first().click(quick);
			};
			await open().catch(() => undefined);
			return await element('credential-edit-dialog')
				.waitFor(quick)
				.then(
					() => true,
					() => undefined,
				);
		});
		await fieldOf('baseUrl').locator('input').fill(service.url);
		await fieldOf('apiKey').locator('input').fill(service.keys.full);
		await picture('credential');
		await saveCredential();

		// The platforms: those with a connected account first (the demo has no TikTok and no YouTube).
		const choices = visible('.el-select-dropdown__item');
		const linkedin = choices.filter({ hasText: 'LinkedIn' }).first();
		// The list closes when its entries arrive while it is open.
		await poll('the platforms', async () => {
			await fieldOf('platforms').click();
			return await linkedin.waitFor({ timeout: 4000 }).then(
				() => true,
				() => undefined,
			);
		});
		const names = (await choices.allInnerTexts()).map((name) => name.split('\n')[0]!.trim());
		expect(names.filter((name) => /^(TikTok|YouTube)/.test(name))).toEqual(names.slice(-2));
		await picture('platforms');
		await linkedin.click();
		await choices.filter({ hasText: /^\s*X/ }).first().click();
		await page.keyboard.press('Escape');
		// Text per Platform has a field of that name, too, further down.
		const text = fieldOf('text').locator('textarea').first();
		await text.fill('Rye bread, still warm from the oven.');
		// n8n's tip below a field with the cursor in it hides the next label.
		await text.blur();

		// Without a time, n8n itself says what is missing.
		expect(await fieldOf('when').locator('input').inputValue()).toBe('At a Time');
		await picture('when');
		await choose('when', 'Publish Now');
		await addOption('Text per Platform');
		// n8n starts a list of entries empty, whatever its default.
		await page.getByText('Add Text', { exact: true }).first().click();
		await fieldOf('platform').first().waitFor();
		await fieldOf('platform').first().scrollIntoViewIfNeeded();
		await picture('options');

		// What would be sent, before it is.
		await addOption('Preview Only');
		await element('node-execute-button').first().click();
		await element('output-panel').getByText('2 items').waitFor();
		await element('output-panel').getByText('idempotency_key').first().waitFor();
		expect(posted()).toBe(before);
		await picture('preview');
		// Its switch, off.
		await fieldOf('previewOnly').locator('.el-switch, [role="switch"]').first().click();

		// The output: one item a platform.
		await element('node-execute-button').first().click();
		const output = element('output-panel');
		// The preview stays until the run is through.
		await output.getByText('preview', { exact: true }).first().waitFor({ state: 'hidden' });
		await output.getByText('2 items').waitFor();
		for (const platform of ['x', 'linkedin'])
			await output.getByText(platform, { exact: true }).first().waitFor();
		await fieldOf('platforms').scrollIntoViewIfNeeded();
		await picture('create');

		// A mistake, and what to do about it.
		await text.fill('');
		// n8n takes what was typed a moment later, and then says that the output is not of these settings.
		await element('node-run-info-stale').waitFor();
		await element('node-execute-button').first().click();
		await output.getByText("'Text' is empty").first().waitFor();
		expect(await output.innerText()).toMatch(/Enter a text or add media/);
		await fieldOf('platforms').scrollIntoViewIfNeeded();
		await picture('mistake');
	}

	const inBrowser = requiring('browser');

	inBrowser(
		'finds the node, makes a credential, posts, reads the output, makes a mistake, reads what to do',
		async () => {
			dark = false;
			editor = await openEditor(n8n);
			await walk().finally(end);
			expect(
				[...service.store.posts.values()].filter(({ text }) => text.startsWith('Rye bread')),
			).toHaveLength(2);
		},
	);

	if (update)
		inBrowser('the same in the dark, and the workflow of the README', async () => {
			dark = true;
			editor = await openEditor(n8n, { dark: true });
			await walk().finally(end);
			editor = await openEditor(n8n, { dark: true, scale: 2 });
			const id = await n8n.createWorkflow(await example('schedule-a-post'), {
				socialPublishingApi: (await n8n.rest('GET', '/credentials')).find(
					({ type }: any) => type === 'socialPublishingApi',
				).id,
			});
			await editor.openWorkflow(id);
			await editor.screenshotCanvas(join(root, 'docs/images/workflow-dark.png'));
			await editor.close();
			await n8n.deleteWorkflow(id);
		});
});
