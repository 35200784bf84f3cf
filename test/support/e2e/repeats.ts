import { setTimeout as pause } from 'node:timers/promises';

import { times } from 'lodash';

import { poll } from '../../n8n/client';
import { generator } from '../../service/faults';
import { deliver, inParallel, newEvent, type Receiver } from './sender';
import type { Sink } from './sink';

/** Events with copies, and how often each arrived behind the trigger. */
export interface Repeats {
	/** Events that arrived more than once, and that never arrived. */
	doubled: number;
	lost: number;
	/** Answers by status, and what they said. */
	answers: Record<string, number>;
}

interface RepeatOptions {
	count: number;
	receiver: Receiver;
	sink: Sink;
	/** Each delivery goes to the next of these. */
	origins?: string[];
	width?: number;
}

/** Share of the events that come more than once: at the same moment, a moment later, or much later. */
const REPEATED = 0.3;

export async function repeats(options: RepeatOptions): Promise<Repeats> {
	const { count, receiver, sink, origins = [], width = 20 } = options;
	const random = generator(7);
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
	const later: Array<() => Promise<void>> = [];
	const tasks = events.map((event, i) => async () => {
		const copies = random() >= REPEATED ? 0 : 1 + Math.floor(random() * 2);
		const when = Math.floor(random() * 3);
		if (when === 2) later.push(...times(copies, (n) => async () => await send(event, i + n + 1)));
		const sent = times(when === 2 ? 1 : 1 + copies, async (n) => {
			if (when === 1) await pause(150 * n);
			await send(event, i + n);
		});
		await Promise.all(sent);
	});
	await inParallel(tasks, width);
	await inParallel(later, width);

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
