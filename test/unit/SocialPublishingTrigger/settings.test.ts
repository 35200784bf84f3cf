import { eventsOf, readOptions } from '../../../nodes/SocialPublishingTrigger/settings';

describe('what the user set', () => {
	it('has defaults', () => {
		expect(readOptions({})).toEqual({
			brandIds: [],
			description: '',
			tolerance: 300_000,
			rememberEvents: 5000,
			workspaceId: '',
			additionalEvents: [],
			catchUp: true,
			catchUpFromPosts: false,
			checkEvery: 900_000,
		});
	});

	it('reads lists, locators and numbers in every form in which they come', () => {
		expect(readOptions({ brandIds: ' a, b ,,c ' }).brandIds).toEqual(['a', 'b', 'c']);
		expect(readOptions({ brandIds: ['a', 'b'] }).brandIds).toEqual(['a', 'b']);
		expect(readOptions({ workspaceId: { __rl: true, mode: 'id', value: ' ws ' } }).workspaceId).toBe('ws');
		expect(readOptions({ workspaceId: { __rl: true, mode: 'list', value: '' } }).workspaceId).toBe('');
		expect(readOptions({ workspaceId: 'ws' }).workspaceId).toBe('ws');
		expect(readOptions({ tolerance: '60' }).tolerance).toBe(60_000);
	});

	it.each([0, 0.9, -1, NaN, '', ' ', null, undefined, 'abc', {}, Infinity])(
		'takes the default for %p',
		(value) => {
			const given = { tolerance: value, rememberEvents: value, checkEvery: value, workspaceId: value };
			const { tolerance, rememberEvents, checkEvery } = readOptions(given as never);
			expect([tolerance, rememberEvents, checkEvery]).toEqual([300_000, 5000, 900_000]);
		},
	);

	it('takes numbers from 1 on', () => {
		const { tolerance, rememberEvents, checkEvery } = readOptions({
			tolerance: 1,
			rememberEvents: '1.5',
			checkEvery: '1',
		});
		expect([tolerance, rememberEvents, checkEvery]).toEqual([1000, 1, 60_000]);
	});

	it.each([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
	])('takes %p, also as the text of an expression', (value, expected) => {
		const given = { catchUp: value, catchUpFromPosts: value };
		expect(readOptions(given)).toMatchObject({
			catchUp: expected,
			catchUpFromPosts: expected,
		});
	});

	it('leaves switches as they are by default where the value is neither', () => {
		for (const value of ['', 'yes', null, 1]) {
			const given = { catchUp: value, catchUpFromPosts: value };
			expect(readOptions(given)).toMatchObject({ catchUp: true, catchUpFromPosts: false });
		}
	});

	it('takes texts without the blanks around them, numbers as texts, and nothing else', () => {
		expect(readOptions({ description: ' night shift ' }).description).toBe('night shift');
		expect(readOptions({ workspaceId: 7, brandIds: [1, 'b', null, {}] } as never)).toMatchObject({
			workspaceId: '7',
			brandIds: ['1', 'b'],
		});
		expect(readOptions({ workspaceId: null, description: {} } as never)).toMatchObject({
			workspaceId: '',
			description: '',
		});
	});

	it('joins chosen and additional events, each once', () => {
		const settings = readOptions({ additionalEvents: 'post.archived, post.failed' });
		expect(eventsOf(['post.failed', 'post.published'], settings)).toEqual([
			'post.failed',
			'post.published',
			'post.archived',
		]);
	});
});
