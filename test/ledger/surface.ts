import type { IDataObject } from 'n8n-workflow';

/** The runs are written with the parameters of the new surface; what the built package doesn't have yet gets its old name. */

/** Name and type of each parameter, however deep, of a node's description. */
export function parametersOf(properties: any[]): Set<string> {
	const inside = (one: any): any[] => [...(one.values ?? []), ...(one.options ?? [])];
	const names = (list: any[]): string[] =>
		list.flatMap((one) => [...(one.type ? [`${one.name}: ${one.type}`] : []), ...names(inside(one))]);
	return new Set(names(properties));
}

/** A parameter of the new surface's `options`: its type there, and what it is on the old one. */
const renamed: Record<string, [type: string, old: (value: any) => IDataObject]> = {
	avoidDuplicates: [
		'fixedCollection',
		({ by: { mode, id } }) => ({
			idempotencyKeyMode: mode,
			...(id === undefined ? {} : { idempotencyKey: id }),
		}),
	],
	preview: [
		'options',
		(value) =>
			value === 'off'
				? { previewOnly: false }
				: { previewOnly: true, ...(value === 'page' ? { previewAs: 'page' } : {}) },
	],
	ifRefused: ['options', (onWarnings) => ({ onWarnings })],
	waitForPublication: ['number', (waitTimeout) => ({ waitForPublication: true, waitTimeout })],
	maxPosts: ['number', (mostPosts) => ({ mostPosts })],
	minPosts: ['number', (leastPosts) => ({ leastPosts })],
	query: [
		'fixedCollection',
		({ parameter }) => ({
			query: JSON.stringify(
				Object.fromEntries(parameter.map(({ name, value }: IDataObject) => [name, value])),
			),
		}),
	],
	apiFields: [
		'fixedCollection',
		({ field }) => {
			const isOfOne = ({ platform = 'all' }: IDataObject) => platform !== 'all';
			const ofAll = field.filter((one: IDataObject) => !isOfOne(one));
			const ofOne = field.filter(isOfOne);
			return {
				...(ofAll.length > 0 ? { additionalFieldRows: { fields: ofAll } } : {}),
				...(ofOne.length > 0 ? { platformFields: { values: ofOne } } : {}),
			};
		},
	],
};

/** @param known see {@link parametersOf} */
export function translate({ options, ...more }: IDataObject, known: Set<string>): IDataObject {
	if (!options) return more;
	const all = Object.entries(options).map(([name, value]) => {
		const [type, old] = renamed[name] ?? [];
		return old && !known.has(`${name}: ${type}`) ? old(value) : { [name]: value };
	});
	return { ...more, options: Object.assign({}, ...all) as IDataObject };
}
