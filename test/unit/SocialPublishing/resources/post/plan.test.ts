import type { IDataObject } from 'n8n-workflow';

import { rejectionOf } from '../../../../support/failure';
import { NOW, type Given } from '../operations';
import { before, bodies, plan, quick, send, sentTo, textFor, useNow } from './posting';

/** The environment of the process, whose time zone Node follows. */
declare const processEnv: NodeJS.ProcessEnv;

useNow();

test("an account's ID goes out as the service has it, a number as a number; keys and approval codes have it as a text", async () => {
	const of = async (id: unknown, item = {}) => {
		const accounts = { '/accounts': [{ id, platform: 'x', status: 'connected' }] };
		const given = { platforms: ['x:12'], options: { previewOnly: true } };
		const { requests } = await plan(given, { answers: accounts, item });
		const { body, says, names } = requests[0]!.writeWith([]);
		return { sent: body!.account_id, said: says![0]!.account_id, names, code: requests[0]!.approvalCode };
	};
	for (const item of [{ previewOnly: true }, { previewOnly: true, postFormat: 'quickStart' }]) {
		const [number, text] = [await of(12, item), await of('12', item)];
		expect(number).toEqual({ ...text, sent: 12 });
		expect(text).toMatchObject({ sent: '12', said: '12', code: expect.any(String) });
	}
});

describe('the time of a post', () => {
	const at = (scheduledAt: string) => ({ when: 'at', scheduledAt });

	test.each<[IDataObject, string | undefined, boolean]>([
		[at('2026-06-02T10:00'), '2026-06-02T08:00:00Z', true],
		[{ when: 'delay', delayAmount: 2, delayUnit: 'hours' }, '2026-06-01T14:00:00Z', false],
		[{ when: 'delay', options: { idempotencyKeyMode: 'content' } }, '2026-06-01T13:00:00Z', true],
		[{ when: 'now', scheduledAt: '2026-06-02T10:00' }, undefined, false],
	])('%j; a relative time is no content', async (given, utc, isContent) => {
		const [write] = (await send(given)).written;
		const times = [write!.body, write!.says![0]].map((one) => one!.scheduled_at);
		expect(times).toEqual([utc, isContent ? utc : undefined]);
	});

	test.each([
		[{ when: 'delay' }, 1],
		[{ when: 'now' }, 0],
		[{ when: 'nextSlot', slotTimes: '18:00' }, 0],
		[at('2026-06-02T10:00'), 0],
	])('a time that counts from now defeats Same Text and Time, which is told: %j', async (when, count) => {
		const hint = jest.fn();
		await plan({ ...when, options: { idempotencyKeyMode: 'content' } }, { item: { hint } });
		await plan(when, { item: { hint } });
		const told = [expect.stringMatching(/^'Same Text and Time' can't recognize .* 'At a Time', or/)];
		expect(hint.mock.calls).toEqual(Array(count).fill(told));
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
			const told = 'The post came due during the run, so it was sent for immediate publication';
			expect(hint.mock.calls).toEqual(Array(times).fill([told]));
		}
	});

	const additional = (time: unknown) => ({ additionalFields: { scheduled_at: time } });
	/** As they are read: names and values are part of the JSON. */
	const named = (value: string) => ({
		...additional(value),
		additionalFieldRows: { fields: [{ name: 'scheduled_at', value }] },
	});
	const own = (time: unknown) => ({
		platformFields: { fields: [{ platform: 'x', fields: { scheduled_at: time } }] },
	});
	const winter = '2026-12-25T08:00:00Z';

	test.each<[string, object, string | null]>([
		['2030-01-01T10:00:00Z', additional('2030-01-01T10:00:00Z'), '2030-01-01T10:00:00Z'],
		['none', additional(null), null],
		['2026-07-01 9:00', additional('2026-07-01 9:00'), '2026-07-01T07:00:00Z'],
		['of the platform', { ...additional('2026-07-01'), ...own('2026-12-25 09:00') }, winter],
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
		[named('soon'), /^'Additional Fields' is not a date and time: soon$/],
		[named('2026-06-01 13:00'), /^'Additional Fields' is in the past: 2026-06-01 13:00:00/],
		[own('soon'), /^'Fields per Platform' is not a date and time: soon$/],
		[own(''), /^'Fields per Platform' is empty$/],
		[own('2026-06-01 13:00'), /^'Fields per Platform' is in the past: 2026-06-01 13:00:00/],
		[additional('2027-03-28T02:30'), /^'Additional Fields \(JSON\)' does not exist in Europe\/Berlin/],
	])(
		'of his own that is refused: %j',
		async (options, message) => await expect(plan({ options })).rejects.toThrow(message),
	);
});

describe('what is wrong with a row', () => {
	const past = { when: 'at', scheduledAt: '2026-06-01T13:00' };
	const longPast = { scheduled_at: '2020-01-01T10:00:00Z' };
	const noMedia = { platforms: ['instagram'] };
	const photo = { mediaFrom: 'binary', binaryFields: 'photo' };
	const adding = (additionalFields: IDataObject, more: IDataObject = {}) => ({
		options: { additionalFields, ...more },
	});
	const perPlatform = (option: string, section: string, ...entries: IDataObject[]) => ({
		options: { [option]: { [section]: entries.map((one) => ({ text: 'a', ...one })) } },
	});
	const perFields = (fields: IDataObject) =>
		perPlatform('platformFields', 'fields', { platform: 'x', fields });
	const stopped = { ...noMedia, options: { onWarnings: 'stop' } };
	const onlyX: Given = { answers: { '/accounts': [{ id: 'acc_1', platform: 'twitter', status: 'ok' }] } };
	const longId = { idempotencyKeyMode: 'custom', idempotencyKey: 'k'.repeat(250) };

	test.each<[IDataObject, RegExp]>([
		[{ ...past, postTo: 'accounts', accounts: ['Plum'] }, /^'Scheduled At' is in the past/],
		[photo, /^needs photo$/],
		[{ mediaFrom: 'url', mediaUrls: 'soon' }, /Media URLs/],
		[{ mediaFrom: 'readUrls', mediaUrls: ',' }, /^'Media URLs' is empty$/],
		...['null', '//a.example/1', 'file:///tmp/a.jpg', `data:${'A'.repeat(5000)}`, '[null, {"id": 7}]'].map(
			(mediaUrls): [IDataObject, RegExp] => [
				{ mediaFrom: 'readUrls', mediaUrls },
				/^'Media URLs' contains something that isn't a URL: .{1,101}$/,
			],
		),
		[{ text: '' }, /^'Text' is empty$/],
		[{ when: 'nextSlot', slotTimes: '25:00' }, /^'25:00' in 'Slot Times' isn't a time$/],
		[textFor('tiktk'), /^'Text per Platform' has an entry for tiktk$/],
		[textFor(''), /an entry for no platform$/],
		[
			perPlatform('platformText', 'texts', { platform: 'x' }, { platform: 'twitter' }),
			/^'Text per Platform' has two entries for X$/,
		],
		[
			perPlatform('platformFields', 'fields', { platform: 'threads', fields: { n: 1 } }),
			/^'Fields per Platform' has an entry for threads$/,
		],
		[{ platforms: ['x', 'linkedin'], options: longId }, /^'My Own ID' is too long: 259 characters$/],
		[
			{ platforms: ['linkedin'], when: 'nextSlot', slotTimes: '25:00', options: longId },
			/^'25:00' in 'Slot Times' isn't a time\. 'My Own ID' is too long: 259 characters$/,
		],
		[{ when: 'nextSlot', ...adding(longPast) }, /^'Additional Fields \(JSON\)' is in the past/],
		[perFields(longPast), /^'Fields per Platform' is in the past/],
		[{ ...past, ...stopped }, /^'Scheduled At' is in the past.*\. Instagram posts need/],
		[
			{ platforms: ['tiktok', 'linkedn'], ...past },
			/^'linkedn' isn't a platform \(did you mean linkedin\?\)\. 'Scheduled At' is in the past/,
		],
		[
			{ platforms: ['Linkdin', 'Instgram'] },
			/^'Linkdin' isn't a platform \(did you mean linkedin\?\)\. 'Instgram' isn't a platform \(did you mean instagram\?\)$/,
		],
		[
			{ platforms: ['linkedn'], ...past },
			/^'linkedn' isn't a platform \(did you mean linkedin\?\)\. 'Scheduled At' is in the past/,
		],
	])('%j', async (given, message) => {
		await expect(plan(given, { missingFiles: ['photo'] })).rejects.toThrow(message);
	});

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

	const media = { media: ['https://a.example/1.jpg'] };
	const previewed = { previewOnly: true };
	test.each<[string, IDataObject, Given?]>([
		['no text where Additional Fields have media', { text: '', ...adding({ content: media }) }],
		['no text where Fields per Platform have media', { text: '', ...perFields(media) }, quick],
		['a time that an earlier try sent', past, before(sentTo('x'))],
		['a file that is gone since it was sent', photo, { ...before(sentTo('x')), missingFiles: ['photo'] }],
		['a warning that stops nothing', noMedia],
		['a warning of what was sent before', stopped, before(sentTo('instagram'))],
		['both in a preview', { ...noMedia, ...past, options: { onWarnings: 'stop', ...previewed } }],
		['no time in Additional Fields, in a preview', adding({ scheduled_at: null }, previewed)],
		['slots that are not used', { slotTimes: '25:00' }],
		['media alone', { text: '', mediaFrom: 'readUrls', mediaUrls: 'https://a.example' }],
		['texts for all platforms', { text: '', ...textFor('x') }],
		['a text for a platform that other rows go to', textFor('tiktok')],
		['an empty text for a platform', textFor('tiktok', '')],
		[
			'a text for a platform that was added later and that the row goes to',
			{ platforms: ['threads'], ...textFor('threads') },
			{ answers: { '/accounts': [{ id: 'acc_1', platform: 'threads' }] } },
		],
		['a text in Additional Fields', { text: '', ...adding({ content: { text: 'Hi' } }) }],
		['media in Additional Fields', { ...noMedia, ...adding({ content: media }, { onWarnings: 'stop' }) }],
		['an account that is missing, in a preview', { platforms: ['tiktok'], options: previewed }, onlyX],
		['one that was sent before', { platforms: ['tiktok'] }, { ...before(sentTo('tiktok')), ...onlyX }],
	])('not: %s', async (...[, given, more]) => void (await plan(given, more)));

	test('a platform without an account, or a row of which only a part was sent', async () => {
		await expect(plan({ platforms: ['x', 'tiktok'] }, onlyX)).rejects.toThrow(/^TikTok is not connected/);
		const rest = async (platform: string) =>
			await plan({ ...past, platforms: ['x', platform] }, before(sentTo('x')));
		await expect(rest('linkedin')).rejects.toThrow('in the past');
		await expect(rest('linkedn')).rejects.toThrow(
			/^'linkedn' isn't a platform \(did you mean linkedin\?\)\. 'Scheduled At' is in the past/,
		);
	});

	test('with a file, unless it may have been sent by a run by hand or a call: that only its bytes tell', async () => {
		const { writer } = before(sentTo('x', { isRerun: true }));
		const given = { ...stopped, ...photo, text: 'a'.repeat(300), platforms: ['x'] };
		for (const mayRecognize of [true, false]) {
			const { asked } = await plan(given, { writer: { ...writer, mayRecognize } });
			expect(asked!.isUnread).toBe(!mayRecognize);
		}
		await expect(plan(given)).rejects.toThrow(/^X allows 280/);
	});
});

test.each<[string, string, IDataObject, string | undefined]>([
	[
		'platformText',
		'texts',
		{ platform: 'linkedin' },
		"an entry for LinkedIn, but this post doesn't go there",
	],
	['platformText', 'texts', { platform: 'x', text: '' }, "no text for X: 'Text' is used there"],
	['platformText', 'texts', { platform: 'twitter', text: '' }, "no text for X: 'Text' is used there"],
	// A column for each platform, and a row for each: the other columns are empty.
	['platformText', 'texts', { platform: 'linkedin', text: '' }, undefined],
	['platformText', 'texts', { platform: 'twitter' }, undefined],
	[
		'platformFields',
		'values',
		{ platform: 'youtube' },
		"an entry for YouTube, but this post doesn't go there",
	],
])('%s: what is not used of %s %j is a hint: %s', async (option, section, entry, hint) => {
	const said = jest.fn();
	const values = [{ text: 'Dear all', name: 'content.title', value: 'Jam', ...entry }];
	await plan({ options: { [option]: { [section]: values } } }, { item: { hint: said } });
	expect(said.mock.calls).toEqual(
		hint ? [[expect.stringMatching(new RegExp(`^'.* per Platform' has ${hint}$`))]] : [],
	);
});

test('fields by name and value are merged like JSON', async () => {
	const field = (name: string, value: string, platform?: string) => ({ platform, name, value });
	const values = [
		field('content.title', 'Jam', 'x'),
		field('made_for_kids', 'false', 'x'),
		field('n', '1', 'linkedin'),
	];
	const options = {
		additionalFieldRows: { fields: [field('note', '1'), field('content.tag', 'a')] },
		...{ additionalFields: { note: 2 }, platformFields: { values } },
	};
	expect(await bodies({ platforms: ['x', 'linkedin'], options })).toEqual([
		{ platform: 'x', note: 2, made_for_kids: false, content: { text: 'Hi', tag: 'a', title: 'Jam' } },
		{ platform: 'linkedin', note: 2, n: 1, content: { text: 'Hi', tag: 'a' } },
	]);
});

test('of one platform, the JSON of Fields per Platform goes over names and values; entries that were left empty count for nothing', async () => {
	const values = [
		{ platform: 'x', name: 'content.title', value: 'Jam' },
		{ platform: 'x', name: 'n', value: '1' },
		{ platform: 'instagram', name: '', value: '' },
	];
	const fields = [
		{ platform: 'twitter', fields: { n: 2 } },
		{ platform: 'instagram', fields: {} },
		{ platform: 'instagram', fields: {} },
	];
	const hint = jest.fn();
	const asked = await bodies({ options: { platformFields: { values, fields } } }, { item: { hint } });
	expect(asked).toEqual([{ platform: 'x', n: 2, content: { text: 'Hi', title: 'Jam' } }]);
	expect(hint).not.toHaveBeenCalledWith(expect.stringContaining('per Platform'));
});

test("a value without a name in 'Fields per Platform' isn't sent, and a hint says so", async () => {
	const values = [{ platform: 'x', name: '', value: 'Jam' }];
	const hint = jest.fn();
	await plan({ options: { platformFields: { values } } }, { item: { hint } });
	expect(hint.mock.calls).toEqual([["'Fields per Platform' has a value without a name, so it isn't sent"]]);
});
