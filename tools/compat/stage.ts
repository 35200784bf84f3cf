import { accountOf } from '../../test/n8n/examples';
import type { N8n } from '../../test/n8n/instance';
import { type Service, startService } from '../../test/service';
import type { Workflow } from '../../test/support/e2e/flow';

/**
 * Rows of the table that share a service, by name: the same steps in every n8n. One throws what it finds where that is
 * less than wanted; the trigger's rows go on where the one before ended.
 */
export type Scene = Record<string, (stage: Stage) => Promise<void>>;

/** A row fails with `what` unless `condition` holds. */
export function demand(condition: unknown, what: string): asserts condition {
	if (!condition) throw new Error(what);
}

/** Fine exactly if what was found is what was wanted. */
export const demandCount = (found: number, wanted: number, what: string): void =>
	demand(found === wanted, `${found} ${what} of ${wanted}`);

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

	async save(workflow: Workflow, account: Record<string, string> = this.account): Promise<string> {
		const id = await this.n8n.createWorkflow(workflow, account);
		this.made.push(id);
		return id;
	}

	async close(): Promise<void> {
		for (const id of this.made) await this.n8n.deleteWorkflow(id).catch(() => undefined);
		await this.service.close();
	}
}
