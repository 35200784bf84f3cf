import type { IDataObject } from 'n8n-workflow';

import { readVersion010 } from '../../../../nodes/SocialPublishing/idempotency/version010';

/** Entries by name, as version 0.1.0 stored them in the node's context. */
const read = (w: Record<string, IDataObject>) => readVersion010({ w } as IDataObject);
const sent = { k: 'key', s: 'sent', h: 'hash', i: 'item' };

describe('what version 0.1.0 stored', () => {
	test('is taken out of the node context, which keeps the rest', () => {
		const memory: IDataObject = { w: { '0:0/posts/': sent }, size: 7, executionScope: { id: 'a' } };
		expect(readVersion010(memory)).toHaveLength(1);
		expect(memory).toEqual({ executionScope: { id: 'a' } });
		expect(readVersion010(memory)).toEqual([]);
	});

	test('a write with request, answer and failure', () => {
		const request = { method: 'POST', path: '/posts', workspaceId: 'ws_1', body: { platforms: ['x', 'y'] } };
		const answer = { id: 'post_1' };
		const failure = { code: 'PUBLIC_API_PUBLISH_FAILED' };
		const json = { r: JSON.stringify(request), a: JSON.stringify(answer), f: JSON.stringify(failure) };
		expect(read({ '2:5/posts/': { ...sent, s: 'done', ...json } })).toEqual([
			{
				key: 'key',
				state: 'answered',
				run: '2',
				item: 'item#0',
				part: '',
				method: 'POST',
				path: '/posts',
				request,
				workspaceId: 'ws_1',
				answer,
				failure,
				targets: ['x', 'y'],
				version010: { kind: 'posts', position: '5', contentHash: 'hash', more: [] },
			},
		]);
	});

	test('a write of which only the key is known', () => {
		expect(read({ '0:0/webhooks/': sent })).toEqual([
			{
				key: 'key',
				state: 'unclear',
				run: '0',
				item: 'item#0',
				part: '',
				targets: undefined,
				version010: { kind: 'webhooks', position: '0', contentHash: 'hash', more: [] },
			},
		]);
	});

	test.each([
		['sent', 'unclear'],
		['refused', 'refused'],
		['done', 'answered'],
		['kept', 'persisted'],
	])('state %s is %s', (s, state) => expect(read({ '0:0/posts/': { ...sent, s } })[0]!.state).toBe(state));

	test('an item whose place another one had taken, and one that was changed after a refusal', () => {
		const [moved, changed] = read({
			'0:1~item/posts/x': sent,
			'0:2/posts/x': { ...sent, n: 3 },
		});
		expect(moved!.version010).toMatchObject({ kind: 'posts', position: '1', more: ['0:1~item/posts/x'] });
		expect(moved!.part).toBe('x');
		expect(changed!.version010!.more).toEqual(['changed:3']);
	});

	test('equal items are counted by position, for each destination on its own', () => {
		const items = read({
			'0:10/posts/x': { ...sent, k: 'third' },
			'0:2/posts/x': { ...sent, k: 'second' },
			'0:1/posts/x': { ...sent, k: 'first' },
			'0:3/posts/y': { ...sent, k: 'other platform' },
			'0:4/media/x': { ...sent, k: 'other kind' },
			'1:5/posts/x': { ...sent, k: 'other round' },
			'0:6/posts/x': { ...sent, i: 'other', k: 'other item' },
		});
		expect(items.map(({ key, item }) => [key, item])).toEqual([
			['first', 'item#0'],
			['second', 'item#1'],
			['other platform', 'item#0'],
			['other kind', 'item#0'],
			['other round', 'item#0'],
			['other item', 'other#0'],
			['third', 'item#2'],
		]);
	});

	test('a call of a tool is known by its content', () => {
		expect(read({ 'tool:hash/posts/': sent })[0]).toMatchObject({ run: 'tool', item: 'hash' });
	});

	test('a name in another form holds nothing', () => {
		for (const name of ['nonsense', '0:0/posts'])
			expect(read({ [name]: sent })[0]).toMatchObject({
				run: '',
				part: '',
				version010: { kind: '', position: '' },
			});
	});
});

describe('what an entry is for', () => {
	const targetsOf = (part: string, r?: IDataObject, a?: IDataObject) =>
		read({
			[`0:0/posts/${part}`]: {
				...sent,
				...(r ? { r: JSON.stringify({ method: 'POST', path: '/posts', body: r }) } : {}),
				...(a ? { a: JSON.stringify(a) } : {}),
			},
		})[0]!.targets;

	test.each([
		['an account', 'account:acc:1', undefined, undefined, ['acc:1']],
		['platforms that shared a request', 'x+linkedin', undefined, undefined, ['x', 'linkedin']],
		['the account in the request', '', { account_id: 'acc_1', platforms: ['x'] }, undefined, ['acc_1']],
		['the platforms in the request', '', { platforms: ['x', 'y'] }, undefined, ['x', 'y']],
		['the platforms in the answer', '', undefined, { platforms: ['x'] }, ['x']],
		['no platforms', '', { platforms: [] }, undefined, undefined],
		['a text', '', { platforms: 'x' }, undefined, undefined],
	])('%s', (_name, part, request, answer, targets) =>
		expect(targetsOf(part, request, answer)).toEqual(targets),
	);
});
