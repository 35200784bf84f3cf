import { countBy, filter, map } from 'lodash';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import type { Service } from '../../service';
import { play, type Run } from './play';
import { check } from './rules';
import type { Sequence } from './sequence';

/**
 * Random sequences of executions, faults, retries and changes of a node that writes, in n8n's engine against the embedded
 * service, and the rules that all of them have to keep: no write goes out twice, what is reported was sent, and what
 * certainly was not sent goes out. docs/idempotency.md says what is given up.
 */
export { speedUp } from './play';
export { givenOf, sequence, sequenceOf, type Given, type Settings, type Step } from './sequence';

/** What the sequences so far had. */
export const figures = { runs: 0, carriedOut: 0, reported: 0, unclear: 0 };

/**
 * Runs a sequence.
 * @returns what was wrong; in words how each run ended (`partly`: some items failed and the node went on), how many writes
 * reached the service and what it carried out; and what each run said in errors and hints
 */
export async function courseOf(
	service: Service,
	one: Sequence,
): Promise<{ wrong: string[]; course: string; told: string[] }> {
	let runs = await playAnew(service, one);
	// The machine stood still for as long as a time-out: that is no fault of the sequence.
	for (let n = 0; n < 20 && delays.max > STALL_NS; n++) runs = await playAnew(service, one);
	const effects = runs.flatMap(({ requests }) => requests);
	const carriedOut = effects
		.filter(({ request }) => request.acted)
		.map(({ word, does, target, request }) =>
			[word ? `word ${word}` : does, target, request.workspace === 'ws_second' ? 'in ws_second' : '']
				.filter(Boolean)
				.join(' '),
		);
	const times = Object.entries(countBy(carriedOut)).map(([what, n]) => (n > 1 ? `${n} × ${what}` : what));
	figures.runs += runs.length;
	figures.carriedOut += carriedOut.length;
	figures.reported += runs.flatMap(({ outputs = [] }) => outputs.filter(({ json }) => !json.error)).length;
	figures.unclear += runs.filter(({ errors }) =>
		errors.some(({ code }) => code === 'NODE_ROW_DIVIDED'),
	).length;
	return {
		wrong: check(one, runs),
		course: `${map(runs, endOf).join(', ')}; ${effects.length} sent: ${times.join(', ')}`,
		told: runs.map(({ errors, hints }) => [...map(errors, 'text'), ...hints].join('\n')),
	};
}

const delays = monitorEventLoopDelay({ resolution: 20 });
delays.enable();
/** The shortest time-out, ten times as fast. */
const STALL_NS = 500e6;

async function playAnew(service: Service, one: Sequence): Promise<Run[]> {
	service.reset();
	delays.reset();
	return await play(service, one);
}

/** What became of the rows of a run; `previous`: an earlier execution had sent all of them. */
function endOf({ outputs = [] }: Run): string {
	const failed = filter(outputs, 'json.error').length;
	if (outputs.length === failed) return 'failed';
	if (outputs.every(({ json }) => json.sent_before)) return 'sent before';
	return failed > 0 ? 'partly' : 'done';
}
