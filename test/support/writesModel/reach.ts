import { map, omit } from 'lodash';

import { isByContent, isCall } from './parameters';
import type { Sequence, Settings, Step } from './sequence';

/** Takes out of a sequence what docs/idempotency.md gives up. */
export function withinReach(drawn: Sequence): Sequence {
	const onError = drawn.as === 'tool' && drawn.onError === 'errorOutput' ? 'stop' : drawn.onError;
	const steps = drawn.steps.map((step) => roundOf(drawn, onError, step));
	// n8n hands a tool no files.
	const files = drawn.as === 'tool' ? ('remote' as const) : drawn.files;
	const one = { ...drawn, onError, files, steps, token: drawn.token || steps.some(isForgotten) };
	const fixed = new Set(fixedSettings(one));
	return { ...one, settings: startOf(one), steps: steps.map((step) => stepOf(one, step, fixed)) };
}

/** n8n hands over less than was stored: after a crash, and where an older try is retried once more. */
const isForgotten = ({ crash, how }: Step): boolean => crash || how === 'retryFirst';
const forgets = ({ as, steps }: Sequence): boolean => as !== 'byHand' && steps.some(isForgotten);

/** Who has an error output leads it back; nothing is told of rounds that a crash has lost. By hand every step is a press. */
function roundOf({ as }: Sequence, onError: Sequence['onError'], step: Step): Step {
	if (as === 'byHand') return { ...step, crash: false, how: 'retry', back: 'none' };
	if (as === 'callPerItem' || as === 'tool')
		return { ...step, back: 'none', how: step.how === 'loop' ? 'retry' : step.how };
	if (onError !== 'errorOutput') return { ...step, back: 'none' };
	const how = step.back !== 'none' ? 'loop' : step.how === 'retryFirst' ? 'retry' : step.how;
	return { ...step, crash: false, how };
}

/** What the user leaves as it is, since with another value it would be another write. */
function fixedSettings(one: Sequence): Array<keyof Settings> {
	const { settings, steps } = one;
	const isContentKey =
		isByContent(one) || settings.mode === 'content' || steps.some(({ change }) => change.mode === 'content');
	const isOfAccounts =
		one.twoAccounts ||
		[settings, ...map(steps, 'change')].some(({ named = 'platform' }) => named !== 'platform');
	const rules: Array<[applies: boolean, fixed: Array<keyof Settings>]> = [
		// A call is known by what it says.
		[isCall(one), ['word', 'workspace', 'named', 'isEmpty', 'mode', 'customTag', 'format', 'when']],
		// Each workspace has accounts of its own.
		[isOfAccounts, ['workspace']],
		[forgets(one), ['workspace', 'named', 'mode', 'customTag']],
		[forgets(one) && isContentKey, ['word', 'isEmpty', 'format', 'when']],
		// The memory of presses is one of contents.
		[one.as === 'byHand', ['mode', 'format']],
	];
	return rules.flatMap(([applies, names]) => (applies ? names : []));
}

function startOf(one: Sequence): Settings {
	const { settings } = one;
	const { mode, when, texts } = settings;
	// A text or a time that moves by itself is other content each time.
	const mustStay = isCall(one) || (forgets(one) && (mode === 'content' || isByContent(one)));
	const isMoving = when === 'moving' || when === 'slot' || (mode === 'content' && when === 'delay');
	return { ...settings, texts: mustStay ? 1 : texts, when: mustStay && isMoving ? 'at' : when };
}

function stepOf(one: Sequence, step: Step, fixed: Set<keyof Settings>): Step {
	const isRemote = one.files === 'remote';
	return {
		...step,
		change: omit(step.change, [...fixed]),
		// n8n hands every try the same items.
		items: one.as === 'byHand' ? step.items : 'same',
		filesGone: step.filesGone && isRemote,
	};
}
