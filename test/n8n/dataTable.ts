import type { N8nClient } from './client';

/** A data table of n8n, read and written as its editor does it. */

export type Row = Record<string, any> & { id: number };

export class DataTable {
	private constructor(
		private readonly n8n: N8nClient,
		private readonly path: string,
		/** Where the editor shows it. */
		readonly address: string,
	) {}

	/** The table of that name in the owner's personal project. */
	static async open(n8n: N8nClient, name: string): Promise<DataTable> {
		const project = await n8n.rest('GET', '/projects/personal');
		const tables = `/projects/${project.id}/data-tables`;
		const filter = encodeURIComponent(JSON.stringify({ name }));
		const { data } = await n8n.rest('GET', `${tables}?filter=${filter}`);
		const table = data.find((one: { name: string }) => one.name === name);
		if (!table) throw new Error(`n8n has no data table "${name}"`);
		const address = `${n8n.url}/projects/${project.id}/datatables/${table.id}`;
		return new DataTable(n8n, `${tables}/${table.id}`, address);
	}

	async rows(): Promise<Row[]> {
		const { data } = await this.n8n.rest('GET', `${this.path}/rows?take=100&sortBy=id:asc`);
		return data;
	}

	async row(id: number): Promise<Row> {
		const row = (await this.rows()).find((one) => one.id === id);
		if (!row) throw new Error(`The data table has no row ${id}`);
		return row;
	}

	async insert(row: Record<string, unknown>): Promise<number> {
		const [{ id }] = await this.n8n.rest('POST', `${this.path}/insert`, { data: [row], returnType: 'id' });
		return id;
	}

	async update(id: number, data: Record<string, unknown>): Promise<void> {
		await this.n8n.rest('PATCH', `${this.path}/rows`, { filter: this.only(id), data });
	}

	async removeRow(id: number): Promise<void> {
		const filter = encodeURIComponent(JSON.stringify(this.only(id)));
		await this.n8n.rest('DELETE', `${this.path}/rows?filter=${filter}`);
	}

	async remove(): Promise<void> {
		await this.n8n.rest('DELETE', this.path);
	}

	private readonly only = (id: number) => ({
		type: 'and',
		filters: [{ columnName: 'id', condition: 'eq', value: id }],
	});
}
