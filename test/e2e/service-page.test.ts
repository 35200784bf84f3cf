import { openEditor } from '../n8n/browser';
import { requiring } from '../n8n/requires';
import { sharedN8n, useScene } from './shared';

/** The embedded service's page as `npm start` shows it. What is on it: test/integration/service/page.test.ts. */

const scene = useScene({ seed: 'demo' });

requiring('browser')(
	'on a phone: the header leaves room for the posts, its controls open on a click',
	async () => {
		const { service } = scene;
		service.editor = scene.n8n;
		const editor = await openEditor(await sharedN8n(), { width: 390, height: 844 });
		const { page } = editor;
		await page.goto(service.url);
		await page.locator('article').first().waitFor();
		expect((await page.locator('header').boundingBox())!.height).toBeLessThan(100);
		expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
		const skip = page.getByRole('button', { name: 'Skip 1 hour' });
		expect(await skip.isVisible()).toBe(false);
		await page.getByRole('button', { name: 'Controls' }).click();
		expect(await skip.isVisible()).toBe(true);

		const link = page.getByRole('link', { name: 'Open the editor' });
		expect(await link.getAttribute('href')).toBe(scene.n8n.url);
		await page.getByRole('link', { name: 'Credential', exact: true }).click();
		await page.getByRole('button', { name: 'Copy API Key' }).click();
		await page.getByText('Copied: API Key').waitFor();
		await page.getByText('All keys').click();
		for (const key of Object.values(service.keys))
			await page.getByText(key, { exact: true }).last().waitFor();

		const next = [...service.store.posts.values()].find(({ status }) => status === 'scheduled')!;
		service.lifecycle.cancel(next);
		const card = page.locator(`[id="post ${next.id}"]`);
		await card.getByText('canceled', { exact: true }).waitFor();
		expect(await card.innerText()).toMatch(/canceled .*, was due /);
		// Times have one form.
		const times = (await page.locator('main').innerText()).match(/\d+:\d\d\b(:\d\d)?(\s[AP]M)?/g)!;
		expect(times.filter((time) => !/^\d+:\d\d:\d\d\s[AP]M$/.test(time))).toEqual([]);
		await editor.close();
	},
);
