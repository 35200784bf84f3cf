import { poll } from '../n8n/client';
import { example } from '../n8n/examples';
import { connectMcp, type McpClient } from '../support/e2e/mcpClient';
import { step } from '../support/e2e/step';
import { posts as postsOf } from '../support/store';
import { useScene } from './shared';

/** The example 'mcp-server', used over the Model Context Protocol as an assistant does. */
describe('the node as tools of an MCP server', () => {
	const token = 'example-token-of-the-assistants';
	const scene = useScene();
	let client: McpClient;

	beforeAll(async () => {
		const { n8n, account, save } = scene;
		const httpBearerAuth = await n8n.createCredential('Token', 'httpBearerAuth', { token });
		await n8n.activate(await save(await example('mcp-server'), { ...account, httpBearerAuth }));
		client = await poll('the MCP server', async () => await connect(token).catch(() => undefined));
	});
	afterAll(async () => await client?.close());

	const connect = async (bearer: string) =>
		await connectMcp(`${scene.n8n.webhookUrl}/mcp/social-publishing`, bearer);

	/** The items that a tool gives. */
	async function use(name: string, args: Record<string, unknown> = {}): Promise<any[]> {
		const { content, isError } = await client.callTool({ name, arguments: args });
		const text = content.map((one) => one.text).join('\n');
		if (isError) throw new Error(text);
		return JSON.parse(text);
	}

	/** What a user who approves the preview lets the assistant pass on. */
	const approved = async (args: Record<string, unknown>) => ({
		...args,
		approval_codes: (await use('preview_post', args)).map((one) => one.approval_code).join(', '),
	});

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
			list_posts: ['limit?', 'from?', 'status?', 'to?'],
			check_health: ['days?'],
			preview_post: ['platforms', 'text', 'scheduled_at'],
			schedule_post: ['platforms', 'text', 'scheduled_at', 'approval_codes'],
			cancel_post: ['post_id'],
		});
		for (const { description, inputSchema } of tools) {
			expect(description.length).toBeGreaterThan(40);
			for (const field of Object.values(inputSchema.properties))
				expect(field).toMatchObject({
					type: expect.stringMatching(/^(string|number)$/),
					description: expect.stringMatching(/^[A-Z].{15}/),
				});
		}
		await expect(connect('a wrong token')).rejects.toThrow(/403|401|Authorization/);
	});

	test('previews, schedules once, lists and cancels', async () => {
		await step('a preview sends nothing', async () => {
			const [linkedin, x] = await use('preview_post', post);
			expect(linkedin).toMatchObject({ preview: true, platform: 'linkedin', text: post.text });
			expect(linkedin).not.toHaveProperty('warnings');
			expect(x).toMatchObject({ preview: true, platform: 'x' });
			expect(posts()).toEqual([]);
		});
		await step('the same post asked for twice is there once on each platform', async () => {
			const sent = await use('schedule_post', await approved(post));
			expect(sent.map(({ platform, status }) => [platform, status])).toEqual([
				['linkedin', 'scheduled'],
				['x', 'scheduled'],
			]);
			const again = await use('schedule_post', await approved(post));
			expect(again.map(({ id }) => id)).toEqual(sent.map(({ id }) => id));
			expect(posts()).toHaveLength(2);
		});
		await step('the list has what was asked for, in few columns', async () => {
			const all = await use('list_posts');
			const ids = (list: any[]) => list.map(({ id }) => id).sort();
			expect(ids(all)).toEqual(ids(posts()));
			expect(Object.keys(all[0])).toEqual([
				'platform',
				'account',
				'status',
				'scheduled_at_local',
				'text',
				'id',
			]);
			expect(await use('list_posts', { status: 'completed' })).toEqual([]);
			expect(await use('list_posts', { limit: 1, from: '', to: '' })).toHaveLength(1);
		});
		await step('what is canceled stays canceled; what is wrong comes back with the reason', async () => {
			const [first] = posts();
			expect(await use('cancel_post', { post_id: first!.id })).toMatchObject([{ status: 'canceled' }]);
			expect(first!.status).toBe('canceled');
			await expect(use('cancel_post', { post_id: 'post_unknown' })).rejects.toThrow(/post/i);
		});
	});

	test('what the preview did not show is not sent', async () => {
		const { approval_codes } = await approved(post);
		const schedule = async (args: object) => await use('schedule_post', { ...post, approval_codes, ...args });
		await expect(schedule({ text: 'Another text' })).rejects.toThrow(/the text changed\. Nothing was sent/);
		await expect(schedule({ platforms: 'x, bluesky' })).rejects.toThrow(/isn't what was approved/);
		await expect(schedule({ approval_codes: '' })).rejects.toThrow(/'Approved Code' is empty/);
		expect(posts()).toEqual([]);
	});

	test('more posts than the limit are refused before anything is sent', async () => {
		const many = { ...post, platforms: 'linkedin, x, facebook, bluesky' };
		await expect(use('schedule_post', await approved(many))).rejects.toThrow(/3 posts.*4 .*Nothing was sent/);
		expect(posts()).toEqual([]);
		expect(await use('preview_post', many)).toHaveLength(4);
	});

	test('the health of publishing', async () => {
		const checks = await use('check_health');
		expect(checks.length).toBeGreaterThan(3);
		for (const check of checks)
			expect(check).toMatchObject({ check: expect.any(String), message: expect.any(String) });
	});
});
