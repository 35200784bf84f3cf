import { attempt, isError } from 'lodash';

import { refusal, toFailure, type Failure } from '../../api/failure';
import type { Write } from '../writes/write';
import type { Item } from './item';
import type { Operation, Plan } from './operation';
import type { Row } from './rows';

/** Finds what is wrong with the rows that are left, all together: whatever is wrong with one, no other is sent. */
export async function checkRows(operation: Operation, rows: readonly Row[]): Promise<void> {
	const left = rows.filter(({ failure }) => !failure);
	const checked = await operation.check?.(left.map(({ planned }) => planned!.plan));
	const wrong: ReadonlyMap<Plan, Failure> = checked ?? new Map<Plan, Failure>();
	const ids = new OwnIds();
	for (const row of left) {
		const { item, plan, check } = row.planned!;
		row.failure = wrong.get(plan);
		if (row.failure) continue;
		const refused = attempt(() => {
			for (const write of plan.writes) ids.take(item, write);
			// A preview only warns of what is too late.
			if (!item.isPreview && plan.writes.some((write) => !item.writer.known(write))) check?.();
		});
		if (isError(refused)) row.failure = toFailure(refused);
	}
}

/** The IDs of the user's own in a run: of two writes with one ID the service would take only the first. */
class OwnIds {
	private readonly taken = new Map<string, { index: number; said: string }>();

	/** @throws Failure for an ID that is none, or stands for something else in another row */
	take(item: Item, write: Write): void {
		const { ownId, index, workspaceId, writer } = item;
		if (ownId === undefined) return;
		const said = writer.said(item, write);
		const name = `${workspaceId} ${writer.keyFor(item, write)}`;
		const first = this.taken.get(name) ?? { index, said };
		this.taken.set(name, first);
		if (first.said === said) return;
		throw refusal(
			'OWN_ID_SHARED',
			`Row ${first.index + 1} has the same 'My Own ID', but different content`,
			'Give each row an ID of its own. Each ID is sent once, so rows may share one only if they are the same post.',
		);
	}
}
