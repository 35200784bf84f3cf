import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { browserId, type N8nClient, poll, STEP_TIMEOUT_MS } from './client';
import { findChromium } from './chromium';

/** n8n's editor in a headless Chromium, signed in. Elements are found by n8n's own `data-test-id`s. */

const chromiumArgs = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	// Nothing outside this machine; without libsqlite3, Chromium would end at the first request with https.
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
	// The same picture on every machine.
	'--force-color-profile=srgb',
	'--font-render-hinting=none',
];

export async function openEditor(n8n: N8nClient, { height = 800 } = {}): Promise<Editor> {
	const browser = await chromium.launch({
		...(await findChromium()),
		args: chromiumArgs,
		timeout: STEP_TIMEOUT_MS,
	});
	const context = await browser.newContext({
		viewport: { width: 1280, height },
		reducedMotion: 'reduce',
		locale: 'en-GB',
		timezoneId: 'UTC',
	});
	context.setDefaultTimeout(STEP_TIMEOUT_MS);
	const [name = '', value = ''] = n8n.cookie.split('=');
	await context.addCookies([{ name, value, url: n8n.url }]);
	// The session is bound to this id, which the editor keeps in its local storage.
	await context.addInitScript(`localStorage.setItem('n8n-browserId', ${JSON.stringify(browserId)})`);
	const page = await context.newPage();
	return new Editor(n8n.url, browser, page);
}

export class Editor {
	/** When a run is over, the editor fetches and draws its data: of a run that is started meanwhile it shows nothing more. */
	private runFetched: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly url: string,
		private readonly browser: Browser,
		/** For what no helper does. */
		readonly page: Page,
	) {}

	/** A page of the editor. It is loaded once, which takes seconds; then as a step back in the history. */
	async visit(path: string): Promise<void> {
		if (!this.page.url().startsWith(this.url)) return void (await this.page.goto(this.url + path));
		await this.page.evaluate(
			`history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'));`,
		);
	}

	/** Shows a workflow, waits until its nodes and their icons are drawn. */
	async openWorkflow(id: string): Promise<void> {
		const shown = this.element('canvas-node').first();
		const before = (await shown.isVisible()) ? await shown.elementHandle() : undefined;
		await this.visit(`/workflow/${id}`);
		await before?.waitForElementState('hidden');
		await shown.waitFor();
		await this.page.waitForFunction(
			`[...document.querySelectorAll('[data-test-id="canvas-node"] img')].every((image) => image.complete && image.naturalWidth > 0)`,
		);
		await this.element('zoom-to-fit').click();
		await this.atRest();
	}

	async nodes() {
		const nodes = await this.element('canvas-node').all();
		return await Promise.all(
			nodes.map(async (node) => ({
				name: (await node.getAttribute('data-node-name'))!,
				/** A picture of its own (a file of the package), or n8n's own icon. */
				hasIcon: (await node.locator('[class*="icon"] img, [class*="icon"] svg').count()) > 0,
				/** "Install this node": n8n does not know the type. */
				unknown: (await node.locator('[data-test-id="node-not-installed"]').count()) > 0,
				/** A red triangle: something is missing in its settings. */
				hasIssues: (await node.locator('[data-test-id="node-issues"]').count()) > 0,
			})),
		);
	}

	async screenshot(path: string): Promise<void> {
		await mkdir(dirname(path), { recursive: true });
		await this.page.screenshot({ path, animations: 'disabled' });
	}

	async openNode(name: string): Promise<Locator> {
		await this.page
			.locator(`[data-test-id="canvas-node"][data-node-name=${JSON.stringify(name)}]`)
			.dblclick();
		const panel = this.element('ndv');
		await panel.waitFor();
		return panel;
	}

	async closeNode(): Promise<void> {
		await this.element('ndv-close-button').first().click();
		await this.element('ndv').waitFor({ state: 'hidden' });
	}

	async close(): Promise<void> {
		await this.browser.close();
	}

	element(testId: string): Locator {
		return this.page.locator(`[data-test-id="${testId}"]`);
	}

	visible(selector: string): Locator {
		return this.page.locator(selector).filter({ visible: true });
	}

	field(name: string): Locator {
		return this.element(`parameter-input-${name}`);
	}

	get choices(): Locator {
		return this.visible('.el-select-dropdown__item');
	}

	choice(text: string): Locator {
		return this.choices.filter({ hasText: text }).first();
	}

	async choose(field: string, entry: string): Promise<void> {
		await this.field(field).locator('input').first().click();
		await this.choice(entry).click();
	}

	/** Opens a list that n8n fetches: it closes when its entries arrive while it is open. */
	async openList(field: string, entry: string): Promise<void> {
		await until(`the list ${field}`, async () => {
			await this.field(field).click();
			await this.choice(entry).waitFor(quick);
		});
	}

	async addOption(name: string): Promise<void> {
		const add = this.visible('[data-test-id^="collection-parameter-add"]').last();
		await add.scrollIntoViewIfNeeded();
		await add.click();
		const entries = this.visible('.el-select-dropdown__item, [role="menuitem"], [role="option"]');
		await entries.filter({ hasText: name }).first().click();
	}

	async execute(): Promise<void> {
		await this.runFetched;
		await this.atRest();
		this.runFetched = this.page
			.waitForEvent('requestfinished', (request) => /\/rest\/executions\/\d+$/.test(request.url()))
			.catch(() => undefined);
		await this.element('node-execute-button').first().click();
	}

	get output(): Locator {
		return this.element('output-panel');
	}

	/** The pointer off everything that has a tool tip, and until nothing moves any more. */
	async atRest(): Promise<void> {
		await this.page.mouse.move(0, 0);
		await this.page.evaluate(untilNothingMoves);
	}
}

/** For a click that n8n may lose while it draws. */
export const quick = { timeout: 4000 };

export const until = async (what: string, action: () => Promise<unknown>): Promise<void> =>
	void (await poll(what, async () =>
		action().then(
			() => true,
			() => undefined,
		),
	));

/** In the page: until everything has been in its place for half a second. */
const untilNothingMoves = `new Promise((done) => {
	const places = () =>
		[...document.querySelectorAll('.vue-flow__node, .el-overlay, [role="tooltip"], [data-test-id]')]
			.map((element) => element.getBoundingClientRect())
			.map(({ x, y, width, height }) => [x, y, width, height].join())
			.join(' ');
	let [last, since] = ['', 0];
	const look = () => {
		const now = places();
		if (now !== last) [last, since] = [now, performance.now()];
		performance.now() - since > 500 ? done() : requestAnimationFrame(look);
	};
	look();
})`;
