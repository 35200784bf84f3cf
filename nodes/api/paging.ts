import type { IDataObject } from 'n8n-workflow';

/** The records of a list whose shape the spec does not show: a bare array, or an object with one array in it. */
export function records(data: unknown): IDataObject[] {
	if (Array.isArray(data)) return data as IDataObject[];
	const arrays = Object.values((data ?? {}) as IDataObject).filter(Array.isArray);
	return (arrays[0] ?? []) as IDataObject[];
}

/** The records of a list, as many as the user asked for. */
export const take = (
	data: unknown,
	{ returnAll, limit }: { returnAll?: unknown; limit?: unknown },
): IDataObject[] =>
	returnAll || limit === undefined ? records(data) : records(data).slice(0, limit as number);
