import { credentialFor } from '../../n8n/examples';
import { type N8nClient, poll } from '../../n8n/client';
import type { Service } from '../../service';
import { GithubStub } from './github';
import type { Receiver } from './sender';

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
		const data = credentialFor(service, service.addKey({ plan: 'enterprise' }));
		return new Field(
			n8n,
			service,
			await n8n.createCredential('Social Publishing account', 'socialPublishingApi', data),
		);
	}

	/** Saves and publishes a workflow of our trigger; waits for its subscription. */
	async publish(
		workflow: Record<string, any>,
	): Promise<{ id: string; receiver: Receiver; webhookId: string }> {
		const id = await this.n8n.createWorkflow(workflow, { socialPublishingApi: this.credential });
		this.workflows.add(id);
		await this.n8n.activate(id);
		await this.settled(id, 'published');
		const webhook = await this.subscription(workflow.nodes[0].webhookId);
		return { id, receiver: { url: webhook.url, secret: webhook.secret }, webhookId: webhook.id };
	}

	/** The one subscription of a trigger. */
	async subscription(hook: string) {
		return await poll('the subscription', () => this.subscriptions(hook)[0]);
	}

	subscriptions(hook: string) {
		return [...this.service.store.webhooks.values()].filter(({ url }) => url.includes(hook));
	}

	/** Saves and publishes a workflow of n8n's GitHub Trigger, against a stub of GitHub. */
	async publishGithub(workflow: Record<string, any>): Promise<{ id: string; receiver: Receiver }> {
		this.stub ??= await GithubStub.start();
		const githubApi = await this.n8n.createCredential('GitHub account', 'githubApi', {
			server: this.stub.url,
			user: 'example',
			accessToken: 'example',
		});
		const id = await this.n8n.createWorkflow(workflow, { githubApi });
		this.workflows.add(id);
		await this.n8n.activate(id);
		const hook = workflow.nodes[0].webhookId as string;
		const hooks = () => [...this.stub!.hooks.values()];
		const receiver = await poll('the hook at GitHub', () => hooks().find(({ url }) => url.includes(hook)));
		await this.settled(id, 'published');
		return { id, receiver };
	}

	/** Saves and publishes a workflow of n8n's bare Webhook node. */
	async publishBare(workflow: Record<string, any>): Promise<{ id: string; receiver: Receiver }> {
		const id = await this.n8n.createWorkflow(workflow);
		this.workflows.add(id);
		await this.n8n.activate(id);
		const { path } = workflow.nodes[0].parameters;
		const receiver = { url: `${this.n8n.webhookUrl}/webhook/${path}`, secret: '' };
		await this.settled(id, 'published');
		return { id, receiver };
	}

	/** Changes a workflow as the editor saves it, and publishes it again. */
	async change(id: string, change: (nodes: Array<Record<string, any>>) => void): Promise<void> {
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
	async settled(id: string, wanted?: 'published' | 'not_published'): Promise<void> {
		await poll(
			wanted ? `the workflow to be ${wanted}` : 'n8n to be done with publishing',
			async () => await this.n8n.rest('GET', `/workflows/${id}/publication-status`),
			({ status }) => (wanted ? status === wanted : status !== 'in_progress'),
		);
	}
}
