import range from 'lodash/range';
import { setTimeout as pause } from 'node:timers/promises';

import { poll } from '../../n8n/client';
import { generator } from '../../service/faults';
import { type Deliver, inParallel, newEvent, type Receiver } from './sender';
import type { Sink } from './sink';

/** Events with copies, and how often each arrived behind the trigger. */
export interface Repeats {
	events: number;
	deliveries: number;
	/** Events that arrived more than once, and that never arrived. */
	doubled: number;
	lost: number;
	/** Answers by status, and what they said. */
	answers: Record<string, number>;
	seconds: number;
}

interface RepeatOptions {
	count: number;
	deliver: Deliver;
	receiver: Receiver;
	sink: Sink;
	/** Each delivery goes to the next of these. */
	origins?: string[];
	width?: number;
}

/** Share of the events that come more than once: at the same moment, a moment later, or much later. */
const REPEATED = 0.3;

export async function repeats({
	count,
	deliver,
	receiver,
	sink,
	origins = [],
	width = 20,
}: RepeatOptions): Promise<Repeats> {
	const random = generator(7);
	const answers: Record<string, number> = {};
	const sentIds = new Set<string>();
	let deliveries = 0;
	const started = Date.now();

	/** As the service does: again after anything but 2xx. */
	const send = async (event: { id: string }, turn: number): Promise<void> => {
		for (let attempt = 0; attempt < 40; attempt++) {
			deliveries++;
			const { status, body } = await deliver(receiver, event, origins[(turn + attempt) % origins.length]);
			const said = /"status":"(\w+)"/.exec(body)?.[1];
			const name = said ? `${status} ${said}` : String(status);
			answers[name] = (answers[name] ?? 0) + 1;
			if (status >= 200 && status < 300) return;
			await pause(250);
		}
	};
	const later: Array<() => Promise<void>> = [];
	const tasks = Array.from({ length: count }, (_, i) => async () => {
		const event = newEvent();
		sentIds.add(event.id);
		if (random() >= REPEATED) return await send(event, i);
		const kind = Math.floor(random() * 3);
		if (kind === 0)
			await Promise.all(range(2 + Math.floor(random() * 2)).map(async (copy) => await send(event, i + copy)));
		else if (kind === 1)
			await Promise.all([send(event, i), pause(150).then(async () => await send(event, i + 1))]);
		else {
			await send(event, i);
			later.push(async () => await send(event, i + 1));
		}
	});
	await inParallel(tasks, width);
	await inParallel(later, width);

	const arrived = () => [...sentIds].filter((id) => sink.byEvent().has(id)).length;
	await settle(arrived, sentIds.size);
	const times = [...sentIds].map((id) => sink.times(id));
	return {
		events: count,
		deliveries,
		doubled: times.filter((each) => each > 1).length,
		lost: times.filter((each) => each === 0).length,
		answers,
		seconds: (Date.now() - started) / 1000,
	};
}

/** Until all have arrived, or nothing has for a while; then a moment for copies that should not come. */
async function settle(arrived: () => number, wanted: number): Promise<void> {
	await poll('the events to arrive', arrived, (count) => count >= wanted).catch(() => undefined);
	await pause(3000);
}
