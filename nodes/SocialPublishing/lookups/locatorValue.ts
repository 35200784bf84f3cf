import { textOf } from '../../api/texts';

/** The ID in a locator, typed or from an expression. */
export function locatorValue(raw: unknown): string {
	const inner = typeof raw === 'object' && raw !== null && 'value' in raw ? raw.value : raw;
	return textOf(inner).trim();
}
