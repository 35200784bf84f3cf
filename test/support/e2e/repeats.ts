import { setTimeout as pause } from 'node:timers/promises';

import { random, sample, times } from 'lodash';

import { poll } from '../../n8n/client';
import { deliver, inParallel, newEvent, type Receiver } from './sender';
import type { Sink } from './sink';

/** Share of the events that come more than once: at the same moment, a moment later, or much later. */
const REPEATED = 0.3;

/**
 * Events with copies, each delivery to the next of the origins.
 * @returns how many arrived more than once behind the trigger and how many never, and the answers by status and what they said
 */
export async function repeats(count: number, receiver: Receiver, sink: Sink, origins: string[] = []) {
	const answers: Record<string, number> = {};

	/** As the service does: again after anything but 2xx. */
	const send = async (event: { id: string }, turn: number): Promise<void> => {
		for (let attempt = 0; attempt < 40; attempt++) {
			const { status, body } = await deliver(receiver, event, origins[(turn + attempt) % origins.length]);
			const said = /"status":"(\w+)"/.exec(body)?.[1];
			const name = said ? `${status} ${said}` : String(status);
			answers[name] = (answers[name] ?? 0) + 1;
			if (status >= 200 && status < 300) return;
			await pause(250);
		}
	};
	const events = times(count, () => newEvent());
	const tasks = events.map((event, i) => async () => {
		const copies = Math.random() < REPEATED ? random(1, 2) : 0;
		const apartMs = sample([0, 150, 3000])!;
		const copy = async (n: number) => {
			await pause(apartMs * n);
			await send(event, i + n);
		};
		await Promise.all(times(1 + copies, copy));
	});
	await inParallel(tasks, 20);

	const ids = events.map(({ id }) => id);
	const missing = () => sink.missing(ids);
	// As long as some still arrive: behind n8n's answer, a queue may be long.
	let left = Infinity;
	while (missing().size > 0 && missing().size < left) {
		left = missing().size;
		await poll('the events to arrive', missing, ({ size }) => size === 0).catch(() => undefined);
	}
	// For copies that should not come.
	await pause(3000);
	return { answers, ...sink.count(ids) };
}
