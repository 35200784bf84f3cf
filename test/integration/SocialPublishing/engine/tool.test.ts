import { runTool } from '../../../support/engine';
import { asked, createPost, credentialOf, posts, type Service, startService } from '../../../support/writes';

describe('several calls of a model in one execution', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService();
	});
	afterEach(async () => await service.close());

	const call = (text: string, runIndex: number) => ({ parameters: createPost({ text }), runIndex });
	const run = async (calls: Array<ReturnType<typeof call>>, more: object = {}) =>
		await runTool({ credential: credentialOf(service), calls, ...more });

	test('calls with different content are wishes of their own, even where n8n gives them the same run index', async () => {
		const results = await run([call('One', 0), call('Two', 0), call('Three', 1)]);
		expect(results.map(([{ id }]: any) => id)).toHaveLength(3);
		expect(posts(service).map(({ text }) => text)).toEqual(['One', 'Two', 'Three']);
	});

	test('the same content again is the same wish: a model that repeats itself, or n8n’s Retry On Fail', async () => {
		service.faults.add({ kind: 'dropAfter', method: 'POST', times: 1 });
		const parameters = createPost({ text: 'Once', options: { maxRetryWait: 0 } });
		const [failed, second, third] = await run([
			{ parameters, runIndex: 0 },
			{ parameters, runIndex: 1 },
			{ parameters, runIndex: 2 },
		]);
		expect(failed).toBeInstanceOf(Error);
		expect(second[0].id).toBe(posts(service)[0].id);
		expect(third).toEqual(second);
		expect(posts(service)).toHaveLength(1);
		expect(asked(service, 'POST')).toHaveLength(2);
	});

	test('another execution is another wish', async () => {
		await run([call('Hello', 0)], { executionId: '1' });
		await run([call('Hello', 0)], { executionId: '2' });
		expect(posts(service)).toHaveLength(2);
	});
});
