import type { N8nClient } from './client';
import { DataTable } from './dataTable';

/** The example calendar of `npm start`, ready to be edited: its tables, two rows, both workflows published; its address. */
export async function prepareCalendar(n8n: N8nClient, calendar: string, results: string): Promise<string> {
	await n8n.runWorkflow(calendar, { trigger: 'Create the tables' });
	const table = await DataTable.open(n8n, 'Social calendar');
	const tomorrow = new Date(Date.now() + 86_400_000);
	tomorrow.setUTCHours(9, 0, 0, 0);
	await table.insert({
		text: 'Rye bread, still warm from the oven.',
		platforms: 'linkedin, x',
		when: tomorrow.toISOString(),
	});
	await table.insert({ text: 'A draft: it has no time yet.', platforms: 'facebook' });
	for (const id of [results, calendar]) await n8n.activate(id);
	await n8n.runWorkflow(calendar, { trigger: 'Every 5 minutes' });
	return table.address;
}
