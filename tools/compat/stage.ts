import { accountOf } from '../../test/n8n/examples';
import type { N8n } from '../../test/n8n/instance';
import { type Service, startService } from '../../test/service';
import type { Workflow } from '../../test/support/e2e/flow';

/** What a row found: fine or not, and the figure that says so. */
export interface Finding {
	ok: boolean;
	told?: string;
}

/** One row of the table: the same steps in every n8n. Throws where it could not come to its question. */
export interface CompatRow {
	name: string;
	run: (stage: Stage) => Promise<Finding>;
}

/** Rows that go on where the one before ended: the first that fails leaves the rest without an answer. */
export type Scene = CompatRow[];

export const ok = (told?: string): Finding => ({ ok: true, ...(told ? { told } : {}) });

/** Fine exactly if what was found is what was wanted. */
export const found = (value: number, wanted: number, what: string): Finding => ({
	ok: value === wanted,
	told: `${value} ${what} of ${wanted}`,
});

/** A row fails with `what` unless `condition` holds. */
export function demand(condition: unknown, what: string): asserts condition {
	if (!condition) throw new Error(what);
}

/** An n8n that runs, a service of its own, and a credential between them; what was made there is removed at the end. */
export class Stage {
	private readonly made: string[] = [];

	private constructor(
		readonly n8n: N8n,
		readonly service: Service,
		readonly account: { socialPublishingApi: string },
	) {}

	static async set(n8n: N8n): Promise<Stage> {
		const service = await startService();
		return new Stage(n8n, service, await accountOf(n8n, service, service.addKey({ plan: 'enterprise' })));
	}

	async save(workflow: Workflow, account = this.account): Promise<string> {
		const id = await this.n8n.createWorkflow(workflow, account);
		this.made.push(id);
		return id;
	}

	async close(): Promise<void> {
		for (const id of this.made) await this.n8n.deleteWorkflow(id).catch(() => undefined);
		await this.service.close();
	}
}
