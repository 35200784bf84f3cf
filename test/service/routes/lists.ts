import type { Store } from '../store';

/** A list whose shape the spec does not show: `{ [name]: items }`, or bare where the store is told so. */
export const listOf = (store: Store, name: string, items: unknown[]) =>
	store.listShape === 'array' ? items : { [name]: items };
