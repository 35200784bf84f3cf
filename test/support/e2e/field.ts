import { accountOf } from '../../n8n/examples';
import { type N8nClient, poll } from '../../n8n/client';
import type { Service } from '../../service';
import { hookOf } from './workflows';
import type { Workflow } from './flow';
import { type GithubStub, startGithub } from './github';
import type { Receiver } from './sender';

export type PublicationStatus = 'published' | 'failed' | 'not_published';

/** A real n8n and an embedded service that know each other, and the published workflows between them. */
export class Field {
	private readonly workflows = new Set<string>();
	private stub?: GithubStub;

	private constructor(
		readonly n8n: N8nClient,
		readonly service: Service,
		readonly credential: string,
	) {}

	static async set(n8n: N8nClient, service: Service): Promise<Field> {
		const { socialPublishingApi } = await accountOf(n8n, service, service.addKey({ plan: 'enterprise' }));
		return new Field(n8n, service, socialPublishingApi);
	}

	/** Saves and publishes a workflow of our trigger; waits for its subscription. */
	async publish(workflow: Workflow): Promise<{ id: string; receiver: Receiver; webhookId: string }> {
		const id = await this.begin(workflow, { socialPublishingApi: this.credential });
		const {
			url,
			secret,
			id: webhookId,
		} = await poll('the subscription', () => this.subscriptions(hookOf(workflow))[0]);
		return { id, receiver: { url, secret }, webhookId };
	}

	subscriptions(hook: string) {
		return [...this.service.store.webhooks.values()].filter(({ url }) => url.includes(hook));
	}

	/** Saves and publishes a workflow of n8n's GitHub Trigger, against a stub of GitHub. */
	async publishGithub(workflow: Workflow): Promise<Receiver> {
		const { url, hooks } = (this.stub ??= await startGithub());
		const account = { server: url, user: 'example', accessToken: 'example' };
		const githubApi = await this.n8n.createCredential('GitHub account', 'githubApi', account);
		await this.begin(workflow, { githubApi });
		const mine = () => [...hooks.values()].find((one) => one.url.includes(hookOf(workflow)));
		return await poll('the hook at GitHub', mine);
	}

	private async begin(workflow: Workflow, credentials?: Record<string, string>): Promise<string> {
		const id = await this.n8n.createWorkflow(workflow, credentials);
		this.workflows.add(id);
		await this.n8n.activate(id);
		await this.settled(id, 'published');
		return id;
	}

	/** Changes a workflow as the editor saves it, and publishes it again. */
	async change(id: string, change: (nodes: Workflow['nodes']) => void): Promise<void> {
		const { nodes, connections, settings, versionId, name } = await this.n8n.rest('GET', `/workflows/${id}`);
		change(nodes);
		await this.n8n.rest('PATCH', `/workflows/${id}`, { name, nodes, connections, settings, versionId });
		await this.n8n.activate(id);
		await this.settled(id, 'published');
	}

	async unpublish(id: string): Promise<void> {
		await this.n8n.deactivate(id);
		await this.settled(id, 'not_published');
	}

	/** Unpublishes and deletes what was published here. */
	async clear(): Promise<void> {
		for (const id of this.workflows) await this.remove(id);
		await this.stub?.stop();
	}

	async remove(id: string): Promise<void> {
		this.workflows.delete(id);
		await this.n8n.deleteWorkflow(id);
	}

	/** n8n goes on with publishing after it has answered: it subscribes, and stores the secret after that. */
	async settled(id: string, wanted?: PublicationStatus): Promise<any> {
		return await poll(
			wanted ? `the workflow to be ${wanted}` : 'n8n to be done with publishing',
			async () => await this.n8n.rest('GET', `/workflows/${id}/publication-status`),
			({ status }) => (wanted ? status === wanted : status !== 'in_progress'),
		);
	}
}
