import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RunResult } from '../../../../support/engine';
import { inMemory, png } from '../../../../support/binaries';
import { addPost, item, posts, runOperation, says, usePosting } from '../../../../support/service';

/** What people really put in, a table for each kind; the last rows of a table are the controls that say nothing. */

const { service, create } = usePosting();
/** Without what is said of each post with a warning. */
const sentAnyway =
	". It was sent anyway. To stop such posts, set Options → If a Platform Will Refuse It to 'Stop'.";
const hintsOf = ({ hints }: RunResult): string[] =>
	hints.map(({ message }) => String(message).replace(sentAnyway, ''));

test('a warning says that the post was sent, and which option stops such posts', async () => {
	const { hints } = await create({ platforms: ['x'], text: 'long '.repeat(80) });
	expect(hints[0]!.message).toBe(
		`X allows 280 characters: this text counts as 400, 120 too many${sentAnyway}`,
	);
});

const withFile = (json: IDataObject): INodeExecutionData => ({
	...{ json, binary: { data: inMemory('a.png', 'image/png', png) } },
});

describe('rows with and without a picture', () => {
	const mediaFrom = "={{ $binary.data ? 'binary' : 'none' }}";
	const rows = [withFile({ text: 'With' }), item({ text: 'Without' })];

	test.each([
		['instagram:acc_main_cafe', ['Row 2: Instagram posts need an image or a video: this one has none']],
		['x', []],
	])('%s: both are sent, and warned of: %j', async (platform, warnings) => {
		const result = await create({ platforms: [platform], text: '={{ $json.text }}', mediaFrom }, [], {
			items: rows,
		});
		expect(result.error).toBeUndefined();
		expect(posts(service()).map(({ media }) => media.length)).toEqual([1, 0]);
		expect(hintsOf(result).filter((one) => one.includes('need'))).toEqual(warnings);
	});

	test.each([
		['binary', { binaryFields: '={{ $json.file }}' }, "'Input Binary Fields' is empty"],
		['url', { mediaUrls: '={{ $json.url }}' }, "'Media URLs' is empty"],
		['binary', { binaryFields: 'data' }, "The item has no binary field 'data'"],
	])('%s: the error of a row without a file says how such rows are sent', async (from, fields, message) => {
		const { error } = await create({ mediaFrom: from, ...fields });
		expect(error.message).toContain(message);
		expect(error.description).toContain(
			"'Media From' in Post → Create takes an expression that is none for them",
		);
		expect(posts(service())).toEqual([]);
	});
});

// Which texts: test/unit/…/networks.test.ts.
describe.each([
	['New: undefined', "The text contains 'undefined': check the expression"],
	['Save it to C:\\notes, match \\d+', undefined],
])('the text %j, with the warning %j', (text, warning) => {
	const scheduledAt = '2126-07-01T10:00';

	test('is sent unchanged', async () => {
		const result = await create({ text: '={{ $json.text }}', scheduledAt }, [{ text }]);
		expect(posts(service()).map((one) => one.text)).toEqual([text]);
		expect(hintsOf(result)).toEqual(warning ? [warning] : []);
	});

	test('is stopped by *Stop* where it has one', async () => {
		const { error } = await create(
			{ text: '={{ $json.text }}', scheduledAt, options: { ifRefused: 'stop' } },
			[{ text }],
		);
		expect(error?.message).toBe(warning && `${warning}. Nothing was sent.`);
	});
});

test.each<[string, IDataObject, string[]]>([
	['={{ $json.text }}', { text: '' }, ["'Text' is empty: its expression gave nothing"]],
	['={{ $json.caption }}', { text: 'Hi' }, ["'Text' is empty: its expression gave nothing"]],
	['={{ $json.text.trim() }}', { text: ' \u200b' }, ["'Text' is empty: its expression gave nothing"]],
	['={{ $json.text }}', { text: 'Hi' }, []],
	['', { text: 'Hi' }, []],
])(
	'a caption %j of %j that came out empty, with media: sent, with the hints %j',
	async (text, json, hints) => {
		const result = await create({ text, mediaFrom: 'binary', binaryFields: 'data' }, [], {
			items: [withFile(json)],
		});
		expect([result.error, posts(service()).length]).toEqual([undefined, 1]);
		expect(hintsOf(result).filter((one) => one.includes("'Text'"))).toEqual(hints);
	},
);

// What is read as a time, and what is refused: test/unit/…/time.test.ts.
test.each([
	[
		'2126-07-16 00:00:00',
		'2126-07-15T22:00:00Z',
		["'Scheduled At' is 00:00, so the post goes out at midnight"],
	],
	['2127-1-16 9:05 PM', '2127-01-16T20:05:00Z', []],
])('a post at %s is taken as written, %s, with the hints %j', async (scheduledAt, utc, hints) => {
	const result = await create({ scheduledAt });
	expect(result.json).toMatchObject([{ scheduled_at: utc }]);
	expect(hintsOf(result)).toEqual(hints);
});

test.each([
	['2026-11-30T00:00:00', ["'Scheduled To' is 00:00, so 2026-11-30 itself isn't included"]],
	['2026-11-30', []],
])('a range that ends at %s is taken as written, with the hints %j', async (to, hints) => {
	const filters = { from: '2026-11-30', to };
	const result = await runOperation(service(), 'post:getAll', { returnAll: true, filters });
	expect(hintsOf(result)).toEqual(hints);
});

test.each<[IDataObject, string]>([
	[{ title: { rendered: 'Plum jam' } }, "'Text' is an object: choose one of its fields (rendered)"],
	[{ title: ['a'] }, "'Text' is a list, not text"],
])('an object where a text belongs: %j', async (json, message) => {
	const { error } = await create({ text: '={{ $json.title }}' }, [json]);
	expect(error.message).toBe(`${message}. Nothing was sent.`);
});

test.each([
	['http://localhost:1/a.jpg?sig=1', 1],
	['https://cdn.example/a.jpg', 0],
])(
	'an uploaded file at %s: so many warnings that the service may not reach it: %d',
	async (mediaUrls, count) => {
		const result = await create({ mediaFrom: 'readUrls', mediaUrls, options: { preview: 'rows' } });
		expect(hintsOf(result).filter((one) => one.startsWith('The service may not reach'))).toHaveLength(count);
		expect(JSON.stringify(result.hints)).not.toContain('sig=1');
	},
);

describe('an answer that says something else than the request', () => {
	const asked = '2126-07-01T10:00:00Z';

	test.each<[IDataObject, string | undefined, unknown]>([
		[{ status: 'draft' }, 'keeps this post as a draft', asked],
		[{ status: 'completed' }, 'says that this post is published, although it is due', asked],
		[
			{ scheduled_at: '2126-07-02T10:00:00Z' },
			'the service says 2126-07-02T10:00:00Z',
			'2126-07-02T10:00:00Z',
		],
		[{ scheduled_at: null }, 'the service says no time', null],
		[{ scheduled_at: '2126-07-01T10:00:00.000Z' }, undefined, '2126-07-01T10:00:00.000Z'],
		[{ status: 'scheduled' }, undefined, asked],
	])('%j: a hint, and the item shows what the answer says', async (said, hint, shown) => {
		const data = { id: 'post_1', status: 'scheduled', ...said };
		says(service(), { 'POST /posts': data });
		const result = await create({ scheduledAt: asked });
		expect(result.error).toBeUndefined();
		expect(result.json[0]!.scheduled_at).toBe(shown);
		expect(hintsOf(result)).toEqual(hint ? [expect.stringContaining(hint)] : []);
	});
});

test('a post that failed says why in Simplify', async () => {
	addPost(service(), { id: 'post_bad', status: 'failed' });
	const { json } = await runOperation(service(), 'post:getAll', { returnAll: true, simplify: true });
	expect(json.find(({ id }) => id === 'post_bad')).toMatchObject({
		status: 'failed',
		reason: 'The picture has the wrong proportions',
	});
});
