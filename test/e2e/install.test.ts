import type { Locator, Request } from 'playwright-core';
import { openEditor, quick, until } from '../n8n/browser';
import { itemsOf, poll } from '../n8n/client';
import { requiring } from '../n8n/requires';
import {
	bothNodes,
	earlier,
	importFirst,
	nodesIn,
	packageName,
	useInstallation,
	version,
} from '../support/e2e/installed';

/** The package installed, updated and uninstalled as its users do: published to a registry, then Settings → Community nodes. */

const own = useInstallation();
const packages = '/rest/community-packages';

requiring('browser')(
	'installs, updates and uninstalls the package; its workflows go on working',
	async () => {
		const { PATH, registry, service } = own;
		await own.start({ editor: true, env: { PATH } });
		const { n8n } = own;
		const editor = await openEditor(n8n);
		const { page } = editor;
		const card = editor.element('community-package-card').filter({ hasText: packageName });
		const dialog = page.locator('.el-overlay-dialog').filter({ visible: true });
		const press = async (where: Locator, name: RegExp) =>
			await where.getByRole('button', { name }).last().click(quick);

		/** Clicks until the editor asks n8n for it, since a click while it draws may be lost; n8n has to answer with 200. */
		async function ask(method: string, clicks: () => Promise<void>): Promise<void> {
			const isMeant = (request: Request) => request.method() === method && request.url().includes(packages);
			const answered = page.waitForResponse((response) => isMeant(response.request()));
			let isAsked = false;
			page.on('request', (request) => (isAsked ||= isMeant(request)));
			await until(`${method} ${packages}`, async () => {
				if (!isAsked) await clicks();
				await poll('the request', () => isAsked, Boolean, quick.timeout);
			});
			const answer = await answered;
			expect([answer.status(), await answer.text()]).toEqual([200, expect.any(String)]);
		}

		/** The list as n8n has it now: the page reads it again only when it is opened, and may show an older answer last. */
		async function openList(): Promise<void> {
			await editor.visit('/home/workflows');
			await card.waitFor({ state: 'detached' });
			await editor.visit('/settings/community-nodes');
		}

		// Installs the package from the registry by its name.
		await editor.visit('/settings/community-nodes');
		await page
			.getByRole('button', { name: /install a community node/i })
			.last()
			.click();
		const input = editor.element('package-name-input');
		await input
			.locator('input')
			.or(page.locator('input[data-test-id="package-name-input"]'))
			.first()
			.fill(packageName);
		await editor.element('user-agreement-checkbox').click();
		await ask('POST', async () => await editor.element('install-community-package-button').click(quick));
		await card.getByText(`v${earlier}`).waitFor();
		expect(await card.innerText()).toMatch(/Social Publishing, ?Social Publishing Trigger/);
		expect(registry.requests).toContain(`GET /${packageName}/-/${packageName}-${earlier}.tgz`);

		// Workflows with the nodes can be imported and work.
		const first = await importFirst(n8n, service);
		await first.bothWork();

		// Offers the next version and updates to it; the workflows go on working.
		await own.publish();
		await openList();
		await ask('PATCH', async () => {
			if (!(await dialog.isVisible())) await press(card, /^Update$/);
			await press(dialog, /update/i);
		});
		await openList();
		await card.getByText(`v${version}`).waitFor();
		expect(service.store.webhooks.size).toBe(1);
		await first.bothWork();

		// Uninstalls; the workflows stay, and work again once the package is back.
		const menu = card.locator('[class*="cardActions"] button, [class*="cardActions"] [role="button"]');
		await ask('DELETE', async () => {
			if (!(await dialog.isVisible())) {
				await menu.first().click(quick);
				await page.getByText('Uninstall package').filter({ visible: true }).click(quick);
			}
			await press(dialog, /uninstall|confirm/i);
		});
		await card.waitFor({ state: 'detached' });
		expect(new Set(await nodesIn(n8n))).toEqual(new Set(['Unrecognized node type']));

		await n8n.rest('POST', '/community-packages', { name: packageName });
		expect(await nodesIn(n8n)).toEqual(bothNodes);
		const run = await n8n.runWorkflow(first.schedule);
		expect(itemsOf(run, 'Schedule the post')).toHaveLength(2);
		await editor.close();
	},
);
