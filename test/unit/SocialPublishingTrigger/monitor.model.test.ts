import fc from 'fast-check';

import { derivedSecret } from '../../../nodes/shared/signature';
import { generator } from '../../service/faults';
import { runs } from '../../support/property';
import { FakeN8n, FakeService, faults, newEvent } from './fakes';

/**
 * The life of a subscription under random trouble: a service that loses requests and answers, people who delete,
 * disable and double, keys that are replaced, crashes and old backups of n8n, publishing in between. After all that,
 * one look (or unpublishing) without faults leaves exactly what should be there.
 * `UPKEEP_RUNS=5000 npx jest …` runs more; a seed that failed is printed by fast-check.
 */

const RUNS = Number(process.env.UPKEEP_RUNS ?? 100);

/** n8n, and whether it takes the workflow for published. */
class Life {
	published = false;
	backup = {};

	constructor(
		readonly n8n: FakeN8n,
		readonly service: FakeService,
	) {}

	async publish(activation = 'activate'): Promise<void> {
		this.published = await this.n8n.publish({ activation }).then(
			() => true,
			() => false,
		);
		if (this.published) await this.n8n.start(activation);
	}

	async unpublish(): Promise<void> {
		await this.n8n.unpublish().catch(() => undefined);
		this.published = false;
		await this.n8n.stop();
	}

	/** Another process. */
	async restart(): Promise<void> {
		await this.n8n.stop();
		this.n8n.forget();
		if (this.published) await this.publish('init');
	}

	async look(): Promise<void> {
		if (this.n8n.cron) await this.n8n.check();
	}
}

const steps = {
	look: async (life: Life) => await life.look(),
	restart: async (life: Life) => await life.restart(),
	publish: async (life: Life) => await life.publish(),
	unpublish: async (life: Life) => await life.unpublish(),
	deleteByHand: async ({ service }: Life) => void service.hooks.shift(),
	disable: async ({ service }: Life) => {
		for (const hook of service.hooks) hook.status = 'disabled';
	},
	changeEvents: async ({ service }: Life) => {
		for (const hook of service.hooks) hook.events = ['post.created'];
	},
	double: async ({ service }: Life) => {
		const [one] = service.hooks;
		if (one)
			service.hooks.push({
				...one,
				id: `${one.id}-${service.sent.length}-${service.hooks.length}`,
				secret: 'of somebody else',
			});
	},
	replaceKey: async ({ n8n, service }: Life) => void (n8n.key = service.key += "'"),
	revokeKey: async ({ service }: Life) => void (service.key += "'"),
	newKey: async ({ n8n, service }: Life) => void (n8n.key = service.key),
	wipeStaticData: async ({ n8n }: Life) => void (n8n.staticData = {}),
	backUp: async (life: Life) => void (life.backup = life.n8n.staticData),
	restoreBackup: async (life: Life) => {
		life.n8n.staticData = life.backup;
		await life.restart();
	},
};

const cases = fc.record({
	steps: fc.array(fc.constantFrom(...(Object.keys(steps) as Array<keyof typeof steps>)), { maxLength: 14 }),
	failing: fc.constantFrom(0, 0.2, 0.6),
	takesSecret: fc.boolean(),
	seed: fc.nat(),
});

describe('the life of a subscription', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	it('ends, after any trouble and one look, with exactly the subscription that is wanted', async () => {
		await fc.assert(
			fc.asyncProperty(cases, async ({ steps: names, failing, takesSecret, seed }) => {
				const service = new FakeService();
				service.takesSecret = takesSecret;
				const n8n = new FakeN8n(service);
				const life = new Life(n8n, service);
				await life.publish();
				const random = generator(seed);
				const kinds = Object.values(faults);
				service.fault = () => (random() < failing ? kinds[Math.floor(random() * kinds.length)] : undefined);
				for (const name of names) await steps[name](life);
				service.heal();
				n8n.key = service.key;
				if (!life.published) {
					await life.publish();
					await life.unpublish();
					expect(service.hooks).toEqual([]);
					return;
				}
				await life.look();
				expect(service.hooks).toMatchObject([
					{ url: n8n.url, events: n8n.parameters.events, status: 'active' },
				]);
				if (takesSecret) expect(service.hooks[0]!.secret).toBe(derivedSecret(service.key, n8n.url));
				expect((await n8n.deliver(newEvent())).status).toBe(200);
				const before = [...service.hooks];
				await life.look();
				expect(service.hooks).toEqual(before);
				await life.unpublish();
				expect(service.hooks).toEqual([]);
			}),
			runs(RUNS),
		);
	});
});
