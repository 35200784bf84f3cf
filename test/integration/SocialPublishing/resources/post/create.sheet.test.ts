import type { IDataObject } from 'n8n-workflow';

import { example } from '../../../../n8n/examples';
import { DAY, item, posts, run, useService } from '../../../../support/service';

/** What later runs of the sheet example do (docs/idempotency.md, "A sheet, run again"); the same again, and a text that was corrected: test/e2e/examples.test.ts. */

const service = useService();
const { parameters } = example('schedule-from-a-sheet').nodes.find(
	({ name }: { name: string }) => name === 'Schedule each row',
);
const dayIn = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
const rowOf = (id: number, platforms: string, text: string, days = id) => ({
	...{ id, platforms, text, date: dayIn(days), time: '12:00' },
});
const sheet = () => [
	rowOf(1, 'linkedin x', 'Rye bread'),
	rowOf(2, 'x', 'We need a baker'),
	rowOf(3, 'linkedin', 'Plum jam'),
];
const schedule = async (rows: IDataObject[], ifPast: string = parameters.options.ifPast) => {
	const options = { ...parameters.options, ifPast };
	return await run(service(), { ...parameters, options }, { items: rows.map(item) });
};
const idsOf = (items: IDataObject[]) => items.map(({ id }) => id);

test.each(['skip', 'publish'])(
	'after a day, %s: the row whose time has passed is not sent again, a new row is scheduled',
	async (ifPast) => {
		const rows = sheet();
		const first = await schedule(rows);
		const now = Date.now.bind(Date);
		jest.spyOn(Date, 'now').mockImplementation(() => now() + 2 * DAY);
		const second = await schedule([...rows, rowOf(4, 'x', 'Fresh rolls', 3)], ifPast);
		jest.restoreAllMocks();
		expect(second.error).toBeUndefined();
		const skipped =
			ifPast === 'skip'
				? { skipped: true, reason: expect.stringMatching(/^'Scheduled At' is in the past/) }
				: {
						sent_before: true,
						reason: 'This ID was used before, with this or other content: check what became of that post',
					};
		expect(second.json.slice(0, 2)).toMatchObject([
			{ platform: 'linkedin', ...skipped },
			{ platform: 'x', ...skipped },
		]);
		expect(second.json.at(-2)!.id).toBe(first.json.at(-1)!.id);
		expect(posts(service())).toHaveLength(5);
	},
);

test('after a post was deleted in the service: it is not sent again', async () => {
	const first = await schedule(sheet());
	service().store.posts.delete(String(first.json[2]!.id));
	const second = await schedule(sheet());
	expect([second.error, idsOf(second.json)]).toEqual([undefined, idsOf(first.json)]);
	expect(posts(service())).toHaveLength(3);
});
