import { DateTime } from 'luxon';
import { errorOf, itemsOf } from '../n8n/client';
import { example } from '../n8n/examples';
import { importFirst } from '../support/e2e/installed';
import { posts } from '../support/store';
import { useScene } from './shared';

/** What most people import first, as it is but for the credentials, in the real n8n. The others: examples.others.test.ts. */
describe('the first examples', () => {
	const scene = useScene();

	test("'schedule-a-post' and 'react-to-published': a post on each platform, and the event when one is published", async () => {
		await (await importFirst(scene.n8n, scene.service, scene.save)).bothWork();
	});

	/** The sheet with these rows, each due on a day from now. */
	async function runSheet(...rows: Array<[id: number, platforms: string, text: string]>) {
		const workflow = example('schedule-from-a-sheet');
		const lines = rows.map(([id, platforms, text]) => {
			const date = DateTime.now().plus({ days: id }).toFormat('yyyy-MM-dd');
			return `${id},"${platforms}",${text},${date},9:00`;
		});
		const { assignments } = workflow.nodes.find(({ name }: any) => name === 'The sheet').parameters;
		assignments.assignments[0].value = ['id,platforms,text,date,time', ...lines].join('\r\n');
		return await scene.n8n.runWorkflow(await scene.save(workflow));
	}
	const sent = () =>
		posts(scene.service)
			.map(({ platforms: [one], text }) => `${one!.platform}: ${text}`)
			.sort();

	test('schedule-from-a-sheet: one post a row and platform, once; a row that changed is named, the others are scheduled', async () => {
		const first = await runSheet([1, 'linkedin, x', 'Rye']);
		expect(itemsOf(first, 'Schedule each row')).toHaveLength(2);
		expect(errorOf(await runSheet([1, 'linkedin, x', 'Rye']))).toBeUndefined();
		const { message } = errorOf(await runSheet([1, 'linkedin, x', 'Rye bread'], [2, 'Facebook', 'Jam']))!;
		expect(message).toMatch(/^Row 1 of 2 failed: /);
		expect(sent()).toEqual(['facebook: Jam', 'linkedin: Rye', 'x: Rye']);
	});
});
