/** One line of the table that a benchmark prints at its end. */
export interface Row {
	what: string;
	measured: string | number;
	/** In words; '' where nothing is wanted. */
	wanted: string;
	ok: boolean;
}

export const row = (what: string, measured: Row['measured'], wanted: string, ok: boolean): Row => ({
	what,
	measured,
	wanted,
	ok,
});
export const figure = (what: string, measured: Row['measured']): Row => row(what, measured, '', true);

export function percentile(values: number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
