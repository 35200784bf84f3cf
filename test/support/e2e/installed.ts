import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { itemsOf, type N8nClient, poll } from '../../n8n/client';
import { accountOf, example, publishTrigger } from '../../n8n/examples';
import { installN8n } from '../../n8n/install';
import { type N8n, type N8nOptions, startN8n } from '../../n8n/instance';
import { packPackage } from '../../n8n/package';
import { type Registry, startRegistry, withVersion } from '../../n8n/registry';
import { type Service, startService } from '../../service';

export const packageName = 'n8n-nodes-social-publishing';
export const { version } = jest.requireActual<{ version: string }>('../../../package.json');
export const earlier = '0.0.9';

interface Installation {
	folder: string;
	/** Has an earlier version of this package and nothing else. */
	registry: Registry;
	publish(): Promise<void>;
	service: Service;
	/** Its `npm` is the machine's own, but speaks to the registry. */
	PATH: string;
	n8n: N8n;
	start(options: N8nOptions): Promise<void>;
}

export function useInstallation(): Installation {
	const one = {
		async start(options) {
			one.n8n = await startN8n({ packageTarball: false, ...options });
		},
	} as Installation;
	beforeEach(async () => {
		const folder = await mkdtemp(join(tmpdir(), 'social-install-'));
		const [registry, service, tarball] = await Promise.all([startRegistry(), startService(), packPackage()]);
		await registry.publish(await withVersion(tarball, earlier, folder));
		const { node } = await installN8n();
		const PATH = [registry.npmFolder, dirname(node), process.env.PATH].join(delimiter);
		const publish = async () => await registry.publish(tarball);
		Object.assign(one, { folder, registry, service, PATH, publish, n8n: undefined });
	});
	afterEach(async () => {
		await one.n8n?.stop();
		await Promise.all([one.registry.close(), one.service.close()]);
		await rm(one.folder, { recursive: true, force: true });
	});
	return one;
}

/** The names of the package's nodes, where n8n has them. */
export const nodesIn = async (n8n: N8nClient): Promise<string[]> =>
	await Promise.all(
		['socialPublishing', 'socialPublishingTrigger'].map(async (node) => {
			const nodeInfos = [{ name: `${packageName}.${node}`, version: 1 }];
			return await n8n.rest('POST', '/node-types', { nodeInfos }).then(
				([{ displayName }]) => displayName,
				({ message }: Error) => /Unrecognized node type/.exec(message)![0],
			);
		}),
	);
export const bothNodes = ['Social Publishing', 'Social Publishing Trigger'];

/**
 * What somebody does first who has installed the package: import the first two examples and give them a key.
 * @returns the ID of the one that schedules a post, and what fails unless that one works and the other hears of its post
 */
export async function importFirst(
	n8n: N8nClient,
	service: Service,
	save: N8nClient['createWorkflow'] = async (...what) => await n8n.createWorkflow(...what),
) {
	const account = await accountOf(n8n, service);
	const schedule = await save(await example('schedule-a-post'), account);
	const react = await save(await example('react-to-published'), account);
	await publishTrigger(n8n, service, react);

	const bothWork = async () => {
		const run = await n8n.runWorkflow(schedule);
		expect(run.data.resultData.error).toBeUndefined();
		const posts = itemsOf(run, 'Schedule the post');
		expect(posts.map(({ platform, status }) => `${platform} ${status}`)).toEqual([
			'linkedin scheduled',
			'x scheduled',
		]);
		const [{ id: postId }] = posts;
		service.lifecycle.publish(service.store.posts.get(postId)!);
		// Posts of earlier runs may fall due by now.
		const reactions = async () => {
			const ended = await n8n.executions(react, { status: ['success'] });
			const items = ended.map(async ({ id }) => itemsOf(await n8n.execution(id), 'Pick what matters'));
			return (await Promise.all(items)).filter(([picked]) => picked?.postId === postId);
		};
		const [picked] = await poll('the reaction', reactions, ({ length }) => length > 0);
		expect(picked).toEqual([{ postId, publishedAt: expect.any(String) }]);
	};
	return { schedule, bothWork };
}
