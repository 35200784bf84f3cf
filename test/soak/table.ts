/** One line of the table that a soak or bench run prints at its end. */
export interface Row {
	what: string;
	value: string | number;
	/** What is wanted, in words; '' for a figure that is only told. */
	target: string;
	ok: boolean;
}

export function printTable(rows: Row[]): void {
	const cells = rows.map(({ what, value, target, ok }) => [
		what,
		String(value),
		target,
		target === '' ? '' : ok ? 'ok' : 'MISSED',
	]);
	const lines = [['what', 'measured', 'wanted', ''], ...cells];
	const widths = [0, 1, 2, 3].map((i) => Math.max(...lines.map((line) => line[i]!.length)));
	for (const line of lines)
		console.log(
			line
				.map((cell, i) => cell.padEnd(widths[i]!))
				.join('  ')
				.trimEnd(),
		);
}

/** A row that is met or missed. */
export const row = (what: string, value: string | number, target: string, ok: boolean): Row => ({
	what,
	value,
	target,
	ok,
});
/** A row that only tells. */
export const told = (what: string, value: string | number): Row => ({ what, value, target: '', ok: true });
