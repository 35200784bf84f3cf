import { poll } from '../n8n/client';
import { example } from '../n8n/examples';
import { connectMcp, type McpClient } from '../support/e2e/mcpClient';
import { posts as postsOf } from '../support/store';
import { useScene } from './shared';

/** The example 'mcp-server', used over the Model Context Protocol as an assistant does. */
describe('the node as tools of an MCP server', () => {
	const token = 'example-token-of-the-assistants';
	const scene = useScene();
	let client: McpClient;
	let id: string;

	beforeAll(async () => {
		const { n8n, credentials } = scene;
		const httpBearerAuth = await n8n.createCredential('Token', 'httpBearerAuth', { token });
		id = await n8n.createWorkflow(example('mcp-server'), { ...credentials, httpBearerAuth });
		await n8n.activate(id);
		client = await poll('the MCP server', async () => await connect(token).catch(() => undefined));
	});
	afterAll(async () => {
		await client?.close();
		await scene.n8n.deleteWorkflow(id);
	});

	const connect = async (bearer: string) =>
		await connectMcp(`${scene.n8n.webhookUrl}/mcp/social-publishing`, bearer);

	/** The items that a tool gives. */
	async function use(name: string, args: Record<string, unknown> = {}): Promise<any[]> {
		const { content, isError } = await client.callTool({ name, arguments: args });
		const text = content.map((one) => one.text).join('\n');
		if (isError) throw new Error(text);
		return JSON.parse(text);
	}

	const posts = () => postsOf(scene.service);
	const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
	const post = { platforms: 'linkedin, x', text: 'From an assistant', scheduled_at };

	test('five tools that a model can understand, only with the token', async () => {
		expect(client.getServerVersion()).toMatchObject({ name: 'Assistants' });
		expect(client.getInstructions()).toMatch(/preview_post/);
		const { tools } = await client.listTools();
		const parameters = Object.fromEntries(
			tools.map(({ name, inputSchema: { properties, required = [] } }) => [
				name,
				Object.keys(properties).map((key) => (required.includes(key) ? key : `${key}?`)),
			]),
		);
		expect(parameters).toEqual({
			list_posts: ['limit?', 'status?', 'from?', 'to?'],
			check_health: ['days?'],
			preview_post: ['text', 'platforms', 'scheduled_at'],
			schedule_post: ['text', 'platforms', 'scheduled_at'],
			cancel_post: ['post_id'],
		});
		const description = expect.stringMatching(/^[A-Z].{15}/);
		const type = expect.stringMatching(/^(string|number)$/);
		for (const tool of tools)
			for (const field of [{ ...tool, type: 'string' }, ...Object.values(tool.inputSchema.properties)])
				expect(field).toMatchObject({ type, description });
		await expect(connect('a wrong token')).rejects.toThrow(/403|401|Authorization/);
	});

	test('previews without sending, schedules once, lists and cancels', async () => {
		const previews = await use('preview_post', post);
		expect(previews.map(({ preview, platform }) => [preview, platform])).toEqual([
			[true, 'linkedin'],
			[true, 'x'],
		]);
		expect(posts()).toEqual([]);

		const sent = await use('schedule_post', post);
		expect(sent.map(({ platform, status }) => `${platform} ${status}`)).toEqual([
			'linkedin scheduled',
			'x scheduled',
		]);
		const ids = (list: any[]) => list.map(({ id }) => id);
		expect(ids(await use('schedule_post', post))).toEqual(ids(sent));
		expect(posts()).toHaveLength(2);

		const all = await use('list_posts');
		expect(ids(all).sort()).toEqual(ids(posts()).sort());
		expect(Object.keys(all[0]).join()).toBe('platform,account,status,scheduled_at_local,text,id');
		expect(await use('list_posts', { status: 'completed' })).toEqual([]);
		expect(await use('list_posts', { limit: 1, from: '', to: '' })).toHaveLength(1);

		expect(await use('cancel_post', { post_id: sent[0].id })).toMatchObject([{ status: 'canceled' }]);
		await expect(use('cancel_post', { post_id: 'post_unknown' })).rejects.toThrow(/post/i);
	});

	test('more posts than the limit are not sent', async () => {
		const many = { ...post, platforms: 'linkedin, x, facebook, bluesky' };
		await expect(use('schedule_post', many)).rejects.toThrow(/is 3[^]*Nothing was sent/);
		expect(posts()).toEqual([]);
	});

	test('the health of publishing', async () => {
		const checks = await use('check_health');
		expect(checks.map(({ status }) => status)).toEqual(Array(4).fill('ok'));
	});
});
