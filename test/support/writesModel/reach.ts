import { isByContent, isCall } from './parameters';
import type { FaultName, Sequence, Settings, Step } from './sequence';

/**
 * Takes out of a sequence what docs/idempotency.md ("Limits") says the node can't promise. Each rule says which settings
 * stay as they are, and why the node could not tell.
 */
export function withinReach(one: Sequence): Sequence {
	const fixed = fixedSettings(one);
	const settings = startOf(one);
	const steps = one.steps.map((step) => stepOf(one, step, fixed));
	// After a crash nobody knows that a workspace which is named again was the first one: once it may change. A crashed
	// execution that is retried once more doesn't know of the other workspace at all.
	const changes = steps.filter(({ change }) => change.workspace !== undefined);
	const isRetriedAfterCrash =
		steps.some(({ crash }) => crash) && steps.some(({ how }) => how === 'retryFirst');
	if (forgets(one))
		for (const { change } of changes.slice(isRetriedAfterCrash ? 0 : 1)) delete change.workspace;
	return { ...one, settings, steps };
}

/** A journal that n8n forgets: in a crash, and where an older execution is retried once more. */
export const forgets = ({ as, steps }: Sequence): boolean =>
	as !== 'byHand' && steps.some(({ crash, how }) => crash || how === 'retryFirst');

/** The key is made of the content, so that after a crash other content is another write. */
const hasContentKey = (one: Sequence): boolean => isByContent(one) || one.settings.mode === 'content';

const isChange = ({ operation }: Sequence): boolean => ['update', 'cancel', 'delete'].includes(operation);

function fixedSettings(one: Sequence): Set<keyof Settings> {
	const { as, settings } = one;
	const rules: Array<[applies: boolean, fixed: Array<keyof Settings>]> = [
		// The service keeps keys per API key: under another one nothing was sent yet. By hand nothing is given back then.
		[as !== 'byHand', ['apiKey']],
		// Calls are told apart by their content, and all of this is content.
		[isByContent(one), ['format', 'ownText', 'ownField', 'mode', 'customTag', 'when']],
		// A sub-workflow that is called with other content, or other items, is another call.
		[as === 'subWorkflow' && !isChange(one), ['word', 'additional', 'isEmpty']],
		[as === 'subWorkflow', ['workspace']],
		// The platforms that share a request are content, too: the same text to others is another call.
		[isCall(one) && settings.format === 'quickStart', ['platforms', 'postTo']],
		// An account under another name is the same where the journal has its ID, unless it has another one by then.
		[as === 'subWorkflow' || forgets(one) || isReconnected(one), ['postTo', 'isTwice']],
		// By hand a write is remembered by its content, in mode `execution` only; another post format is other content.
		[as === 'byHand', ['format', 'mode']],
		// Without a journal the key alone tells. Keys of one mode say nothing to those of another one.
		[forgets(one), ['mode', 'customTag']],
		// Requests are shared in another way, or have other content: only the user's own ID stays.
		[forgets(one) && settings.mode !== 'custom', ['format']],
		[
			forgets(one) &&
				(settings.mode === 'content' || (settings.mode === 'execution' && settings.format === 'quickStart')),
			['ownText', 'ownField'],
		],
		// In mode `execution` the Quick Start's platforms share a request: with other ones it is another request.
		[forgets(one) && settings.mode === 'execution' && settings.format === 'quickStart', ['platforms']],
		// Other content has another key. In the other modes the service reports a conflict.
		[forgets(one) && hasContentKey(one), ['word', 'additional', 'isEmpty', 'workspace', 'when']],
	];
	return new Set(rules.flatMap(([applies, names]) => (applies ? names : [])));
}

function startOf(one: Sequence): Settings {
	const { as, settings } = one;
	const mustStay = isByContent(one) || (forgets(one) && hasContentKey(one));
	return {
		...settings,
		// A text or a time that moves by itself is other content each time.
		...(mustStay ? { texts: 1 as const } : {}),
		...(mustStay && settings.when === 'moving' ? { when: 'delay' as const } : {}),
		// *Same Text and Time* means what it says: a time that counts from now is another one each time.
		...(mustStay && settings.mode === 'content' && ['delay', 'moving'].includes(settings.when)
			? { when: 'at' as const }
			: {}),
		...(isReconnected(one) ? { isTwice: false } : {}),
		// A call that names no workspace says something else than one that names the default one.
		...(as === 'tool' ? { workspace: settings.workspace || 'ws_main' } : {}),
	};
}

function stepOf(one: Sequence, step: Step, fixed: Set<keyof Settings>): Step {
	const { as } = one;
	const names = Object.keys(step.change) as Array<keyof Settings>;
	const change: Partial<Settings> = Object.fromEntries(
		names.filter((name) => !fixed.has(name)).map((name) => [name, step.change[name]]),
	);
	if (as === 'tool' && change.workspace === '') change.workspace = 'ws_main';
	// One execution has one key from start to end.
	if (step.how === 'loop') delete change.apiKey;
	// For a node both are an update whose content changed: what was sent stays. A call is sent each time.
	if (!isCall(one) && /^to/.test(change.operation ?? '')) delete change.operation;
	// Keys are made of positions: after a crash only items at the end may come or go.
	const items =
		as === 'subWorkflow' || (forgets(one) && step.items !== 'addEnd') ? ('same' as const) : step.items;
	// The service doesn't see which file was in a multipart request that it did not take; the next press sends that again.
	const isUnseen = as === 'byHand' && one.operation === 'uploadDirect';
	return {
		...step,
		change,
		items,
		faults: step.faults.map((name) => (isUnseen ? afterInstead(name) : name)),
		how: as === 'tool' && step.how === 'loop' ? 'retry' : step.how,
		// Nothing but n8n's restart takes the memory of a process; that is *Execute step* after it: sent anew.
		crash: as === 'byHand' ? false : step.crash,
		meanwhile: meanwhileOf(one, step),
	};
}

const afterInstead = (name: FaultName): FaultName => name.replace('Before', 'After') as FaultName;

/** Without a journal, an account with a new ID is another account; so it is under an ID. */
const isReconnected = (one: Sequence): boolean =>
	one.steps.some(({ meanwhile }) => meanwhile === 'reconnect') &&
	['names', 'handles', 'handleEntries'].includes(one.settings.postTo) &&
	!forgets(one) &&
	one.as !== 'subWorkflow';

function meanwhileOf(one: Sequence, { meanwhile }: Step): Step['meanwhile'] {
	if (meanwhile === 'reconnect' && !isReconnected(one)) return 'nothing';
	// A node's retry gives back what it did, whatever others did since; a call does it again.
	if (meanwhile === 'undo' && !isCall(one)) return 'nothing';
	if (meanwhile === 'filesGone' && one.files !== 'remote') return 'nothing';
	return meanwhile;
}
