import { isAskedFor, readOptions, settingsOf } from '../../../nodes/SocialPublishingTrigger/settings';

const settings = (options: object, events = ['post.published', 'post.failed']) =>
	settingsOf({ getNodeParameter: (name) => (name === 'events' ? events : options) });

describe('what the user set', () => {
	it('has defaults', () => {
		expect(readOptions({})).toEqual({
			brandIds: [],
			description: '',
			toleranceMs: 300_000,
			rememberEvents: 5000,
			workspaceId: '',
			additionalEvents: [],
			catchUp: true,
			catchUpFromPosts: false,
			checkEveryMs: 900_000,
		});
	});

	it('reads lists, locators and numbers in every form in which they come', () => {
		expect(readOptions({ brandIds: ' a, b ,,c ' }).brandIds).toEqual(['a', 'b', 'c']);
		expect(readOptions({ brandIds: ['a', 'b'] }).brandIds).toEqual(['a', 'b']);
		expect(readOptions({ workspaceId: { __rl: true, mode: 'id', value: ' ws ' } }).workspaceId).toBe('ws');
		expect(readOptions({ workspaceId: { __rl: true, mode: 'list', value: '' } }).workspaceId).toBe('');
		expect(readOptions({ workspaceId: 'ws' }).workspaceId).toBe('ws');
		expect(readOptions({ tolerance: '60' }).toleranceMs).toBe(60_000);
	});

	it.each([0, 0.9, -1, NaN, '', ' ', null, undefined, 'abc', {}, Infinity])(
		'takes the default for %p',
		(value) => {
			const given = { tolerance: value, rememberEvents: value, checkEvery: value, workspaceId: value };
			const { toleranceMs, rememberEvents, checkEveryMs } = readOptions(given as never);
			expect([toleranceMs, rememberEvents, checkEveryMs]).toEqual([300_000, 5000, 900_000]);
		},
	);

	it('takes numbers from 1 on', () => {
		const { toleranceMs, rememberEvents, checkEveryMs } = readOptions({
			tolerance: 1,
			rememberEvents: '1.5',
			checkEvery: '1',
		});
		expect([toleranceMs, rememberEvents, checkEveryMs]).toEqual([1000, 1, 60_000]);
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
		const options = { additionalEvents: 'post.archived, post.failed' };
		expect(settings(options, ['post.failed', 'post.published']).events).toEqual([
			'post.failed',
			'post.published',
			'post.archived',
		]);
	});
});

describe('an event is asked for', () => {
	test.each([
		['an event that was chosen', 'post.failed', 'br_1', {}, true],
		['another one', 'post.created', 'br_1', {}, false],
		['one without a name', undefined, 'br_1', {}, false],
		['an additional one', 'post.archived', 'br_1', { additionalEvents: 'post.archived' }, true],
		['of any brand', 'post.failed', undefined, {}, true],
		['of a brand that was chosen', 'post.failed', 'br_2', { brandIds: 'br_1, br_2' }, true],
		['of another brand', 'post.failed', 'br_3', { brandIds: 'br_1, br_2' }, false],
		['of a brand that is a number', 'post.failed', 7, { brandIds: '7' }, true],
		['without a brand where one was chosen', 'post.failed', undefined, { brandIds: 'undefined' }, false],
		['with the brand null where one was chosen', 'post.failed', null, { brandIds: 'null' }, false],
		['of another name, of a brand that was chosen', 'post.created', 'br_1', { brandIds: 'br_1' }, false],
	])('%s', (_name, type, brand_id, options, expected) => {
		const event = { id: 'evt_1', ...(type ? { type } : {}), brand_id };
		expect(isAskedFor(event, settings(options))).toBe(expected);
	});
});
