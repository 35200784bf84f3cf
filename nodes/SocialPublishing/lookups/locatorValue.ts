/** Text as it was given; what is no text in the way it reads. */
export function textOf(raw: unknown): string {
	if (raw === undefined || raw === null) return '';
	if (typeof raw === 'object' && 'toISO' in raw && typeof raw.toISO === 'function')
		return String(raw.toISO() ?? 'Invalid DateTime');
	if (raw instanceof Date) return Number.isNaN(raw.getTime()) ? 'Invalid Date' : raw.toISOString();
	return typeof raw === 'object' ? JSON.stringify(raw) : String(raw);
}

/** The ID in a locator, typed or from an expression. */
export function locatorValue(raw: unknown): string {
	const inner = typeof raw === 'object' && raw !== null && 'value' in raw ? raw.value : raw;
	return textOf(inner).trim();
}
