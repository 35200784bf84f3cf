import { byKey, DOES, isAlone, stateOf, UPLOAD, type Effect } from './effects';
import type { Run } from './play';
import { forgets } from './reach';
import type { Sequence } from './sequence';

/** What errors and hints say of what was sent, and what became of *Approved Code*. */
export function checkTold(one: Sequence, runs: Run[]): string[] {
	return runs.flatMap((run, index) => {
		const at = `step ${run.step}`;
		const before = runs.slice(0, index + 1);
		return [
			...checkErrors(one, run, before).map((what) => `${at}: ${what}`),
			...checkHints(run, before).map((what) => `${at}: ${what}`),
			...checkApproval(run, runs.slice(0, index)).map((what) => `${at}: ${what}`),
		];
	});
}

/** What was sent, or may have been, by its key; not the files of a post, nor those whose bytes never arrived. */
function sentIn(runs: Run[]): Effect[][] {
	const reported = runs.flatMap(({ requests, operation }) =>
		requests.filter(({ does }) => does !== UPLOAD || operation === 'createUploadUrl'),
	);
	return byKey(reported).filter((effects) => stateOf(effects) !== 'rejected');
}

/** How many writes were carried out, or may have been. */
const sentKeys = (runs: Run[]): number =>
	new Set(
		runs
			.flatMap(({ requests }) => requests.filter(({ result }) => result !== 'rejected'))
			.map(({ key }) => key),
	).size;

function checkErrors(one: Sequence, run: Run, before: Run[]): string[] {
	const isTool = one.as === 'tool';
	// Of a model's calls each speaks for itself; what n8n lost nobody knows.
	if (forgets(one) || (isTool && run.items.length > 1)) return [];
	const tries = before.filter(({ journal }) => journal === run.journal);
	const scope = isTool ? [run] : tries;
	// A call may resend what an earlier one left in doubt.
	const isOfCall = ([first]: Effect[]) => run.requests.some(({ key }) => key === first?.key);
	const sent = sentIn(tries).filter((effects) => !isTool || isOfCall(effects));
	// Bytes that arrived are not seen in the requests of the service.
	const isUpload = run.operation === 'upload' || run.operation === 'uploadDirect';
	const isSentEachTime =
		isTool && run.settings.mode === 'execution' && !/^\/(posts|inbox)/.test(DOES[run.operation]);
	const isFirstPress = one.as !== 'byHand' || run.execution === 0;
	return run.errors.flatMap(({ item, message, posts }) => {
		const wrong: string[] = [];
		const isAny = sent.length > 0 || (run.operation === 'upload' && scope.some(({ hasPut }) => hasPut));
		if (/(Nothing|None) was sent|sent nothing/.test(message) && isAny)
			wrong.push(`nothing was sent, it says: ${message}`);
		if (/This row was not sent/.test(message) && isRowSent(run, item!, scope))
			wrong.push(`the row was not sent, it says: ${message}`);
		const already = Number(/(\d+) (?:post|file|request)s? (?:was|were) already sent/.exec(message)?.[1] ?? 0);
		const most = sentKeys(one.as === 'byHand' ? before : scope);
		if (already > most) wrong.push(`${already} instead of ${most} already sent: ${message}`);
		if (!isUpload && !isSentEachTime && isFirstPress && posts !== sent.length)
			wrong.push(`posts.count is ${posts} instead of ${sent.length}: ${message}`);
		return wrong;
	});
}

/** Looked at where an item is the only one of its kind in all tries. */
function isRowSent({ operation, items }: Run, item: number, scope: Run[]): boolean {
	const { about } = items[item]!;
	const isOfRow = (effect: Effect): boolean => effect.about === about && effect.does === DOES[operation];
	return isAlone(about, scope) && sentIn(scope).some((effects) => effects.some(isOfRow));
}

function checkHints(run: Run, before: Run[]): string[] {
	const { hints, requests } = run;
	const isAny = sentIn([run]).length > 0 || (run.operation === 'upload' && run.hasPut);
	const limits: Array<[RegExp, number]> = [
		// Deleted by an attempt whose answer was lost: a 404 says so.
		[/^(\d+) sent/, new Set(requests.map(({ key }) => key)).size],
		[/(\d+) had been sent before/, sentKeys(before)],
		[/^(\d+) \w+ (?:was|were) not sent again/, sentKeys(before.slice(0, -1))],
	];
	return hints.flatMap((hint) => [
		...(/nothing was sent/i.test(hint) && isAny ? [`a hint says: ${hint}`] : []),
		...limits.flatMap(([what, most]) =>
			Number(what.exec(hint)?.[1] ?? 0) > most ? [`${most} at most: ${hint}`] : [],
		),
	]);
}

/** A code of another post sends nothing new; one of the same post isn't refused. */
function checkApproval({ approval, requests, errors, settings }: Run, before: Run[]): string[] {
	const known = new Set(
		before
			.flatMap((run) => run.requests)
			.filter(({ result }) => result !== 'rejected')
			.map(({ key }) => key),
	);
	if (approval === 'wrong')
		return requests
			.filter(({ key, does }) => does !== UPLOAD && !known.has(key))
			.map(({ about }) => `not approved, and sent: ${about}`);
	const isStable = settings.texts === 1 && settings.when !== 'moving';
	return approval === 'approved' && isStable && errors.some(({ code }) => code === 'NODE_NOT_APPROVED')
		? ['approved, and refused']
		: [];
}
