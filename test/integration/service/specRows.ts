import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a table's rows are named, by its heading; elsewhere by their first cell. */
const LABELS: Record<string, (cells: string[]) => string> = {
	'Post status': ([from, trigger, , to]) => `${from} → ${to}: ${trigger}`,
	'Webhook delivery status': ([from, trigger, condition, to]) =>
		`${from} → ${to}: ${[trigger, condition].filter(Boolean).join(', ')}`,
	'Endpoint list': ([method, path]) => `${method} ${path}`,
	'Auth and scope': ([code, status]) => `${code} ${status}`,
	'Request, rate limit, idempotency': ([code, status]) => `${code} ${status}`,
	'Endpoint-specific': ([endpoint, code, status]) => `${endpoint} · ${code} ${status}`,
};

const plain = (text: string) => text.replace(/`/g, '').replace(/\s+/g, ' ').trim();

/**
 * Every row of the spec's tables and every numbered rule, as `heading · row`. The event names of the second
 * list stand in a sentence; they are rows too.
 */
export function specRows(markdown: string): string[] {
	const rows: string[] = [];
	let heading = '';
	let header = true;
	for (const line of markdown.split('\n')) {
		const title = /^#{2,3} (.*)$/.exec(line)?.[1];
		if (title !== undefined) heading = plain(title.replace(/\(.*$/, ''));
		const rule = /^(\d+)\. (.*)$/.exec(line);
		if (rule) rows.push(`${heading} · ${rule[1]}. ${plain(rule[2]!.split(/[.:;] |\.$/)[0]!)}`);
		const secondList = /The second list also names: (.*?)\. /.exec(line)?.[1];
		for (const [, event] of secondList?.matchAll(/`(.*?)`/g) ?? []) rows.push(`${heading} · ${event}`);
		if (!line.startsWith('|')) {
			header = true;
			continue;
		}
		if (/^\|[-|]+\|$/.test(line)) {
			header = false;
			continue;
		}
		if (header) continue;
		const cells = line.split('|').slice(1, -1).map(plain);
		rows.push(`${heading} · ${(LABELS[heading] ?? (([first]) => first!))(cells)}`);
	}
	return rows;
}

export function committedRows(): string[] {
	return JSON.parse(readFileSync(join(__dirname, 'fixtures/spec-rows.json'), 'utf8')) as string[];
}
