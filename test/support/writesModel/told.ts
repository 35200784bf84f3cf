import { isEqual, map, pick, some, uniq, uniqBy } from 'lodash';

import { byKey, DOES, isRefused, leftSomething, UPLOAD, type Effect } from './effects';
import type { Run } from './play';
import { forgets } from './reach';
import { hasBack } from './rules';
import type { Sequence, Settings, Step } from './sequence';

/** What errors and hints of a run say of what was sent, and what became of *Approved Code*. */
export const checkTold = (one: Sequence, run: Run, before: Run[]): string[] => [
	...checkErrors(one, run, before),
	...checkHints(one, run, before),
	...checkRefusals(one, run, before),
];

/** What was sent, or may have been, by its key; not the files of a post, nor those whose bytes never arrived. */
const sentIn = (runs: Run[], isAsked: (effect: Effect) => boolean = () => true): Effect[][] =>
	byKey(
		runs.flatMap(({ requests, operation }) =>
			requests.filter(
				(effect) => (effect.does !== UPLOAD || operation === 'createUploadUrl') && isAsked(effect),
			),
		),
	).filter(leftSomething);

/** Keys of what was carried out, or may have been. */
const sentKeys = (runs: Run[]): string[] =>
	uniq(runs.flatMap(({ requests }) => requests.flatMap((effect) => (isRefused(effect) ? [] : effect.key))));

function checkErrors(one: Sequence, run: Run, before: Run[]): string[] {
	const isTool = one.as === 'tool';
	// Of a model's calls each speaks for itself; what n8n lost nobody knows.
	if (forgets(one) || (isTool && run.items.length > 1)) return [];
	const { operation, settings, items } = run;
	const tries = [...before, run].filter(({ journal }) => journal === run.journal);
	const scope = isTool ? [run] : tries;
	// A call may resend what an earlier one left in doubt; under the same key it may also say something else.
	const isOfRun = (effect: Effect): boolean =>
		run.requests.some(
			({ key, content, namedWorkspace }) =>
				key === effect.key && content === effect.content && namedWorkspace === effect.namedWorkspace,
		);
	const sent = sentIn(tries, (effect) => !isTool || isOfRun(effect));
	// Bytes that arrived are not seen in the requests of the service.
	const isUpload = operation === 'upload' || operation === 'uploadDirect';
	const isSentEachTime = isTool && settings.mode === 'execution' && !/^\/(posts|inbox)/.test(DOES[operation]);
	// What an earlier round left in doubt is continued by an equal item of this one; what comes back, with all of its row.
	const comesBack = hasBack([...before, run], run.execution);
	const isTakenOver =
		comesBack ||
		before.some(
			(other) =>
				other.journal !== run.journal &&
				other.execution === run.execution &&
				other.requests.some(({ result }) => result === 'inDoubt'),
		);
	// Of a webhook no request is kept: what a conflict shows of an earlier try, the node doesn't know.
	const isUnknown =
		operation === 'webhookCreate' && some(map(tries, 'requests').flat(), { result: 'conflict' });
	// What the conflict of one row shows of another with the same ID, that one's error doesn't know.
	const isShownByOther = byKey(map(tries, 'requests').flat()).some(
		(same) =>
			some(same, { result: 'inDoubt' }) &&
			some(same, { result: 'conflict' }) &&
			items.filter(({ about }) => some(same, { about })).length > 1,
	);
	const isCounted =
		!isUpload &&
		!isUnknown &&
		!isShownByOther &&
		!isSentEachTime &&
		!isTakenOver &&
		(one.as !== 'byHand' || run.execution === 0);
	const isAny = sent.length > 0 || (operation === 'upload' && scope.some(({ hasPut }) => hasPut));
	const most = sentKeys(one.as === 'byHand' || comesBack ? [...before, run] : scope).length;
	return run.errors.flatMap(({ item, message, posts }) => {
		const about = items[item ?? -1]?.about;
		const isAlone = scope.every((each) => each.items.filter((other) => other.about === about).length <= 1);
		// Several rows may share a key.
		const isOfRow = (effect: Effect): boolean => effect.about === about && effect.does === DOES[operation];
		const isRowSent = isAlone && sentIn(scope, isOfRow).length > 0;
		const already = Number(/(\d+) (?:post|file|request)s? (?:was|were) already sent/.exec(message)?.[1] ?? 0);
		const isWrong =
			(/(Nothing|None) was sent|sent nothing/.test(message) && isAny) ||
			(/This row was not sent/.test(message) && isRowSent) ||
			already > most ||
			(isCounted && posts !== sent.length);
		return isWrong
			? [`${sent.length} sent, ${most} at most; posts.count ${posts}, and it says: ${message}`]
			: [];
	});
}

/** Refusals of a row that may be one of those that were begun. */
export const isUnclear = ({ errors }: Run): boolean =>
	errors.some(({ code = '' }) => /^NODE_(PLAN_CHANGED|(TARGET|WORKSPACE|RERUN)_UNCLEAR)$/.test(code));

/** Refusing everything would break no other rule: nothing is refused unless something changed that leaves it unclear. */
function checkRefusals({ as, steps, stamped, byRow }: Sequence, run: Run, before: Run[]): string[] {
	const withOwnId = run.items.filter(({ label }) => run.settings.mode === 'custom' || (byRow && label === 1));
	const isOther = (...names: Array<keyof Settings>): boolean =>
		before.some(({ settings }) => !isEqual(pick(settings, names), pick(run.settings, names)));
	const isAfter = (what: (step: Step) => boolean): boolean => steps.slice(0, run.step + 1).some(what);
	const reasons: Record<string, boolean> = {
		NODE_PLAN_CHANGED:
			isOther('postTo', 'platforms', 'isTwice', 'format', 'ownText', 'ownField', 'mode') ||
			isAfter(({ meanwhile }) => meanwhile === 'reconnect'),
		NODE_TARGET_UNCLEAR: run.settings.isTwice,
		NODE_WORKSPACE_UNCLEAR: isOther('workspace'),
		NODE_OWN_ID_SHARED: uniqBy(withOwnId, 'label').length < withOwnId.length,
		// A text that moves may be another row's by now; equal rows that never began come back as one, a round each.
		NODE_RERUN_UNCLEAR:
			as === 'byHand' &&
			(stamped ||
				run.settings.texts > 1 ||
				isAfter(({ items }) => items !== 'same') ||
				(some(map(before, 'items').flat(), 'row') && uniqBy(run.items, 'about').length < run.items.length)),
	};
	return run.errors.flatMap(({ code = '', message }) =>
		reasons[code] === false ? [`refused without a reason: ${message}`] : [],
	);
}

function checkHints({ as, token, operation }: Sequence, run: Run, before: Run[]): string[] {
	const { hints, requests, outputs = [] } = run;
	const isAny = sentIn([run]).length > 0 || (run.operation === 'upload' && run.hasPut);
	const mayBeTwice = hints.some((hint) => /may have been sent twice/.test(hint));
	// An ID of the row's own needs no match with another execution.
	const isSomeDone =
		requests.length > 0 &&
		outputs.some(
			({ json: { error, preview, idempotency_key } }) =>
				!error && !preview && !String(idempotency_key).startsWith('own-'),
		);
	const limits: Array<[RegExp, number]> = [
		// Deleted by an attempt whose answer was lost: a 404 says so.
		[/^(\d+) sent/, uniq(requests.map(({ key }) => key)).length],
		[/(\d+) had been sent before/, sentKeys([...before, run]).length],
		[/^(\d+) \w+ (?:was|were) not sent again/, sentKeys(before).length],
	];
	return [
		...hints.filter(
			(hint) =>
				(/nothing was sent/i.test(hint) && isAny) ||
				limits.some(([what, most]) => Number(what.exec(hint)?.[1] ?? 0) > most),
		),
		// The key of a reply is made of its text, whichever execution sends it.
		...(mayBeTwice && (token || operation === 'reply') ? ['a hint that says nothing'] : []),
		...(as === 'node' && operation !== 'reply' && run.cannotMatchOriginal && isSomeDone && !mayBeTwice
			? ['a retry without a journal gives no hint']
			: []),
	];
}
