import { Item } from '../../../../../nodes/SocialPublishing/engine/item';
import { readAside } from '../../../../../nodes/SocialPublishing/resources/post/get';
import { fakeRun } from '../../engine/fakeRun';

test('a post that only makes the output easier to read is waited for 5 s, and may be missing', async () => {
	const { run, asked } = fakeRun();
	const item = new Item(run, 0, { workspaceId: 'ws_node', maxRetryWait: 300 });
	expect(await readAside(item, '1')).toEqual({ id: 'a' });
	const request = { method: 'GET', path: '/posts/1', workspaceId: 'ws_node', expects: 'record' };
	expect(asked).toEqual([[request, { withinMs: 5_000 }]]);
	for (const noId of ['', '..']) expect(await readAside(item, noId)).toBeUndefined();
	expect(asked).toHaveLength(1);
	run.client.send = async () => await Promise.reject(new Error('away'));
	expect(await readAside(item, '1')).toBeUndefined();
});
