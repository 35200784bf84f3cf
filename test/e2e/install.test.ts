import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { type Editor, openEditor } from '../n8n/browser';
import { itemsOf } from '../n8n/client';
import { installN8n } from '../n8n/install';
import { type N8n, startN8n } from '../n8n/instance';
import { packPackage } from '../n8n/package';
import { type Registry, startRegistry, withVersion } from '../n8n/registry';
import { requiring } from '../n8n/requires';
import { type Service, startService } from '../service';
import { type FirstWorkflows, importFirst } from '../support/e2e/installed';
import { step } from '../support/e2e/step';

/**
 * The package installed, updated and uninstalled as its users do: published to a registry, then Settings → Community
 * nodes. An n8n of its own, without the package.
 */
describe('Settings → Community nodes', () => {
	const name = 'n8n-nodes-social-publishing';
	const { version } = jest.requireActual<{ version: string }>('../../package.json');
	const earlier = '0.0.9';
	const nodeInfos = [{ name: `${name}.socialPublishing`, version: 1 }];
	let folder: string;
	let tarball: string;
	let registry: Registry;
	let service: Service;
	let n8n: N8n;
	let editor: Editor | undefined;
	let first: FirstWorkflows;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'social-install-'));
		[registry, service] = await Promise.all([startRegistry(), startService()]);
		tarball = await packPackage();
		await registry.publish(await withVersion(tarball, earlier, folder));
		const { node } = await installN8n();
		const PATH = [registry.npmFolder, dirname(node), process.env.PATH].join(delimiter);
		n8n = await startN8n({ editor: true, packageTarball: false, env: { PATH } });
	});

	afterAll(async () => {
		await editor?.close();
		await n8n?.stop();
		await Promise.all([registry?.close(), service?.close()]);
		await rm(folder, { recursive: true, force: true });
	});

	const inBrowser = requiring('browser');
	const element = (id: string): Locator => editor!.page.locator(`[data-test-id="${id}"]`);
	const card = () => element('community-package-card').filter({ hasText: name });
	const dialog = () => editor!.page.locator('.el-overlay-dialog').filter({ visible: true });

	async function openSettings(): Promise<void> {
		if (editor) {
			// From another page: else the list is not read again.
			await editor.visit('/home/workflows');
			await card().waitFor({ state: 'detached' });
		}
		editor ??= await openEditor(n8n);
		await editor.visit('/settings/community-nodes');
	}

	inBrowser('installs, updates and uninstalls the package; its workflows go on working', async () => {
		await step('installs the package from the registry by its name', async () => {
			await openSettings();
			await editor!.page.getByRole('button', { name: /install a community node/i }).click();
			await element('package-name-input')
				.locator('input')
				.or(editor!.page.locator('input[data-test-id="package-name-input"]'))
				.first()
				.fill(name);
			await element('user-agreement-checkbox').click();
			await element('install-community-package-button').click();
			await card().getByText(`v${earlier}`).waitFor();
			expect(await card().innerText()).toMatch(/Social Publishing, ?Social Publishing Trigger/);
			expect(registry.requests).toContain(`GET /${name}/-/${name}-${earlier}.tgz`);
		});

		await step('workflows with the nodes can be imported and work', async () => {
			first = await importFirst(n8n, service);
			await first.bothWork();
		});

		await step('offers the next version and updates to it; the workflows go on working', async () => {
			await registry.publish(tarball);
			await openSettings();
			await card().getByRole('button', { name: 'Update' }).click();
			await dialog()
				.getByRole('button', { name: /update/i })
				.last()
				.click();
			await card().getByText(`v${version}`).waitFor();
			expect(service.store.webhooks.size).toBe(1);
			await first.bothWork();
		});

		await step('uninstalls; the workflows stay, and work again once the package is back', async () => {
			await card()
				.locator('[class*="cardActions"] button, [class*="cardActions"] [role="button"]')
				.first()
				.click();
			await editor!.page.getByText('Uninstall package').filter({ visible: true }).click();
			await dialog()
				.getByRole('button', { name: /uninstall|confirm/i })
				.last()
				.click();
			await card().waitFor({ state: 'detached' });
			const nodes = async () => await n8n.rest('POST', '/node-types', { nodeInfos });
			await expect(nodes()).rejects.toThrow('Unrecognized node type');

			await n8n.rest('POST', '/community-packages', { name });
			expect(await nodes()).toHaveLength(1);
			const run = await n8n.runWorkflow(first.schedule);
			expect(itemsOf(run, 'Schedule the post')).toHaveLength(2);
		});
	});
});
