import fc from 'fast-check';
import omit from 'lodash/omit';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { derivedSecret } from '../../../nodes/shared/signature';
import { checkExists, create, remove } from '../../../nodes/SocialPublishingTrigger/lifecycle';
import { stateOf } from '../../../nodes/SocialPublishingTrigger/nodeState';
import { Upkeep } from '../../../nodes/SocialPublishingTrigger/upkeep';
import { generator } from '../../service/faults';
import { runs } from '../../support/property';

/**
 * The life of a subscription under random trouble: a service that loses requests and answers, people who delete,
 * disable and double, keys that are replaced, crashes and old backups of n8n, publishing in between. After all that,
 * one look (or unpublishing) without faults leaves exactly what should be there.
 * `UPKEEP_RUNS=5000 npx jest …` runs more; a seed that failed is printed by fast-check.
 */

const RUNS = Number(process.env.UPKEEP_RUNS ?? 150);
const URL_OF_N8N = 'https://n8n.example.com/webhook/a/webhook';
const EVENTS = ['post.published', 'post.failed'];

interface Hook {
	id: string;
	url: string;
	events: string[];
	status: string;
	secret: string;
}

/** The service: its subscriptions, and how it fails. */
class FakeService {
	hooks: Hook[] = [];
	key = 'key 0';
	takesSecret = true;
	/** Out of 100 requests, so many go wrong. */
	failing = 0;
	private made = 0;

	constructor(private readonly random: () => number) {}

	async answer({ method, url, body }: IHttpRequestOptions, key: string): Promise<unknown> {
		const fault = this.random() * 100 < this.failing ? Math.floor(this.random() * 4) : -1;
		if (fault === 0) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
		if (fault === 1) return this.reply(500, { code: 'PUBLIC_API_WEBHOOK_CREATE_FAILED', message: 'no' });
		if (key !== this.key) return this.reply(401, { code: 'PUBLIC_API_KEY_INVALID', message: 'no' });
		const answer = this.act(method!, url, body as IDataObject);
		if (fault === 2) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
		return fault === 3 ? this.reply(500, { code: 'PUBLIC_API_CONTEXT_ERROR', message: 'no' }) : answer;
	}

	private act(method: string, url: string, body: IDataObject) {
		const [, id] = /\/webhooks\/([^/]+)$/.exec(url) ?? [];
		if (url.includes('/deliveries')) return this.reply(200, { deliveries: [] });
		if (method === 'GET') return this.reply(200, { webhooks: this.hooks.map((one) => omit(one, 'secret')) });
		if (method === 'DELETE') {
			if (!this.hooks.some((one) => one.id === id))
				return this.reply(404, { code: 'NOT_FOUND', message: 'no' });
			this.hooks = this.hooks.filter((one) => one.id !== id);
			return { statusCode: 204, headers: {}, body: '' };
		}
		if (body.secret && !this.takesSecret)
			return this.reply(400, { code: 'PUBLIC_API_BODY_INVALID', message: 'secret' });
		const { url: to, events } = body as { url: string; events: string[] };
		const secret = String(body.secret ?? `made by the service ${this.made}`);
		const hook = { id: `wh_${++this.made}`, url: to, events, status: 'active', secret };
		this.hooks.push(hook);
		return this.reply(201, { webhook: hook });
	}

	private reply(statusCode: number, data: IDataObject) {
		const body =
			statusCode < 400
				? { success: true, data, request_id: 'r' }
				: { success: false, error: data, request_id: 'r' };
		return { statusCode, headers: {}, body };
	}
}

let nodes = 0;

/** n8n, as far as the trigger sees it. */
class FakeN8n {
	staticData: IDataObject = {};
	backup: IDataObject = {};
	key = 'key 0';
	published = false;
	private readonly id = `node ${++nodes}`;
	private upkeep = this.newUpkeep();

	constructor(private readonly service: FakeService) {}

	private context(activation = 'activate'): any {
		const silent = () => undefined;
		return {
			getNode: () => ({ id: this.id, name: 'Trigger', typeVersion: 1.2, type: 't', parameters: {} }),
			getWorkflow: () => ({ id: 'workflow', name: 'A workflow' }),
			getMode: () => 'trigger',
			getActivationMode: () => activation,
			getNodeParameter: (name: string, fallback: unknown) => (name === 'events' ? EVENTS : fallback),
			getWorkflowStaticData: () => this.staticData,
			getNodeWebhookUrl: () => URL_OF_N8N,
			getCredentials: async () => ({
				apiKey: this.key,
				baseUrl: 'https://api.example.com',
				apiPath: '/v1',
			}),
			logger: { debug: silent, info: silent, warn: silent, error: silent },
			emit: silent,
			saveFailedExecution: silent,
			helpers: {
				httpRequestWithAuthentication: async (_: string, options: IHttpRequestOptions) =>
					await this.service.answer(options, this.key),
				registerCron: silent,
			},
		};
	}

	private newUpkeep(): Upkeep {
		return new Upkeep(this.context());
	}

	/** As n8n 2.41 does: five tries, `delete` after each that failed. */
	async publish(activation = 'activate'): Promise<void> {
		for (let attempt = 0; attempt < 5; attempt++) {
			const context = this.context(activation);
			try {
				if (!(await checkExists(context))) await create(context);
				this.published = true;
				return;
			} catch {
				await remove(context).catch(() => undefined);
			}
		}
		this.published = false;
	}

	async unpublish(): Promise<void> {
		for (let attempt = 0; attempt < 3; attempt++) {
			const done = await remove(this.context('update')).catch(() => false);
			if (done) break;
		}
		this.published = false;
	}

	/** Another process: nothing is remembered. */
	async restart(): Promise<void> {
		this.upkeep.close();
		stateOf('workflow', this.id).subscription = { generation: 0 };
		this.upkeep = this.newUpkeep();
		if (this.published) await this.publish('init');
	}

	async look(): Promise<void> {
		await this.upkeep.look();
	}
}

const steps = {
	look: async (n8n: FakeN8n) => await n8n.look(),
	restart: async (n8n: FakeN8n) => await n8n.restart(),
	publish: async (n8n: FakeN8n) => await n8n.publish(),
	unpublish: async (n8n: FakeN8n) => await n8n.unpublish(),
	deleteByHand: async (_: FakeN8n, service: FakeService) => void service.hooks.shift(),
	disable: async (_: FakeN8n, service: FakeService) => {
		for (const hook of service.hooks) hook.status = 'disabled';
	},
	changeEvents: async (_: FakeN8n, service: FakeService) => {
		for (const hook of service.hooks) hook.events = ['post.created'];
	},
	double: async (_: FakeN8n, service: FakeService) => {
		const [one] = service.hooks;
		if (one) service.hooks.push({ ...one, id: `${one.id}-double`, secret: 'of somebody else' });
	},
	replaceKey: async (n8n: FakeN8n, service: FakeService) => {
		service.key += "'";
		n8n.key = service.key;
	},
	revokeKey: async (_: FakeN8n, service: FakeService) => void (service.key += "'"),
	newKey: async (n8n: FakeN8n, service: FakeService) => void (n8n.key = service.key),
	wipeStaticData: async (n8n: FakeN8n) => {
		for (const name of Object.keys(n8n.staticData)) delete n8n.staticData[name];
	},
	backUp: async (n8n: FakeN8n) => void (n8n.backup = { ...n8n.staticData }),
	restoreBackup: async (n8n: FakeN8n) => {
		n8n.staticData = { ...n8n.backup };
		await n8n.restart();
	},
};

const cases = fc.record({
	steps: fc.array(fc.constantFrom(...(Object.keys(steps) as Array<keyof typeof steps>)), { maxLength: 14 }),
	failing: fc.constantFrom(0, 20, 60),
	takesSecret: fc.boolean(),
	seed: fc.nat(),
});

describe('the life of a subscription', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	const through = async (work: Promise<unknown>) => {
		let done = false;
		void work.finally(() => (done = true)).catch(() => undefined);
		while (!done) await jest.advanceTimersByTimeAsync(1000);
		await work;
	};

	it('ends, after any trouble and one look, with exactly the subscription that is wanted', async () => {
		await fc.assert(
			fc.asyncProperty(cases, async ({ steps: names, failing, takesSecret, seed }) => {
				const service = new FakeService(generator(seed));
				service.takesSecret = takesSecret;
				const n8n = new FakeN8n(service);
				await through(n8n.publish());
				service.failing = failing;
				for (const name of names) await through(steps[name](n8n, service));
				service.failing = 0;
				n8n.key = service.key;
				if (!n8n.published) {
					await through(n8n.publish());
					await through(n8n.unpublish());
					expect(service.hooks).toEqual([]);
					return;
				}
				await through(n8n.look());
				expect(service.hooks).toHaveLength(1);
				const [hook] = service.hooks;
				expect(hook).toMatchObject({ url: URL_OF_N8N, events: EVENTS, status: 'active' });
				if (takesSecret) expect(hook!.secret).toBe(derivedSecret(service.key, URL_OF_N8N));
				const before = [...service.hooks];
				await through(n8n.look());
				expect(service.hooks).toEqual(before);
				await through(n8n.unpublish());
				expect(service.hooks).toEqual([]);
			}),
			runs(RUNS),
		);
	}, 600_000);
});
