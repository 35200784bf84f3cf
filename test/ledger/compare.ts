import { isEqual, isPlainObject, union } from 'lodash';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `npx tsx test/ledger/compare.ts fresh.json [part of a name]`: what is otherwise than in ledger.json, the same changes of several runs together. */

type Recorded = Record<string, Array<Record<string, unknown>>>;
interface Change {
	/** `items[].json.when`: without places. */
	where: string;
	before: unknown;
	now: unknown;
}

const read = (path: string): Recorded => JSON.parse(readFileSync(path, 'utf8')) as Recorded;

function changesOf(before: unknown, now: unknown, where = ''): Change[] {
	if (isEqual(before, now)) return [];
	if (isPlainObject(before) && isPlainObject(now)) {
		const [a, b] = [before, now] as Array<Record<string, unknown>>;
		return union(Object.keys(a!), Object.keys(b!)).flatMap((name) =>
			changesOf(a![name], b![name], where ? `${where}.${name}` : name),
		);
	}
	if (Array.isArray(before) && Array.isArray(now)) {
		// Hints and other texts have no place: those that went, and those that came.
		if ([...before, ...now].every((one) => typeof one === 'string')) {
			const went = before.filter((one) => !now.includes(one));
			const came = now.filter((one) => !before.includes(one));
			return [
				{ where: `${where}[]`, before: went.join(' | ') || undefined, now: came.join(' | ') || undefined },
			];
		}
		return aligned(before, now).flatMap(([a, b]) => changesOf(a, b, `${where}[]`));
	}
	return [{ where, before, now }];
}

/** What stayed the same by side, and between it what has the same place: one that came or went shifts no others. */
function aligned(before: unknown[], now: unknown[]): Array<[before: unknown, now: unknown]> {
	const [a, b] = [before, now].map((all) => all.map((one) => JSON.stringify(one)));
	const kept: Array<[number, number]> = [];
	let from = 0;
	for (const [n, text] of a!.entries()) {
		const found = b!.indexOf(text, from);
		if (found >= 0 && found - from <= Math.abs(a!.length - b!.length)) {
			kept.push([n, found]);
			from = found + 1;
		}
	}
	const pairs: Array<[unknown, unknown]> = [];
	let [i, j] = [0, 0];
	for (const [n, m] of [...kept, [a!.length, b!.length]] as Array<[number, number]>) {
		for (; i < n || j < m; i++, j++) pairs.push([i < n ? before[i] : undefined, j < m ? now[j] : undefined]);
		[i, j] = [n + 1, m + 1];
	}
	return pairs;
}

const short = (value: unknown): string => {
	const text = JSON.stringify(value) ?? '–';
	return text.length > 420 ? `${text.slice(0, 420)} …` : text;
};

const [fresh = '/tmp/ledger.json', part = ''] = process.argv.slice(2);
const [old, now] = [read(join(__dirname, 'ledger.json')), read(fresh)];
const bySignature = new Map<string, Map<string, Change>>();
const counts: Record<string, [runs: number, differ: number]> = {};
const missing: string[] = [];
for (const [name, steps] of Object.entries(old)) {
	if (!name.includes(part)) continue;
	if (!now[name]) {
		missing.push(name);
		continue;
	}
	const [group = ''] = name.split(': ');
	const changes = changesOf(steps, now[name]);
	const count = (counts[group] ??= [0, 0]);
	count[0]++;
	if (changes.length > 0) count[1]++;
	for (const change of changes) {
		const kind = change.before === undefined ? 'added' : change.now === undefined ? 'removed' : 'changed';
		const signature = `${kind} ${change.where}`;
		if (!bySignature.has(signature)) bySignature.set(signature, new Map());
		bySignature.get(signature)!.set(`${name} ${bySignature.get(signature)!.size}`, change);
	}
}
console.log(
	'runs and those that differ:',
	Object.entries(counts)
		.map(([group, [all, differ]]) => `${group} ${differ}/${all}`)
		.join(', '),
);
if (missing.length > 0) console.log(`not recorded: ${missing.join('; ')}`);
for (const [signature, changes] of [...bySignature].sort(([a], [b]) => (a < b ? -1 : 1))) {
	console.log(`\n## ${signature} (${changes.size})`);
	const seen = new Map<string, string[]>();
	for (const [name, change] of changes) {
		const told = `   - ${short(change.before)}\n   + ${short(change.now)}`;
		seen.set(told, [...(seen.get(told) ?? []), name]);
	}
	for (const [told, names] of seen)
		console.log(
			` ${names.slice(0, 3).join('; ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}\n${told}`,
		);
}
