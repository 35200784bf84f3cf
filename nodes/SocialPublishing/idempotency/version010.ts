import type { IDataObject } from 'n8n-workflow';

import type { FrozenRequest, WriteRecord } from './writeRecord';

/** What version 0.1.0 stored in the node's context, read so that a retry of its executions sends nothing twice. */

/** Key, state, hashes of request and item, changes after a refusal; request, answer and failure as JSON. */
interface Entry {
	k: string;
	s: 'sent' | 'refused' | 'done' | 'kept';
	h: string;
	i: string;
	n?: number;
	r?: string;
	a?: string;
	f?: string;
}

const states = { sent: 'unclear', refused: 'refused', done: 'answered', kept: 'persisted' } as const;

/** Takes the entries of version 0.1.0 out of the node's context. */
export function readVersion010(memory: IDataObject): WriteRecord[] {
	const entries = Object.entries((memory.w ?? {}) as unknown as Record<string, Entry>);
	delete memory.w;
	delete memory.size;
	const equal = new Map<string, number>();
	return entries
		.map(([name, entry]) => ({ name, entry, ...partsOf(name) }))
		.sort((a, b) => Number(a.position) - Number(b.position))
		.map(({ name, entry, run, position, kind, part }) => {
			const same = JSON.stringify([run, entry.i, kind, part]);
			const occurrence = equal.get(same) ?? 0;
			equal.set(same, occurrence + 1);
			const request = read<FrozenRequest>(entry.r);
			const answer = read<IDataObject>(entry.a);
			const moved = name.includes('~') ? [name] : [];
			const changed = entry.n ? [`changed:${entry.n}`] : [];
			return {
				key: entry.k,
				state: states[entry.s],
				run,
				item: run === 'tool' ? position : `${entry.i}#${occurrence}`,
				part,
				...(request ? { method: request.method, path: request.path, request } : {}),
				...(request?.workspaceId ? { workspaceId: request.workspaceId } : {}),
				...(answer ? { answer } : {}),
				...(entry.f ? { failure: read<WriteRecord['failure']>(entry.f) } : {}),
				targets: targetsOf(part, request?.body ?? answer ?? {}),
				version010: { kind, position, contentHash: entry.h, more: [...moved, ...changed] },
			};
		});
}

const read = <T>(text: string | undefined): T | undefined =>
	text === undefined ? undefined : (JSON.parse(text) as T);

/** `<run>:<position>[~<item>]/<kind>/<part>`. */
function partsOf(name: string): { run: string; position: string; kind: string; part: string } {
	const [, run = '', position = '', kind = '', part = ''] =
		/^([^:]*):([^/~]*)(?:~[^/]*)?\/([^/]*)\/([^]*)$/.exec(name) ?? [];
	return { run, position, kind, part };
}

/** Platforms or account that an entry is for; undefined where that was not stored: everything that the item wanted. */
function targetsOf(part: string, { platforms, account_id: account }: IDataObject): string[] | undefined {
	if (part.includes(':')) return [part.slice(part.indexOf(':') + 1)];
	if (part !== '') return part.split('+');
	if (typeof account === 'string') return [account];
	return Array.isArray(platforms) && platforms.length > 0 ? platforms.map(String) : undefined;
}
