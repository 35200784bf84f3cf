import { omit } from 'lodash';

import { isByContent, isCall } from './parameters';
import type { FaultName, Sequence, Settings, Step } from './sequence';

/** Takes out of a sequence what docs/idempotency.md ("Limits") says the node can't promise. */
export function withinReach(drawn: Sequence): Sequence {
	const errorOutput = drawn.errorOutput && drawn.as !== 'tool';
	// A row that has its own ID, or its own workspace, is only drawn where all that it is told apart by is the place.
	const byRow = drawn.byRow && drawn.as === 'node' && ['create', 'createWithFile'].includes(drawn.operation);
	const steps = drawn.steps.map((step) => roundOf(errorOutput, step));
	const one = { ...drawn, errorOutput, byRow, steps };
	const fixed = fixedSettings(one);
	return { ...one, settings: startOf(one), steps: one.steps.map((step) => stepOf(one, step, fixed)) };
}

/** Without a journal nothing tells which row came back, and its key is of another round than that of the first try. */
const roundOf = (errorOutput: boolean, step: Step): Step =>
	errorOutput
		? {
				...step,
				crash: false,
				how: step.back !== 'none' ? 'loop' : step.how === 'retryFirst' ? 'retry' : step.how,
			}
		: { ...step, back: 'none' };

/** A journal that n8n forgets: in a crash, and where an older execution is retried once more. */
export const forgets = ({ as, steps }: Sequence): boolean =>
	as !== 'byHand' && steps.some(({ crash, how }) => crash || how === 'retryFirst');

/** The key is made of the content, so that after a crash other content is another write. */
const hasContentKey = (one: Sequence): boolean => isByContent(one) || one.settings.mode === 'content';

function fixedSettings(one: Sequence): Set<keyof Settings> {
	const { as, settings } = one;
	const rules: Array<[applies: boolean, fixed: Array<keyof Settings>]> = [
		// The service keeps keys per API key: under another one nothing was sent yet. By hand nothing is given back then.
		[as !== 'byHand', ['apiKey']],
		// Calls are told apart by their content, and all of this is content.
		[isByContent(one), ['format', 'ownText', 'ownField', 'mode', 'customTag', 'when']],
		// A sub-workflow that is called with other content, or other items, is another call.
		[
			as === 'subWorkflow' && !['update', 'cancel', 'delete'].includes(one.operation),
			['word', 'additional', 'isEmpty'],
		],
		// The platforms that share a request are content, too: the same text to others is another call.
		[isCall(one) && settings.format === 'quickStart', ['platforms', 'postTo']],
		// An account under another name is the same where the journal has its ID, unless it has another one by then.
		[as === 'subWorkflow' || forgets(one) || isReconnected(one), ['postTo', 'isTwice']],
		// See `startOf`.
		[as === 'byHand', ['wait']],
		// By hand a write is remembered by its content, in mode `execution` only; another post format is other content.
		[as === 'byHand', ['format', 'mode']],
		// Without a journal the key alone tells: keys of one mode say nothing to those of another one, and nobody knows
		// that a workspace which is named again was the first one.
		[forgets(one), ['mode', 'customTag', 'workspace']],
		// Requests are shared in another way, or have other content: only the user's own ID stays.
		[forgets(one) && settings.mode !== 'custom', ['format', 'ownText', 'ownField']],
		// In mode `execution` the Quick Start's platforms share a request: with other ones it is another request.
		[forgets(one) && settings.mode === 'execution' && settings.format === 'quickStart', ['platforms']],
		// Other content has another key. In the other modes the service reports a conflict.
		[forgets(one) && hasContentKey(one), ['word', 'additional', 'isEmpty', 'when']],
	];
	return new Set(rules.flatMap(([applies, names]) => (applies ? names : [])));
}

function startOf(one: Sequence): Settings {
	const { as, settings } = one;
	const { mode, when, texts, isTwice, workspace } = settings;
	// A text or a time that moves by itself is other content each time; for *Same Text and Time* so is one that counts from now.
	const mustStay = isByContent(one) || (forgets(one) && hasContentKey(one));
	const isMoving = when === 'moving' || when === 'slot' || (mode === 'content' && when === 'delay');
	return {
		...settings,
		texts: mustStay ? 1 : texts,
		when: mustStay && isMoving ? (mode === 'content' ? 'at' : 'delay') : when,
		isTwice: isTwice && !isReconnected(one),
		// By hand, what was not published goes out anew: `write.test.ts` has that.
		wait: settings.wait && as !== 'byHand',
		// A call that names no workspace says something else than one that names the default one.
		workspace: isCall(one) ? workspace || 'ws_main' : workspace,
	};
}

function stepOf(one: Sequence, step: Step, fixed: Set<keyof Settings>): Step {
	const { as } = one;
	const change: Partial<Settings> = omit(step.change, [...fixed]);
	if (isCall(one) && change.workspace === '') change.workspace = 'ws_main';
	// One execution has one key from start to end.
	if (step.how === 'loop') delete change.apiKey;
	// Keys are made of positions: after a crash only items at the end may come or go.
	const staysSame = as === 'subWorkflow' || (forgets(one) && step.items !== 'addEnd');
	// The service doesn't see which file was in a multipart request that it did not take; the next press sends that again.
	const isUnseen = as === 'byHand' && one.operation === 'uploadDirect';
	const seen = (name: FaultName): FaultName =>
		name === 'unprocessable' ? 'gatewayAfter' : (name.replace('Before', 'After') as FaultName);
	return {
		...step,
		change,
		items: staysSame ? 'same' : step.items,
		faults: isUnseen ? step.faults.map(seen) : step.faults,
		how: as === 'tool' && step.how === 'loop' ? 'retry' : step.how,
		// Nothing but n8n's restart takes the memory of a process; that is *Execute step* after it: sent anew.
		crash: as !== 'byHand' && step.crash,
		meanwhile: meanwhileOf(one, step),
	};
}

/** Without a journal, an account with a new ID is another account; so it is under an ID. */
const isReconnected = (one: Sequence): boolean =>
	one.steps.some(({ meanwhile }) => meanwhile === 'reconnect') &&
	['names', 'handles', 'handleEntries'].includes(one.settings.postTo) &&
	!forgets(one) &&
	one.as !== 'subWorkflow';

function meanwhileOf(one: Sequence, { meanwhile }: Step): Step['meanwhile'] {
	if (meanwhile === 'reconnect' && !isReconnected(one)) return 'nothing';
	if (meanwhile === 'filesGone' && one.files !== 'remote') return 'nothing';
	return meanwhile;
}
