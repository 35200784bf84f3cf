import type { IDataObject } from 'n8n-workflow';

import { asked, credentialOf, runOperation, says, useService } from '../../../../support/service';

const service = useService();

/** What an update sends, and what it says of the answer. */
async function update(updateFields: IDataObject, { options = {}, answer = {}, quick = false } = {}) {
	says(service(), { 'PATCH /posts/:id': answer });
	service().requests.length = 0;
	const credential = credentialOf(service(), quick ? { postFormat: 'quickStart' } : {});
	const given = { postId: 'p', updateFields, options };
	const { error, hints } = await runOperation(service(), 'post:update', given, { credential });
	const body: unknown = asked(service(), 'PATCH')[0]?.body;
	return { body, message: error?.message as string, hints: hints.map(({ message }) => message as string) };
}
const own = (name: string, value: string) => ({ options: { apiFields: { field: [{ name, value }] } } });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const at = '2126-06-01T15:00';

test.each<[IDataObject, object, object]>([
	[{ text: 'New' }, { quick: true }, { content: 'New' }],
	[{ scheduledAt: at }, { quick: true }, { schedule_at: '2126-06-01T13:00:00Z' }],
	[{ scheduledAt: '2126-06-02' }, {}, { scheduled_at: '2126-06-01T22:00:00Z' }],
	// The user's own fields alone; their times are in the workflow's zone, too.
	[{}, own('scheduled_at', '2126-06-02 9:00'), { scheduled_at: '2126-06-02T07:00:00Z' }],
	[{}, own('note', '2126-06-02'), { note: '2126-06-02' }],
	// An empty text would take the post's away.
	[{ text: '', status: 'draft' }, {}, { status: 'draft' }],
	[{ text: 'New' }, own('content.title', 'My first'), { content: { text: 'New', title: 'My first' } }],
	[
		{ status: 'draft' },
		{ ...own('content.title', 'A'), quick: true },
		{ status: 'draft', content: { title: 'A' } },
	],
])('%j with %j: only what is given is sent', async (fields, more, body) =>
	expect((await update(fields, more)).body).toEqual(body),
);

test.each<[IDataObject, object, RegExp]>([
	[{}, {}, /^'Update Fields' is empty/],
	[{ text: '' }, { options: { apiFields: {} } }, /^'Update Fields' is empty/],
	[{ text: 'New' }, { ...own('content.title', 'A'), quick: true }, /'content' is the text of the post/],
	[{ scheduledAt: ago(3600) }, {}, /^'Scheduled At' is in the past/],
	[{ text: 'New' }, own('scheduled_at', ago(3600)), /^'API Fields' is in the past/],
	[{ text: 'New' }, own('scheduled_at', 'soon'), /^'API Fields' is not a date/],
])('%j with %j is refused: %s', async (fields, more, said) => {
	const { body, message } = await update(fields, more);
	expect([body, message]).toEqual([undefined, expect.stringMatching(said)]);
});

test.each<[IDataObject, object, 'scheduled_at' | 'schedule_at']>([
	[{ scheduledAt: ago(60) }, {}, 'scheduled_at'],
	[{ scheduledAt: ago(60) }, { quick: true }, 'schedule_at'],
	[{ text: 'New' }, own('scheduled_at', ago(60)), 'scheduled_at'],
])('a time that has just passed means in a moment: %j', async (fields, more, name) => {
	const { body } = await update(fields, more);
	const inMs = Date.parse(String((body as IDataObject)[name])) - Date.now();
	expect(inMs).toBeGreaterThan(30_000);
	expect(inMs).toBeLessThan(61_000);
});

const date = /^'(Scheduled At|API Fields)' has no time of day/;
const lost = /^The update may have lost the media\. \w+ posts need .*: this one has none$/;
test.each<[IDataObject, object, RegExp[]]>([
	[{ text: '[object Object]' }, {}, [/^The whole text is '\[object Object\]': check the expression$/]],
	[
		{ text: 'a'.repeat(281) },
		{ answer: { platforms: ['x', 'linkedin'] } },
		[/^X allows 280 characters: this text counts as 281, 1 too many$/],
	],
	[{ scheduledAt: '2126-06-02' }, {}, [date]],
	[{ text: 'a' }, own('scheduled_at', '2126-06-02'), [date]],
	...[
		{ platform: 'instagram', media: [] },
		{ platform: 'instagram', media: null },
		{ platform: 'instagram', media: [], content: { media: ['a'] } },
	].map((answer): [IDataObject, object, RegExp[]] => [{ text: 'New' }, { answer }, [lost]]),
	[
		{ text: 'New' },
		{ answer: { platforms: ['tiktok', 'x', { platform: 'youtube' }], content: { text: 'New', media: [] } } },
		[lost, lost],
	],
	...[
		{ platform: 'instagram', media: ['https://cdn.example/1'] },
		{ platform: 'instagram' },
		{ platform: 'instagram', content: 'New' },
		{ platform: 'x', media: [] },
		{ media: [] },
	].map((answer): [IDataObject, object, RegExp[]] => [{ text: 'New' }, { answer }, []]),
])('%j with %j: the hints', async (fields, more, said) => {
	const { hints } = await update(fields, more);
	expect(hints).toEqual(said.map((one) => expect.stringMatching(one)));
});
