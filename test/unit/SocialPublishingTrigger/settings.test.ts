import { triggerProperties } from '../../../nodes/SocialPublishingTrigger/properties';
import { isAskedFor, settingsOf, type Settings } from '../../../nodes/SocialPublishingTrigger/settings';

const settings = (options: object, events = ['post.published', 'post.failed']) =>
	settingsOf({
		getNodeParameter: (name, fallback) => ({ events, options })[name as 'events'] ?? fallback,
	});

describe('what the user set', () => {
	const defaults = {
		events: ['post.published', 'post.failed'],
		includePost: true,
		brandIds: [],
		description: '',
		toleranceMs: 300_000,
		rememberEvents: 5000,
		workspaceId: '',
		catchUp: true,
		catchUpFromPosts: false,
		checkEveryMs: 900_000,
	};

	it('has defaults, also for an option that is added and left as it is', () => {
		expect(settingsOf({ getNodeParameter: (_name, fallback) => fallback })).toEqual({
			...defaults,
			events: [],
		});
		const options = triggerProperties.at(-1)!.options as typeof triggerProperties;
		const added = options.map(({ name, default: value }) => [name, value]);
		expect(settings(Object.fromEntries(added))).toEqual(defaults);
	});

	it.each<[keyof Settings, unknown, unknown]>([
		['brandIds', ' a, b ,,c ', ['a', 'b', 'c']],
		['brandIds', ['a', 1, null, ''], ['a', '1']],
		// No brand, but no reason for the events of all brands, either.
		['brandIds', [{}], ['{}']],
		['brandIds', '["a", "b"]', ['a', 'b']],
		['workspaceId', { __rl: true, mode: 'id', value: ' ws ' }, 'ws'],
		['workspaceId', { __rl: true, mode: 'list', value: '' }, ''],
		['workspaceId', 7, '7'],
		['workspaceId', null, ''],
		['description', ' night shift ', 'night shift'],
		['rememberEvents', '1.5', 1],
		['catchUp', false, false],
		['catchUp', 'false', false],
		['catchUpFromPosts', true, true],
		['catchUpFromPosts', '1', true],
	])('reads %s from %j', (name, value, expected) => {
		expect(settings({ [name]: value })).toEqual({ ...defaults, [name]: expected });
	});

	it('reads times as numbers of seconds and minutes, from 1 on; chosen and additional events, each once', () => {
		const times = { tolerance: 1, checkEvery: '1' };
		const read = settings({ ...times, additionalEvents: 'post.archived, post.failed' });
		const events = [...defaults.events, 'post.archived'];
		expect(read).toEqual({ ...defaults, events, toleranceMs: 1000, checkEveryMs: 60_000 });
	});

	it('includes the post unless that is switched off, and refuses what is neither', () => {
		const includePost = (value: unknown) =>
			settingsOf({ getNodeParameter: (name, fallback) => (name === 'includePost' ? value : fallback) });
		expect([includePost(''), includePost('false')]).toMatchObject([
			{ includePost: true },
			{ includePost: false },
		]);
		expect(() => includePost('perhaps')).toThrow("'Include Post' is neither true nor false");
	});

	it.each(['', null, undefined])('takes the default for %p', (value) => {
		const numbers = { tolerance: value, rememberEvents: value, checkEvery: value };
		expect(settings({ ...numbers, catchUp: value, catchUpFromPosts: value })).toEqual(defaults);
	});

	it.each<[string, string, unknown[]]>([
		['tolerance', "'Max Clock Difference (Seconds)' is not a number", [NaN, 'abc', {}, Infinity, true]],
		['tolerance', "'Max Clock Difference (Seconds)' is 0", [0, 0.9]],
		['checkEvery', "'Check Every (Minutes)' is 0.5", ['0.5']],
		['checkEvery', "'Check Every (Minutes)' is -1", [-1]],
		['rememberEvents', "'Events to Remember' is not a number", ['many']],
		['catchUp', "'Recover Missed Events' is neither true nor false", ['yes', 2, {}]],
		['catchUpFromPosts', "'Recover From Posts' is neither", ['on']],
	])('refuses what makes no sense as %s, in the words of the action node', (name, message, values) => {
		for (const value of values) expect(() => settings({ [name]: value })).toThrow(message);
	});
});

test.each([
	['that was chosen', 'post.failed', 'br_1', {}, true],
	['that was not', 'post.created', 'br_1', {}, false],
	['without a name', undefined, 'br_1', {}, false],
	['of a brand that was chosen', 'post.failed', 'br_2', { brandIds: 'br_1, br_2' }, true],
	['of another brand', 'post.failed', 'br_3', { brandIds: 'br_1, br_2' }, false],
	['of a brand that is a number', 'post.failed', 7, { brandIds: '7' }, true],
	['without a brand where one was chosen', 'post.failed', undefined, { brandIds: 'undefined' }, false],
	['with the brand null where one was chosen', 'post.failed', null, { brandIds: 'null' }, false],
])('an event %s: asked for or not', (_name, type, brand_id, options, expected) => {
	const event = { id: 'evt_1', ...(type ? { type } : {}), brand_id };
	expect(isAskedFor(event, settings(options))).toBe(expected);
});
