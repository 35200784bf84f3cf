import { isAskedFor, settingsOf, type Settings } from '../../../nodes/SocialPublishingTrigger/settings';

const settings = (options: object, events = ['post.published', 'post.failed']) =>
	settingsOf({
		getNodeParameter: (name, fallback) => ({ events, options })[name as 'events'] ?? fallback,
	});

describe('what the user set', () => {
	it('has defaults', () => {
		expect(settingsOf({ getNodeParameter: (_name, fallback) => fallback })).toEqual({
			events: [],
			includePost: true,
			brandIds: [],
			description: '',
			toleranceMs: 300_000,
			rememberEvents: 5000,
			workspaceId: '',
			catchUp: true,
			catchUpFromPosts: false,
			checkEveryMs: 900_000,
		});
	});

	it.each<[keyof Settings, unknown, unknown]>([
		['brandIds', ' a, b ,,c ', ['a', 'b', 'c']],
		['brandIds', ['a', 1, null, {}], ['a', '1']],
		['workspaceId', { __rl: true, mode: 'id', value: ' ws ' }, 'ws'],
		['workspaceId', { __rl: true, mode: 'list', value: '' }, ''],
		['workspaceId', 'ws', 'ws'],
		['workspaceId', 7, '7'],
		['workspaceId', null, ''],
		['description', ' night shift ', 'night shift'],
		['description', {}, ''],
		['rememberEvents', 1, 1],
		['rememberEvents', '1.5', 1],
		['catchUp', false, false],
		['catchUp', 'false', false],
		['catchUpFromPosts', true, true],
		['catchUpFromPosts', 'true', true],
	])('reads %s from %j', (name, value, expected) => {
		expect(settings({ [name]: value })).toEqual({ ...settings({}), [name]: expected });
	});

	it('reads times as numbers of seconds and minutes, from 1 on', () => {
		const { toleranceMs, checkEveryMs } = settings({ tolerance: 1, checkEvery: '1' });
		expect([toleranceMs, checkEveryMs]).toEqual([1000, 60_000]);
	});

	it.each([0, 0.9, -1, NaN, '', ' ', null, undefined, 'abc', {}, Infinity])(
		'takes the default for %p',
		(value) => {
			const numbers = { tolerance: value, rememberEvents: value, checkEvery: value };
			const given = { ...numbers, catchUp: value, catchUpFromPosts: value };
			expect(settings(given)).toEqual(settings({}));
		},
	);

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
