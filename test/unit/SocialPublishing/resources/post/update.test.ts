import type { IDataObject } from 'n8n-workflow';

import { update } from '../../../../../nodes/SocialPublishing/resources/post/update';
import { failureOf } from '../../../../support/failure';
import { fakeItem, NOW, paramsOf, requestOf, shapeOf, type Given } from '../operations';

const requestWith = (updateFields: IDataObject, more: IDataObject = {}, given: Given = {}) =>
	requestOf(update, { postId: 'p/1', updateFields, ...more }, given);
const quick: Given = { item: { postFormat: 'quickStart' } };
const scheduledAt = '2026-06-01T15:00';

test.each<[IDataObject, Given, object]>([
	[{ text: 'New' }, {}, { content: { text: 'New' } }],
	[{ status: 'draft', scheduledAt }, {}, { status: 'draft', scheduled_at: '2026-06-01T13:00:00Z' }],
	[{ text: 'New', scheduledAt }, quick, { content: 'New', schedule_at: '2026-06-01T13:00:00Z' }],
])('%j: only what is given, in either form', (fields, given, body) => {
	expect(requestWith(fields, {}, given)).toMatchObject({ path: '/posts/p%2F1', body });
	expect(requestWith(fields, {}, given).body).toEqual(body);
});

test('an answer without a record is a success: the spec shows none', async () => {
	const answer = { idempotency_key: 'k' };
	expect(await shapeOf(update, { postId: 'p/1' }, answer)).toEqual({ id: 'p/1', ...answer });
});

test("in the quick start form, fields of the user's own inside 'content' would replace the new text", () => {
	const options = { apiFields: { field: [{ name: 'content.title', value: 'My first' }] } };
	expect(() => requestWith({ text: 'New' }, { options }, quick)).toThrow("'content' is the text of the post");
	expect(requestWith({ text: 'New' }, { options }).body).toEqual({ content: { text: 'New' } });
	expect(requestWith({ status: 'draft' }, { options }, quick).body).toEqual({ status: 'draft' });
});

test('nothing to change is refused; API Fields are something', () => {
	expect(failureOf(() => requestWith({})).details).toMatchObject({
		...{ code: 'NODE_NOTHING_TO_UPDATE', message: "'Update Fields' is empty" },
		hint: "Add at least one field to 'Update Fields', or enter a value in one that is there.",
	});
	expect(() => requestWith({}, { options: { apiFields: {} } })).toThrow("'Update Fields' is empty");
	// An empty text would take the post's away.
	for (const given of [{}, quick])
		expect(() => requestWith({ text: '' }, {}, given)).toThrow("'Update Fields' is empty");
	expect(requestWith({}, { options: { apiFields: { field: [{ name: 'note', value: 'a' }] } } }).body).toEqual(
		{},
	);
});

test('a text that an expression left, or that is too long where the post goes, is a warning', async () => {
	const hint = jest.fn();
	requestWith({ text: '[object Object]' }, {}, { item: { hint } });
	expect(hint.mock.calls).toEqual([["The whole text is '[object Object]': check the expression"]]);
	const long = { postId: 'p/1', updateFields: { text: 'a'.repeat(281) } };
	await shapeOf(update, long, { platforms: ['x', 'linkedin'] }, undefined, { item: { hint } });
	expect(hint).toHaveBeenLastCalledWith('X allows 280 characters: this text counts as 281, 1 too many');
	expect(hint).toHaveBeenCalledTimes(2);
});

test('what can be no ID or no time is refused by the name of the field', () => {
	expect(() => requestWith({ text: 'a' }, { postId: '..' })).toThrow(/^'Post'/);
	expect(() => requestWith({ scheduledAt: 'soon' })).toThrow(/^'Scheduled At'/);
});

test('a time that has passed is refused; one that has just passed means in a moment', () => {
	jest.useFakeTimers({ now: NOW });
	const send = (fields: IDataObject, given: Given = {}) => {
		const { body, finish } = requestWith(fields, {}, given);
		return finish!(body!);
	};
	expect(() => send({ scheduledAt: '2026-06-01T13:00' })).toThrow(/^'Scheduled At' is in the past/);
	expect(send({ scheduledAt })).toEqual({ scheduled_at: '2026-06-01T13:00:00Z' });
	expect(send({ text: 'New' })).toEqual({ content: { text: 'New' } });
	const soon = '2026-06-01T12:01:00Z';
	expect(send({ scheduledAt: '2026-06-01T13:59' })).toEqual({ scheduled_at: soon });
	expect(send({ scheduledAt: '2026-06-01T14:00' }, quick)).toEqual({ schedule_at: soon });
	jest.useRealTimers();
});

test('so it is with a time in API Fields, which names them', () => {
	jest.useFakeTimers({ now: NOW });
	const send = (time: string, given: Given = {}) =>
		requestWith({ text: 'New' }, {}, given).finish!({ scheduled_at: time, note: 1 });
	expect(() => send('2026-06-01T13:00')).toThrow(/^'API Fields' is in the past/);
	expect(send('2026-06-01T13:59')).toEqual({ scheduled_at: '2026-06-01T12:01:00Z', note: 1 });
	expect(send('2026-06-01T15:00')).toEqual({ scheduled_at: '2026-06-01T13:00:00Z', note: 1 });
	jest.useRealTimers();
});

test.each<[IDataObject, number]>([
	[{ platform: 'instagram', media: [] }, 1],
	[{ platform: 'instagram', media: null }, 1],
	[{ platforms: ['tiktok', 'x', { platform: 'youtube' }], content: { text: 'New', media: [] } }, 2],
	[{ platform: 'instagram', media: ['https://cdn.example/1'] }, 0],
	[{ platform: 'instagram', media: [], content: { media: ['a'] } }, 1],
	[{ platform: 'instagram' }, 0],
	[{ platform: 'instagram', content: 'New' }, 0],
	[{ platform: 'x', media: [] }, 0],
	[{ media: [] }, 0],
	[{}, 0],
])('an answer of %j: %d hints that the update lost the media', async (answer, count) => {
	const hint = jest.fn();
	await update.shape!(answer, paramsOf(update, { postId: 'p' }), fakeItem({ item: { hint } }).context);
	const said = expect.stringMatching(
		/^The update may have lost the media\. \w+ posts need .*: this one has none$/,
	);
	expect(hint.mock.calls).toEqual(Array(count).fill([said]));
});

test("a date is 00:00, with a hint; a time in API Fields is in the workflow's zone, too", () => {
	const hint = jest.fn();
	const given = { item: { hint } };
	expect(requestWith({ scheduledAt: '2126-06-02' }, {}, given).body).toEqual({
		scheduled_at: '2126-06-01T22:00:00Z',
	});
	const { finish } = requestWith({ text: 'New' }, {}, given);
	const times = { schedule_at: '2126-06-02 9:00', scheduled_at: '2126-06-02', note: '2126-06-02' };
	expect(finish!(times)).toEqual({
		...{ schedule_at: '2126-06-02T07:00:00Z', scheduled_at: '2126-06-01T22:00:00Z', note: '2126-06-02' },
	});
	expect(() => finish!({ scheduled_at: 'soon' })).toThrow(/^'API Fields' is not a date/);
	const dates = hint.mock.calls.map(([text]) => String(text).split(' has no time of day')[0]);
	expect(dates).toEqual(["'Scheduled At'", "'API Fields'"]);
});
