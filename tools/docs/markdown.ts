/** Tables of the documents that are written anew. */

const row = (cells: string[]): string =>
	`| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()).join(' | ')} |`;

export const table = (head: string[], rows: string[][]): string =>
	[head, head.map(() => '---'), ...rows].map(row).join('\n');
