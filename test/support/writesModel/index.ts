import { countBy, map, some, uniq } from 'lodash';

import type { Service } from '../../service';
import { check } from './rules';
import { byKey, mayBeSent } from './effects';
import { CREATES_POSTS } from './parameters';
import { figures, play, type Run } from './play';
import { forgets } from './reach';
import { usualStep, type Sequence } from './sequence';
import { isUnclear } from './told';
import { prepare } from './world';

/**
 * Random sequences of executions, faults, retries and changes of a node that writes, in n8n's engine against the embedded
 * service, and the rules that all of them have to keep: (1) a request that may have been carried out is never followed
 * by another key for the same write; (2) a write that was not sent is never reported as succeeded; (3) what is reported
 * is what was sent. docs/idempotency.md says what is covered and what is not.
 */
export { figures } from './play';
export { sequence, sequenceOf, type Given, type Settings, type Step } from './sequence';

/**
 * Runs a sequence.
 * @returns what was wrong, and in words how each execution ended (`partly`: some items failed and the node went on), how
 * many writes reached the service and what it carried out: the number of the word in a text, or what else it did
 */
export async function courseOf(
	service: Service,
	one: Sequence,
): Promise<{ wrong: string[]; course: string; runs: Run[] }> {
	service.reset();
	const world = await prepare(service, one);
	const runs = await play(service, one, world);
	const effects = runs.flatMap(({ requests }) => requests);
	const ended = runs.map(({ outputs = [] }) => {
		const failed = outputs.filter(({ json }) => 'error' in json).length;
		return outputs.length === failed ? 'failed' : failed > 0 ? 'partly' : 'done';
	});
	const carriedOut = effects
		.filter(({ request }) => request.acted)
		.map(({ word, note, does, workspace }) => {
			const what = word ? `word ${word}` : does.split(' ')[0];
			return `${what}${note ? ` note ${note}` : ''}${workspace === 'ws_main' ? '' : ` in ${workspace}`}`;
		});
	const times = Object.entries(countBy(carriedOut)).map(([what, n]) => (n > 1 ? `${n} × ${what}` : what));
	return {
		runs,
		wrong: check(one, runs),
		course: `${ended.join(', ')}; ${effects.length} sent: ${times.join(', ')}`,
	};
}

/** A word that no sequence draws. */
const NEW_WORD = 3;

/** Runs a sequence, and then what the text of its first refusal says; gives what was wrong. */
export async function violations(service: Service, one: Sequence): Promise<string[]> {
	const { wrong, runs } = await courseOf(service, one);
	figures.unclear += runs.filter(isUnclear).length;
	const refused = runs.find(isUnclear);
	const before = runs.filter(({ step }) => step < (refused?.step ?? 0));
	const isRefused = (code: string, run = refused): boolean => some(run?.errors, { code });
	const isRerun = isRefused('NODE_RERUN_UNCLEAR');
	// n8n retries no execution that went on after a failure.
	const isRetried = isRerun && !one.continueOnFail && !one.errorOutput;
	const begun = before.findLast(
		({ execution, requests, outputs }) =>
			(one.as === 'byHand' || execution === refused?.execution) &&
			byKey(requests).some(mayBeSent) &&
			!(isRetried && outputs),
	);
	if (wrong.length > 0 || !refused || !begun || forgets(one)) return wrong;
	// What was refused in part has sent the rest, as it was asked for then.
	if (refused.requests.length > 0) return wrong;
	// Of two workspaces that were used before, which one a row was sent in is another question.
	const isOfTwo = uniq(before.map(({ settings }) => settings.workspace)).length > 1;
	if (isRefused('NODE_WORKSPACE_UNCLEAR') && isOfTwo) return wrong;
	figures.followed++;
	// "To continue, name it as before", "retry that execution from the Executions list", or "change its text".
	const { workspace, postTo, platforms, isTwice, format, ownText, ownField, mode } = begun.settings;
	const asBefore = { workspace, postTo, platforms, isTwice, format, ownText, ownField, mode };
	const follow = {
		...usualStep,
		change: isRetried ? begun.settings : isRerun ? { word: NEW_WORD } : asBefore,
		retries: isRetried ? begun : undefined,
	};
	const steps = [...one.steps.slice(0, refused.step + 1), follow];
	const followed = await courseOf(service, { ...one, steps });
	const last = followed.runs.at(-1)!;
	// A text that moves may say by then what another row said. Items that are others at each press lead to the second advice.
	// A post with a new text is nobody's.
	const isNew = isRerun && CREATES_POSTS.has(one.operation);
	const isLedOn = !isNew && one.stamped && one.as === 'byHand' && isRefused('NODE_RERUN_UNCLEAR', last);
	return isUnclear(last) && !(isRetried ? begun.settings.texts > 1 : isLedOn)
		? [...followed.wrong, `followed, and refused: ${map(last.errors, 'message').join()}`]
		: followed.wrong;
}
