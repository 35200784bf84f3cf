/** Tables, and the parts of a document that are written anew. */

const row = (cells: string[]): string =>
	`| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()).join(' | ')} |`;

export const table = (head: string[], rows: string[][]): string =>
	[head, head.map(() => '---'), ...rows].map(row).join('\n');

/** The document with another text between two marks. */
export function between(document: string, begin: string, end: string, text: string): string {
	const [before, rest] = document.split(begin);
	const after = rest?.split(end)[1];
	if (before === undefined || after === undefined) throw new Error(`The document has lost the mark ${begin}`);
	return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}
