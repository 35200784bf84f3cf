import type { IDataObject } from 'n8n-workflow';

import { rejectionOf } from '../../../../support/failure';
import { NOW, type Given } from '../operations';
import { before, bodies, plan, quick, send, sentTo, textFor, useNow } from './posting';

/** The environment of the process, whose time zone Node follows. */
declare const processEnv: NodeJS.ProcessEnv;

useNow();

describe('the time of a post', () => {
	const at = (scheduledAt: string) => ({ when: 'at', scheduledAt });

	test.each<[IDataObject, string | undefined, boolean]>([
		[at('2026-06-02T10:00'), '2026-06-02T08:00:00Z', true],
		[{ when: 'delay', delayAmount: 2, delayUnit: 'hours' }, '2026-06-01T14:00:00Z', false],
		[{ when: 'delay', options: { idempotencyKeyMode: 'content' } }, '2026-06-01T13:00:00Z', true],
		[{ when: 'now', scheduledAt: '2026-06-02T10:00' }, undefined, false],
	])('%j; a relative time is no content', async (given, utc, isContent) => {
		const [write] = (await send(given)).written;
		const times = [write!.body, write!.sameAs].map((one) => one!.scheduled_at);
		expect(times).toEqual([utc, isContent ? utc : undefined]);
	});

	test.each([
		['that has come while others were sent is left out, which is told', '2026-06-01T14:00:30', 30, false, 1],
		['that meant now is left out without a word', '2026-06-01T14:00', 30, false, 0],
		['is kept while it is to come', '2026-06-01T14:00:30', 29, true, 0],
	])('%s', async (_what, scheduledAt, afterSeconds, isKept, times) => {
		for (const format of ['integrationGuide', 'quickStart'] as const) {
			const hint = jest.fn();
			jest.setSystemTime(NOW + afterSeconds * 1000);
			const { written, outcomes } = await send(at(scheduledAt), { item: { postFormat: format, hint } });
			const name = format === 'quickStart' ? 'schedule_at' : 'scheduled_at';
			expect([name in written[0]!.body!, 'scheduled_at' in outcomes[0]!]).toEqual([isKept, isKept]);
			expect(hint).toHaveBeenCalledTimes(times);
		}
	});

	const additional = (time: unknown) => ({ additionalFields: { scheduled_at: time } });
	const own = (time: unknown) => ({
		platformFields: { fields: [{ platform: 'x', fields: { scheduled_at: time } }] },
	});
	const winter = '2026-12-25T08:00:00Z';

	test.each<[string, object, string | null]>([
		['2030-01-01T10:00:00Z', additional('2030-01-01T10:00:00Z'), '2030-01-01T10:00:00Z'],
		['none', additional(null), null],
		['2026-07-01 9:00', additional('2026-07-01 9:00'), '2026-07-01T07:00:00Z'],
		[
			'2026-12-25 09:00, of the platform',
			{ ...additional('2026-07-01'), ...own('2026-12-25 09:00') },
			winter,
		],
		['2026-12-25 with an offset', additional('2026-12-25T17:00+09:00'), winter],
		['a date', additional('2026-12-25'), '2026-12-24T23:00:00Z'],
	])("the user's own time, in the workflow's zone whatever n8n's is: %s", async (_what, options, utc) => {
		const { TZ = 'UTC' } = processEnv;
		try {
			for (const zone of ['America/Los_Angeles', 'Asia/Tokyo', 'UTC']) {
				processEnv.TZ = zone;
				expect(new Date('2026-07-01T09:00').toISOString()).toMatch(zone === 'UTC' ? /T09/ : /T(16|00)/);
				const [body] = await bodies({ ...at('2026-06-01T14:00'), options });
				expect([zone, body!.scheduled_at]).toEqual([zone, utc]);
			}
		} finally {
			processEnv.TZ = TZ;
		}
	});

	test.each<[object, RegExp]>([
		[additional('2026-12'), /^'Additional Fields \(JSON\)' is not a date and time: 2026-12$/],
		[additional('2026-06-01 13:00'), /^'Additional Fields \(JSON\)' is in the past: 2026-06-01 13:00:00/],
		[own('soon'), /^'Fields per Platform' is not a date and time: soon$/],
		[own('2026-06-01 13:00'), /^'Fields per Platform' is in the past: 2026-06-01 13:00:00/],
		[additional('2027-03-28T02:30'), /^'Additional Fields \(JSON\)' does not exist in Europe\/Berlin/],
	])(
		'of his own that is refused: %j',
		async (options, message) => await expect(plan({ options })).rejects.toThrow(message),
	);
});

describe('what is wrong with a row', () => {
	const past = { when: 'at', scheduledAt: '2026-06-01T13:00' };
	const noMedia = { platforms: ['instagram'] };
	const perFields = (fields: IDataObject) => ({
		options: { platformFields: { fields: [{ platform: 'x', fields }] } },
	});
	const stopped = { ...noMedia, options: { onWarnings: 'stop' } };
	const empty = [{ id: 'acc_1', platform: 'twitter', status: 'ok' }];
	const perPlatform = (option: string, section: string, ...platforms: string[]) => ({
		options: { [option]: { [section]: platforms.map((platform) => ({ platform, text: 'a' })) } },
	});

	test.each<[IDataObject, RegExp]>([
		[{ platforms: ['linkedn'] }, /^'linkedn' isn't a platform$/],
		[{ ...past, postTo: 'accounts', accounts: ['Plum'] }, /^'Scheduled At' is in the past/],
		[{ mediaFrom: 'binary', binaryFields: 'photo' }, /^needs photo$/],
		[{ mediaFrom: 'url', mediaUrls: 'soon' }, /Media URLs/],
		[{ mediaFrom: 'readUrls', mediaUrls: ',' }, /^'Media URLs' is empty$/],
		...['null', '//a.example/1', 'file:///tmp/a.jpg', `data:${'A'.repeat(5000)}`, '[null, {"id": 7}]'].map(
			(mediaUrls): [IDataObject, RegExp] => [
				{ mediaFrom: 'readUrls', mediaUrls },
				/^'Media URLs' contains something that isn't a URL: .{1,101}$/,
			],
		),
		[{ text: '' }, /^'Text' is empty$/],
		[{ options: { spacing: { time: { amount: -1, unit: 'hours' } } } }, /^'Time Between Posts/],
		[{ when: 'nextSlot', slotTimes: '25:00' }, /^'25:00' in 'Slot Times' isn't a time$/],
		[textFor('tiktk'), /^'Text per Platform' has an entry for tiktk$/],
		[perPlatform('platformText', 'texts', ''), /an entry for no platform$/],
		[
			{
				...{ platforms: ['x', 'linkedin'], mediaFrom: 'binary', binaryFields: 'data' },
				options: { idempotencyKeyMode: 'custom', idempotencyKey: 'k'.repeat(250) },
			},
			/^'My Own ID' is too long: 259 characters$/,
		],
		[perPlatform('platformText', 'texts', 'x', 'twitter'), /^'Text per Platform' has two entries for X$/],
		[perPlatform('platformFields', 'fields', 'threads'), /^'Fields per Platform' has an entry for threads$/],
		[
			{ when: 'nextSlot', options: { additionalFields: { scheduled_at: '2020-01-01T10:00:00Z' } } },
			/^'Additional Fields \(JSON\)' is in the past/,
		],
		[perFields({ scheduled_at: '2020-01-01T10:00:00Z' }), /^'Fields per Platform' is in the past/],
		[{ ...past, ...stopped }, /^'Scheduled At' is in the past.*\. Instagram posts need/],
		[{ platforms: ['tiktok', 'linkedn'], ...past }, /isn't a platform\. 'Scheduled At' is in the past/],
	])(
		'%j',
		async (given, message) => await expect(plan(given, { missingFiles: ['photo'] })).rejects.toThrow(message),
	);

	test.each<[string, IDataObject]>([
		['NODE_PARAMETER_EMPTY Enter a text or add media.', { text: '' }],
		["NODE_WARNINGS Correct the row. To send it anyway, set 'On Warnings' to 'Send'.", stopped],
		[
			"NODE_PLATFORM_TEXT Keep one entry for each platform in 'Text per Platform', and only for platforms that the post goes to. Enter a text or add media.",
			{ ...textFor('tiktk'), text: '' },
		],
	])('what to do about it: %s', async (said, given) => {
		const { code, hint } = (await rejectionOf(plan(given))).details;
		expect(`${code} ${hint}`).toBe(said);
	});

	test.each<[string, IDataObject, Given]>([
		[
			'no text where Additional Fields have media',
			{ text: '', options: { additionalFields: { content: { media: ['https://a.example/1.png'] } } } },
			{},
		],
		[
			'no text where Fields per Platform have media',
			{ text: '', ...perFields({ media: ['https://a.example/1.png'] }) },
			quick,
		],
		['a time that an earlier try sent', past, before(sentTo('x'))],
		[
			'a file that is gone since it was sent',
			{ mediaFrom: 'binary', binaryFields: 'photo' },
			{ ...before(sentTo('x')), missingFiles: ['photo'] },
		],
		['a warning that stops nothing', noMedia, {}],
		['a warning of what was sent before', stopped, before(sentTo('instagram'))],
		['both in a preview', { ...noMedia, ...past, options: { onWarnings: 'stop', previewOnly: true } }, {}],
		[
			'no time in Additional Fields, in a preview',
			{ options: { additionalFields: { scheduled_at: null }, previewOnly: true } },
			{},
		],
		['slots that are not used', { slotTimes: '25:00' }, {}],
		['media alone', { text: '', mediaFrom: 'readUrls', mediaUrls: 'https://a.example' }, {}],
		['texts for all platforms', { text: '', ...textFor('x') }, {}],
		['a text for a platform that other rows go to', textFor('tiktok'), {}],
		['an empty text for a platform', textFor('tiktok', ''), {}],
		[
			'a text for a platform that was added later and that the row goes to',
			{ platforms: ['threads'], ...textFor('threads') },
			{ answers: { '/accounts': [{ id: 'acc_1', platform: 'threads' }] } },
		],
		[
			'a text in Additional Fields',
			{ text: '', options: { additionalFields: { content: { text: 'Hi' } } } },
			{},
		],
		[
			'a warning of media that are in Additional Fields',
			{ ...noMedia, options: { onWarnings: 'stop', additionalFields: { content: { media: ['a.jpg'] } } } },
			{},
		],
		[
			'a platform that is not connected, in a preview',
			{ platforms: ['tiktok'], options: { previewOnly: true } },
			{ answers: { '/accounts': empty } },
		],
		[
			'such a one that was sent before',
			{ platforms: ['tiktok'] },
			{ ...before(sentTo('tiktok')), answers: { '/accounts': empty } },
		],
	])('not: %s', async (_name, given, more) => void (await plan(given, more)));

	test('a platform without an account, or a row of which only a part was sent', async () => {
		const away = plan({ platforms: ['x', 'tiktok'] }, { answers: { '/accounts': empty } });
		await expect(away).rejects.toThrow('TikTok is not connected to this workspace');
		const part = plan({ ...past, platforms: ['x', 'linkedin'] }, before(sentTo('x')));
		await expect(part).rejects.toThrow('in the past');
		const unknown = plan({ ...past, platforms: ['x', 'linkedn'] }, before(sentTo('x')));
		await expect(unknown).rejects.toThrow(/^'linkedn' isn't a platform\. 'Scheduled At' is in the past/);
	});

	test('with a file, unless a failed run by hand sent it: that only its bytes tell', async () => {
		const { item } = before(sentTo('x', { isRerun: true }));
		const file = { mediaFrom: 'binary', binaryFields: 'photo' };
		const given = { ...stopped, ...file, text: 'a'.repeat(300), platforms: ['x'] };
		for (const mayBeRerun of [true, false])
			expect((await plan(given, { item: { ...item, mayBeRerun } })).asked!.isUnread).toBe(!mayBeRerun);
		await expect(plan(given)).rejects.toThrow(/^X allows 280/);
	});
});

test.each<[IDataObject, string[]]>([
	[
		{ platformText: { texts: [{ platform: 'linkedin', text: 'Dear all' }] } },
		["'Text per Platform' has an entry for LinkedIn, where this post doesn't go"],
	],
	[
		{ platformText: { texts: [{ platform: 'x', text: '' }] } },
		["'Text per Platform' has no text for X: 'Text' is used there"],
	],
	[{ platformText: { texts: [{ platform: 'twitter', text: 'Dear all' }] } }, []],
	[
		{ platformFields: { values: [{ platform: 'youtube', name: 'content.title', value: 'Jam' }] } },
		["'Fields per Platform' has an entry for YouTube, where this post doesn't go"],
	],
])('%j hints at what is not used', async (options, hints) => {
	const hint = jest.fn();
	await plan({ options }, { item: { hint } });
	expect(hint.mock.calls).toEqual(hints.map((one) => [one]));
});

test('fields by name and value are merged like JSON', async () => {
	const value = (platform: string, name: string, text: string) => ({ platform, name, value: text });
	const values = [
		value('x', 'content.title', 'Jam'),
		value('x', 'made_for_kids', 'false'),
		value('linkedin', 'n', '1'),
	];
	const [x, linkedin] = await bodies({
		platforms: ['x', 'linkedin'],
		options: {
			additionalFieldRows: {
				fields: [
					{ name: 'note', value: '1' },
					{ name: 'content.tag', value: 'a' },
				],
			},
			...{ additionalFields: { note: 2 }, platformFields: { values } },
		},
	});
	expect(x).toEqual({
		...{ platform: 'x', note: 2, made_for_kids: false },
		content: { text: 'Hi', tag: 'a', title: 'Jam' },
	});
	expect(linkedin).toEqual({ platform: 'linkedin', note: 2, n: 1, content: { text: 'Hi', tag: 'a' } });
});
