import { isEqual } from 'lodash';
import { join, resolve } from 'node:path';
import { type Editor, openEditor, quick, until } from '../n8n/browser';
import { poll } from '../n8n/client';
import { requiring } from '../n8n/requires';
import { asked, posts } from '../support/store';
import { useScene } from './shared';

/**
 * What somebody does who has just installed the package: find the node, make a credential, post, read the output, make
 * a mistake, read the message. Pictures of it go to test-results; UPDATE_PICTURES=1 puts the one of the README into
 * docs/images.
 */
describe('a first walk through the editor', () => {
	const update = process.env.UPDATE_PICTURES === '1';
	const root = resolve(__dirname, '../..');
	const scene = useScene({ seed: 'demo' });
	let editor: Editor;

	const search = () => editor.element('node-creator-search-bar');
	const found = () =>
		editor.element('node-creator-item-name').filter({ hasText: 'Social Publishing' }).first();

	async function picture(name: string): Promise<void> {
		const folder = update && name === 'create' ? 'docs/images' : 'test-results/walk';
		await editor.page.addStyleTag({ content: '.el-notification { display: none !important }' });
		await editor.atRest();
		await editor.screenshot(join(root, folder, `${name}.png`));
	}

	/** Also where the walk got stuck: then the last picture shows it. */
	async function end(): Promise<void> {
		await editor.screenshot(join(root, 'test-results/walk/end.png'));
		await editor.close();
	}

	/** Saves the credential of the dialog; n8n stores it and tests it. */
	async function saveCredential(): Promise<void> {
		const { page } = editor;
		const answer = async (path: string) =>
			await page.waitForResponse(
				(response) => response.request().method() === 'POST' && response.url() === `${scene.n8n.url}${path}`,
			);
		// n8n asks its server for a name while the fields can be filled in already, and refuses a credential without one.
		await editor.element('credential-name').waitFor();
		const [saved, tested] = await Promise.all([
			answer('/rest/credentials'),
			answer('/rest/credentials/test'),
			editor.element('credential-save-button').click(),
		]);
		expect(saved.status()).toBe(200);
		expect((await tested.json()).data).toMatchObject({ status: 'OK' });
		// n8n then closes the dialog, but not always, or asks first whether to leave something unsaved.
		const dialog = editor.element('credential-edit-dialog');
		const closing = editor.visible('.el-dialog__headerbtn, .el-message-box .btn--cancel').last();
		const isOpen = async () => {
			if (await dialog.isVisible()) await closing.click(quick).catch(() => undefined);
			return await dialog.isVisible();
		};
		await poll('the dialog to be closed', isOpen, (open) => !open);
	}

	async function walk(): Promise<void> {
		const { page } = editor;
		const { service } = scene;
		await editor.visit('/workflow/new');

		// Find it: in the list of triggers, then among the nodes. By which words: test/repository/verification.test.ts.
		await editor
			.visible('[data-test-id="canvas-add-button"], [data-test-id="canvas-plus-button"]')
			.first()
			.click();
		await search().fill('instagram');
		await found().waitFor();
		await search().fill('');
		await page.getByText('Trigger manually').first().click();
		await editor.element('canvas-handle-plus').first().click();
		await search().fill('instagram');
		await found().waitFor();
		const create = editor
			.element('node-creator-item-name')
			.filter({ hasText: /^Publish or schedule post$/ })
			.first();
		// A click is lost while the list still changes for what was typed last.
		await until('the actions of the node', async () => {
			if (!(await create.isVisible())) await found().click(quick);
			await create.waitFor(quick);
		});
		await picture('find');
		await create.click();
		await editor.element('ndv').waitFor();

		// A credential of one's own.
		const first = editor.element('node-credentials-empty-state').getByRole('button').first();
		const select = editor.element('node-credentials-select').first();
		await first.or(select).first().waitFor();
		// n8n shows that there are none until it has loaded those of other tests.
		await until('the dialog of a new credential', async () => {
			if (await first.isVisible()) await first.click(quick);
			else {
				await select.click(quick);
				await editor.visible('[data-test-id="node-credentials-select-item-new"]').first().click(quick);
			}
			await editor.element('credential-edit-dialog').waitFor(quick);
		});
		await editor.field('baseUrl').locator('input').fill(service.url);
		await editor.field('apiKey').locator('input').fill(service.keys.full);
		await picture('credential');
		await saveCredential();

		// Text per Platform has a field of that name, too, further down.
		const text = editor.field('text').locator('textarea').first();
		await text.fill('Rye bread, still warm from the oven.');

		// The platforms: those with a connected account first (the demo has no TikTok and no YouTube).
		const names = async () =>
			(await editor.choices.allInnerTexts()).map((name) => name.trim().split(/\s/)[0]);
		// Until the list of this credential is there, n8n shows that of the one it had chosen itself.
		await until('the platforms without an account at the end', async () => {
			await editor.openList('platforms', 'LinkedIn');
			if (isEqual((await names()).slice(-2), ['TikTok', 'YouTube'])) return;
			// The answer for that one may also come last, and stays: opened again, the node asks anew.
			await editor.closeNode();
			await editor.openNode('Publish or schedule post');
			throw new Error('The list is of another credential');
		});
		await picture('platforms');
		await editor.choice('LinkedIn').click();
		await editor.choices.filter({ hasText: /^\s*X/ }).first().click();
		await page.keyboard.press('Escape');

		// Nothing else is needed: it would go out in an hour.
		expect(await editor.field('when').locator('input').inputValue()).toBe('After a Delay');
		await picture('when');
		await editor.choose('when', 'Publish Now');
		await editor.addOption('Text per Platform');
		// n8n starts a list of entries empty, whatever its default.
		await page.getByText('Add Text', { exact: true }).first().click();
		await editor.field('platform').first().waitFor();
		await editor.field('platform').first().scrollIntoViewIfNeeded();
		await picture('options');

		// What would be sent, before it is.
		await editor.addOption('Preview');
		const { output } = editor;
		await editor.execute();
		await output.getByText('2 items').waitFor();
		await output.getByText('idempotency_key').first().waitFor();
		expect(asked(service, 'POST')).toEqual([]);
		await picture('preview');
		await editor.choose('preview', 'Off');

		// The output: one item a platform.
		await editor.execute();
		// The preview stays until the run is through.
		await output.getByText('preview', { exact: true }).first().waitFor({ state: 'hidden' });
		await output.getByText('2 items').waitFor();
		for (const platform of ['x', 'linkedin'])
			await output.getByText(platform, { exact: true }).first().waitFor();
		await editor.field('operation').scrollIntoViewIfNeeded();
		await picture('create');

		// A mistake, and what to do about it.
		await text.fill('');
		// n8n takes what was typed a moment later, and then says that the output is not of these settings.
		await editor.element('node-run-info-stale').waitFor();
		await editor.execute();
		await output.getByText("'Text' is empty").first().waitFor();
		expect(await output.innerText()).toMatch(/Enter a text or add media/);
		await editor.field('operation').scrollIntoViewIfNeeded();
		await picture('mistake');
	}

	const inBrowser = requiring('browser');

	inBrowser(
		'finds the node, makes a credential, posts, reads the output, reads what a mistake was',
		async () => {
			editor = await openEditor(scene.n8n);
			await walk().finally(end);
			expect(posts(scene.service).filter(({ text }) => text.startsWith('Rye bread'))).toHaveLength(2);
		},
	);
});
