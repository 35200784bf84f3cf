import type { Locator } from 'playwright-core';

import { openEditor } from '../../test/n8n/browser';
import { type N8n, startN8n } from '../../test/n8n/instance';
import { type Service, startService } from '../../test/service';

/** `npm run clicks`: what a newcomer does from an empty canvas to the first post; fails where it takes more than it did. */

const MOST = { withoutCredential: 13, withCredential: 9 };

/** Each is a click, or a field that is filled in. */
async function firstPost(n8n: N8n, service: Service, hasCredential: boolean): Promise<string[]> {
	const editor = await openEditor(n8n, { width: 1400, height: 1000 });
	const actions: string[] = [];
	const click = async (what: string, where: Locator) => {
		await where.first().click();
		actions.push(what);
	};
	const fill = async (what: string, where: Locator, text: string) => {
		await where.first().fill(text);
		actions.push(what);
	};
	try {
		await editor.visit('/workflow/new');
		await click('add the first step', editor.visible('[data-test-id="canvas-add-button"]'));
		const search = editor.element('node-creator-search-bar');
		const names = editor.element('node-creator-item-name');
		await fill('search', search, 'instagram');
		await click('the node', names.filter({ hasText: 'Social Publishing' }));
		await click('its actions', editor.page.getByText(/^Actions \(\d+\)/));
		await click('the action', names.filter({ hasText: /^Publish or schedule post$/ }));
		if (!hasCredential) {
			await click(
				'set up the credential',
				editor.element('node-credentials-empty-state').getByRole('button'),
			);
			await editor.element('credential-name').waitFor();
			await fill('address', editor.field('baseUrl').locator('input'), service.url);
			await fill('key', editor.field('apiKey').locator('input'), service.keys.full);
			await click('save', editor.element('credential-save-button'));
			await editor.element('credential-edit-dialog').waitFor({ state: 'hidden' });
		}
		// Again where n8n closes the list as its entries arrive.
		await editor.openList('platforms', 'LinkedIn');
		actions.push('the platforms');
		await click('a platform', editor.choice('LinkedIn'));
		await fill('the text', editor.field('text').locator('textarea'), 'My first post');
		await editor.atRest();
		await click('execute', editor.element('node-execute-button'));
		await editor.output.getByText('My first post').first().waitFor();
		return actions;
	} finally {
		await editor.close();
	}
}

async function main(): Promise<void> {
	const service = await startService({ seed: 'demo', port: 0 });
	const n8n = await startN8n({ editor: true });
	try {
		for (const [place, most] of Object.entries(MOST)) {
			const actions = await firstPost(n8n, service, place === 'withCredential');
			console.log(`${place}: ${actions.length} of ${most} (${actions.join(', ')})`);
			if (actions.length > most) process.exitCode = 1;
		}
	} finally {
		await n8n.stop();
		await service.close();
	}
}

void main();
