import {
	countBy,
	difference,
	filter,
	findIndex,
	findLastIndex,
	get,
	groupBy,
	map,
	mapValues,
	max,
	some,
	sum,
	sumBy,
	uniq,
} from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { byKey, DOES, isKeptAsFailed, isRefused, mayBeSent, UPLOAD, type Effect } from './effects';
import { CREATES_POSTS, isByContent, isCall, ofRow, placesOf, platformOf } from './parameters';
import type { Run } from './play';
import { forgets } from './reach';
import type { Sequence } from './sequence';
import { checkTold } from './told';

/** What is not as the three rules of docs/idempotency.md say. */
export function check(one: Sequence, runs: Run[]): string[] {
	const eachRun = (rule: (one: Sequence, run: Run, before: Run[]) => string[]): string[] =>
		runs.flatMap((run, i) => rule(one, run, runs.slice(0, i)).map((what) => `step ${run.step}: ${what}`));
	return uniq([
		...eachRun(checkReport),
		...eachRun(checkTold),
		...checkOnce(one, runs),
		...checkCorrected(one, runs),
		...checkAcrossExecutions(runs),
		...checkPresses(one, runs),
		...checkMostPosts(one, runs),
	]);
}

/** How many addresses the store took for expired: for each, another one is asked for. */
const expiredIn = ({ steps }: Sequence): number =>
	sumBy(steps, ({ storeFaults }) => storeFaults.filter((name) => name === 'expired').length);

/** An item that asks for something about this, and not one that comes back: that has asked for it already. */
const isAskedAs =
	(about: string) =>
	(item: Run['items'][number]): boolean =>
		!item.preview && (!item.row || item.isFirst === true) && item.about === about;

/** Which failure of its row comes back here: the first, or another one of those that come back together. */
const isAnother = ({ row }: Run['items'][number], index: number, { items }: Pick<Run, 'items'>): boolean =>
	row !== undefined && findIndex(items, { row }) < index;

/** The error of a row that never began names nothing to know it by: two of them are two rows. */
const neverBegan = ({ back }: Run['items'][number]): boolean =>
	!((back?.json.error ?? {}) as IDataObject).idempotency_key;

/** How often a run asks for what is about the same. */
const askedIn = ({ items }: Run, about: string): number => items.filter(isAskedAs(about)).length;

/** Rows whose times have passed go out at once, and remain as many posts as there were times. */
const pastTimes = (runs: Run[], about?: string): number =>
	uniq(map(filter(map(runs, 'items').flat(), { past: true, ...(about ? { about } : {}) }), 'day')).length;

/** How often runs ask for what is about the same, by the item: those with another file or time are other rows, in whichever run. */
const rowsOver = (runs: Run[], about: string) => {
	const rows = uniq(runs).map(({ items }) =>
		countBy(items.filter(isAskedAs(about)), ({ file, day, past }) => [file, day, past]),
	);
	const all = Object.assign({}, ...rows) as Record<string, number>;
	return mapValues(all, (_count, name) => max(map(rows, name)) ?? 0);
};
const askedOver = (runs: Run[], about: string): number => sum(Object.values(rowsOver(runs, about)));

/** Rows that earlier presses had and this one hasn't: what is known may be theirs. Where items are others each time, none is known to be. */
function goneFrom({ stamped }: Sequence, press: Run[], before: Run[], about: string): number {
	const [now, then] = [press, before].map((runs) => rowsOver(runs, about));
	return stamped ? 0 : sum(map(then, (count, name) => Math.max(0, count - (now![name] ?? 0))));
}

/** A call that changes something is sent each time; in the other modes the key is the user's choice. */
const isSentEachTime = (one: Sequence, does: string): boolean =>
	isCall(one) && one.settings.mode === 'execution' && setsState(does);

const setsState = (does: string): boolean => /^(update|delete|\/posts\/cancel) /.test(does);

/** Whether items come back from the error output in an execution. */
export const hasBack = (runs: Run[], execution: number): boolean =>
	runs.some((run) => run.execution === execution && some(run.items, 'row'));

/** A conflict for the same content shows that the key is of another one: this one wasn't carried out. */
const isOfOther = ({ key, content, result }: Effect, all: Effect[]): boolean =>
	result === 'inDoubt' && some(all, { key, content, result: 'conflict' });

/** A model may send anew what one of its calls was told is not published. */
const isUnpublished = ({ as }: Sequence, runs: Run[], { key }: Effect, platform: string): boolean =>
	as === 'tool' &&
	runs
		.filter(({ requests }) => some(requests, { key }))
		.flatMap(({ errors }) => errors)
		.some(({ message }) => new RegExp(`publishing it failed on ${platform}\\b`, 'i').test(message));

/** Rule 1, at the service: no write more often than it was asked for. */
function checkOnce(one: Sequence, runs: Run[]): string[] {
	/** A write belongs to the round that sent it first: a later one may go on with it. */
	const scopes = new Map<string, string>();
	/** What comes back in a round may be of any before it, and a call that is made anew may begin with what was a later round. */
	const isOfAllRounds = (execution: number): boolean => one.as === 'subWorkflow' || hasBack(runs, execution);
	const scopeOf = ({ scope, execution }: Run, effect: Effect): string => {
		if (isOfAllRounds(execution)) return scope.split('/')[0]!;
		const name = `${scope.split('/')[0]} ${effect.key}`;
		if (!scopes.has(name) && !isRefused(effect)) scopes.set(name, scope);
		return scopes.get(name) ?? scope;
	};
	const all = runs.flatMap((run) =>
		run.requests.flatMap((effect) => {
			const { does, apiKey, workspace, about, content, time } = effect;
			// A time that the user gave is content of a call.
			const said = run.settings.when === 'column' ? `${content} ${time}` : content;
			if (isSentEachTime(one, does)) return [];
			const name = [scopeOf(run, effect), does, apiKey, workspace, about, isByContent(one) ? said : ''].join(
				' | ',
			);
			return effect.platforms
				.filter((platform) => !isUnpublished(one, runs, effect, platform))
				.map((platform) => ({ run, effect, name: `${name} | ${platform}` }));
		}),
	);
	return Object.entries(groupBy(all, 'name')).flatMap(([name, sent]) => {
		const { execution } = sent[0]!.run;
		const areBack = hasBack(runs, execution);
		const all = map(sent, 'effect');
		const { does, about } = all[0]!;
		// What comes back after the service kept it as failed is sent anew; the 201 of a later replay doesn't undo that.
		const counts = ({ request, result }: Effect): boolean => request.acted || result !== 'succeeded';
		const isGone = ({ key }: Effect): boolean =>
			areBack && isKeptAsFailed(filter(all, { key }).filter(counts));
		const effects = all.filter((effect) => !isGone(effect));
		const rounds = isOfAllRounds(execution)
			? Object.values(groupBy(filter(runs, { execution }), 'scope'))
			: [map(sent, 'run')];
		const ofCalls = all.some(({ time }) => time) ? 1 : Math.max(1, pastTimes(map(sent, 'run'), about));
		const asked = one.as === 'tool' ? ofCalls : sumBy(rounds, (all) => askedOver(all, about));
		const more = sumBy(
			rounds.flat(),
			(run) =>
				run.items.filter((item, i) => item.about === about && isAnother(item, i, run) && neverBegan(item))
					.length,
		);
		const again = does === UPLOAD && one.operation !== 'createUploadUrl' ? expiredIn(one) : 0;
		const own = sent.flatMap(({ run: { settings }, effect: { mode } }) =>
			mode === 'custom' ? settings.customTag : [],
		);
		const most = Math.max(1, asked + more + again) * Math.max(1, uniq(own).length);
		const done = effects.filter(({ request }) => request.acted).length;
		if (done > most) return [`carried out ${done} times instead of ${most}: ${name}`];
		// As the sender sees it: after what may have been carried out, no other key.
		const first = effects.findIndex((effect) => !isRefused(effect) && !isOfOther(effect, effects));
		// A conflict shows that the key is another row's, which has the same ID of the user's.
		const isOther =
			first >= 0 &&
			effects.slice(first).some(({ key, result }) => key !== effects[first]!.key && result !== 'conflict');
		return most === 1 && isOther
			? [`another key after a request that may have been carried out: ${name}`]
			: [];
	});
}

/** What is in doubt and was refused since says what its row says now, unless its key or its request belongs to what it said. */
function checkCorrected(one: Sequence, runs: Run[]): string[] {
	const { settings, operation, steps } = one;
	const isShared = settings.format === 'quickStart' && CREATES_POSTS.has(operation);
	// A crash loses the note of a refusal, the retry of an older execution that of a whole run.
	const isNoted = ({ run, effect }: (typeof sent)[number]): boolean =>
		effect.request.status === 400 && !(forgets(one) && steps[run.step]!.crash);
	if (
		isCall(one) ||
		isShared ||
		some(steps, ['how', 'retryFirst']) ||
		!['create', 'createWithFile', 'update'].includes(operation)
	)
		return [];
	const sent = runs.flatMap((run) => run.requests.map((effect) => ({ run, effect })));
	return Object.values(groupBy(sent, 'effect.key')).flatMap((all) => {
		const doubt = findIndex(all, ['effect.result', 'inDoubt']);
		const refusal = findIndex(all, isNoted, doubt + 1);
		if (doubt < 0 || refusal < 0 || all[doubt]!.effect.mode === 'content') return [];
		// Of equal rows with one ID, another one may be the one that was refused.
		const { run: first, effect } = all[doubt]!;
		if (askedIn(first, effect.about) > 1) return [];
		return all.slice(refusal + 1).flatMap(({ run, effect: { word, about } }, index) => {
			const isOld = word !== undefined && Number(word) !== run.settings.word;
			const isPast = run.items.some((item) => item.about === about && item.past);
			// A correction whose answer is lost stays as it is until it is refused, too.
			const before = all.slice(refusal, refusal + 1 + index);
			const last = findLastIndex(before, ['effect.request.status', 400]);
			const isInDoubt = some(before.slice(last + 1), ['effect.result', 'inDoubt']);
			return isOld && !isPast && !isInDoubt && run.step > all[refusal]!.run.step
				? [`step ${run.step}: refused, corrected, and sent as it was: ${about}`]
				: [];
		});
	});
}

/** In the modes `content` and `custom` a post is sent once, however many executions ask for it, and with which others. */
function checkAcrossExecutions(runs: Run[]): string[] {
	const all = byKey(runs.flatMap(({ requests }) => requests)).flatMap(([first, ...others]) =>
		[first!, ...others]
			.filter(({ request, does, mode }) => request.acted && does === DOES.create && mode === first!.mode)
			.filter(({ mode }) => mode !== 'execution')
			.flatMap(({ key, mode, apiKey, workspace, namedWorkspace, content, time, account, platforms }) => {
				const own = /^own-\d+-\d+/.exec(key)?.[0] ?? key;
				const which = mode === 'content' ? [namedWorkspace, content, time] : [workspace, own];
				const most = mode === 'content' && !time ? Math.max(1, pastTimes(runs)) : 1;
				return platforms.map((platform) => ({
					name: [mode, apiKey, platform, account, ...which].join(' | '),
					most,
				}));
			}),
	);
	return Object.entries(groupBy(all, 'name'))
		.filter(([, sent]) => sent.length > sent[0]!.most)
		.map(([name, sent]) => `carried out ${sent.length} times over all executions: ${name}`);
}

/** Option *Max Posts per Execution*: no more may have been sent, in all rounds, tries and calls. */
function checkMostPosts(one: Sequence, runs: Run[]): string[] {
	if (one.maxPosts === 0 || one.as === 'subWorkflow' || forgets(one)) return [];
	return Object.values(groupBy(runs, 'execution')).flatMap((tries) => {
		const posts = tries.flatMap(({ requests }) => requests.filter(({ does }) => does === DOES.create));
		// Where it is an option of the row, label 2 has none.
		const limited = posts.filter(({ about }) => !one.byRow || !about.startsWith('item-2'));
		const sent = sumBy(byKey(limited).filter(mayBeSent), ([effect]) => effect!.platforms.length);
		return sent > one.maxPosts ? [`${sent} posts sent, most are ${one.maxPosts}`] : [];
	});
}

/** Rules 2 and 3 of a run that did not fail: each write is there, each that is called succeeded was sent as it is told. */
function checkReport(one: Sequence, run: Run, before: Run[]): string[] {
	const { operation, settings, outputs, items } = run;
	const wrong = run.requests
		.filter(({ about }) => !items.some((each) => !each.preview && each.about === about))
		.map(({ about }) => `a preview sent ${about}`);
	if (!outputs) return wrong;
	for (const { key, about: sender } of run.requests.filter(({ request }) => request.acted)) {
		const owners = outputs.filter(({ json }) =>
			[json.idempotency_key, get(json, 'error.idempotency_key')].includes(key),
		);
		// Of rows that share an ID, the one that sent it may have failed for another platform, which its error names.
		const isOfOther = outputs.some(
			({ item, json }) =>
				'error' in json && run.items[item]?.about === sender && !map(owners, 'item').includes(item),
		);
		if (owners.length > 0 && owners.every(({ json }) => json.sent_before) && !isOfOther)
			wrong.push(`sent now, but called sent before: ${key}`);
	}
	const isEachTime = isSentEachTime(one, DOES[operation]);
	const acted = [...before, run]
		.flatMap((one) => one.requests.filter(({ key }) => !isEachTime || map(run.requests, 'key').includes(key)))
		// A deletion whose answer was lost counts as done once the record is gone.
		.filter(
			({ request, does, result }) => request.acted || (does.startsWith('delete ') && result === 'inDoubt'),
		);
	const reported = new Set<Effect>();
	for (const [index, item] of items.entries()) {
		const { about, preview, row, past } = item;
		const { mode, workspace, ifPast } = ofRow(one, settings, about);
		const own = outputs.filter(({ item }) => item === index).map(({ json }) => json);
		const done = own.filter((json) => !('error' in json));
		// The first of a row's failures that come back stands for the row; which of equal rows that share a key, nobody knows.
		const mayShare =
			isByContent(one) ||
			[...before, run].some((other) => ofRow(one, other.settings, about).mode !== 'execution');
		if (!neverBegan(item) && !mayShare && isAnother(item, index, run)) {
			if (own.length > 0) wrong.push(`given twice: ${about}`);
			continue;
		}
		const covered = done.flatMap((json) => {
			if (preview) return [];
			if (json.skipped) {
				if (!past || ifPast !== 'skip' || settings.when !== 'column') wrong.push(`skipped: ${about}`);
				return [];
			}
			const effect = acted.find(
				(candidate) =>
					candidate.key === String(json.idempotency_key) &&
					candidate.does === DOES[operation] &&
					candidate.workspace === (workspace || 'ws_main') &&
					candidate.apiKey === settings.apiKey &&
					// Under the user's own ID the service may have what another row says.
					(candidate.about === about || (json.reason && mode === 'custom')),
			);
			if (!effect) {
				wrong.push(`reported as succeeded, but not sent: ${JSON.stringify(json).slice(0, 200)}`);
				return [];
			}
			if (json.reason) {
				if (mode === 'execution') wrong.push(`called sent before: ${about}`);
				return effect.platforms;
			}
			const { platforms, time } = effect;
			const { content } = JSON.parse(effect.content);
			const text = typeof content === 'string' ? content : content?.text;
			// In the other modes equal items are one post, and remain one when the mode is changed.
			const isShared =
				[mode, effect.mode].some((mode) => mode !== 'execution') ||
				(one.as === 'tool' && !isEachTime) ||
				operation === 'reply';
			const requests = [...before, run].flatMap((one) => one.requests);
			const isSilent = some(requests, { key: effect.key, request: { fault: 'empty' } });
			const rules: Array<[holds: boolean, otherwise: string]> = [
				[isShared || !reported.has(effect), 'reported twice'],
				[!time || Date.parse(String(json.scheduled_at)) === Date.parse(time), 'another time than was sent'],
				// An empty answer says no text.
				[
					[undefined, json.text ?? (isSilent ? text : undefined)].includes(text),
					'another text than was sent',
				],
				[
					platforms.length > 1 ||
						['', 'more'].includes(platforms[0]!) ||
						json.platform === platformOf(platforms[0]!),
					'another platform than was sent',
				],
			];
			reported.add(effect);
			wrong.push(...rules.flatMap(([holds, otherwise]) => (holds ? [] : [`${otherwise}: ${about}`])));
			return platforms;
		});
		if (preview && done.some((json) => json.preview !== true)) wrong.push('a preview that is none');
		if (preview || done.length < own.length || (row && mayShare) || some(done, 'skipped')) continue;
		const filesOf = one.twoFiles && /^upload/.test(operation) ? ['', 'more'] : [''];
		const wanted = CREATES_POSTS.has(operation) ? placesOf(one, settings) : filesOf;
		for (const platform of difference(wanted, covered))
			wrong.push(`item ${index}: nothing is told of ${platform || 'it'}`);
	}
	return wrong;
}

const reportedBy = ({ outputs = [] }: Run): string[] =>
	outputs.flatMap(({ json }) =>
		'error' in json || json.preview === true || json.skipped === true ? [] : String(json.idempotency_key),
	);

/** What tells a write from others by hand: where it goes, as the user gave it, and what it says but its time. */
function contentOf(effects: readonly Effect[]): string {
	// What was rejected may have had other content: an expression moves on from try to try.
	const sent = effects.find(({ result }) => result !== 'rejected') ?? effects[0]!;
	const { does, namedWorkspace, about, platforms, content } = sent;
	return [does, namedWorkspace, about, [...platforms].sort().join('+'), content].join(' | ');
}

/** Equal rows of several rounds of a press: by hand, which of them a row of the next press is can't be told. */
function unknownOf(press: Run[], before: Run[], about: string, known: number): number {
	if (before.every(({ scope }) => scope.endsWith('/0'))) return 0;
	const began = before.filter(({ requests }) => some(requests, { about }));
	const [inOne, inOneBefore] = [press, began].map((all) => max(all.map((run) => askedIn(run, about))) ?? 0);
	const presses = Object.values(groupBy(before, 'execution'));
	// One that never began comes back as a row of its own.
	const newIn = ({ items }: Run): number =>
		items.filter((item) => item.about === about && item.row !== undefined && neverBegan(item)).length;
	const inPress = max(presses.map((all) => sumBy(all, (run) => askedIn(run, about) + newIn(run)))) ?? 0;
	return Math.max(0, inOne! - inOneBefore!, inPress - known);
}

/**
 * *Execute step* pressed again, in mode `execution`: after a press in which something failed, the next one sends again
 * only what that one did not send; after successful ones that asked for all of it, everything is sent anew. A reply has one
 * key for ever.
 */
function checkPresses(one: Sequence, runs: Run[]): string[] {
	if (one.as !== 'byHand' || one.settings.mode !== 'execution' || one.operation === 'reply') return [];
	const wrong: string[] = [];
	const sentSoFar = new Map<string, Effect[]>();
	/** Keys of what failed presses sent, by API key. */
	const remembered = new Map<string, string[]>();
	for (const press of Object.values(groupBy(runs, 'execution'))) {
		const at = `step ${press[0]!.step}`;
		const { apiKey } = press[0]!.settings;
		const known = remembered.get(apiKey) ?? [];
		const requests = press.flatMap((run) => run.requests);
		const newKeys = uniq(requests.map(({ key }) => key)).filter((key) => !sentSoFar.has(key));
		const ofPress = groupBy(requests, 'key');
		const areBack = hasBack(runs, press[0]!.execution);
		for (const run of press) {
			const reported = reportedBy(run);
			if (difference([...run.requests.map(({ key }) => key), ...reported], newKeys, known).length > 0)
				wrong.push(`${at}: gives back what no failed press before it had sent`);
			const { word, additional } = run.settings;
			// A row that comes back is continued, whatever it says by then.
			const given = some(run.items, 'row') ? [] : reported;
			for (const before of given.flatMap((key) => sentSoFar.get(key)?.[0] ?? []))
				if (before.word && (Number(before.word) !== word || Number(before.note ?? 0) !== additional))
					wrong.push(`${at}: gives back other content than is asked for: ${before.content}`);
		}
		const contents = groupBy(requests, (effect) => contentOf([effect]));
		for (const [content, [effect]] of Object.entries(contents)) {
			const { does, about } = effect!;
			// What can be set back in between is sent at each press.
			if (setsState(does)) continue;
			// One upload too many posts nothing.
			if (does === UPLOAD && one.operation === 'createWithFile') continue;
			const asked = sumBy(press, (run) => askedIn(run, about));
			const isSame = (effects: Effect[]): boolean => contentOf(effects) === content;
			const givenBack = known.filter((key) => isSame(sentSoFar.get(key)!)).length;
			// A webhook's request is not kept: tried again, it may say something else, and the service refuses that.
			const isGone = (key: string): boolean => areBack && !mayBeSent(ofPress[key]!);
			const sent = newKeys.filter((key) => isSame(ofPress[key]!) && !isGone(key)).length;
			const before = runs.filter(({ execution }) => execution < press[0]!.execution);
			const owned = Math.max(0, givenBack - goneFrom(one, press, before, about));
			const unknown = unknownOf(press, before, about, givenBack);
			const most = Math.max(unknown, asked - owned) + (does === UPLOAD ? expiredIn(one) : 0);
			if (sent > most) wrong.push(`${at}: sent ${sent} times anew instead of ${most}: ${content}`);
		}
		for (const effect of requests) sentSoFar.set(effect.key, [...(sentSoFar.get(effect.key) ?? []), effect]);
		const isFailed = press.some(({ errors }) => errors.length > 0);
		const isPreview = press.every(({ items }) => items.every(({ preview }) => preview));
		const left = uniq([...newKeys, ...known]).filter((key) => mayBeSent(sentSoFar.get(key)!));
		if (isFailed) remembered.set(apiKey, left);
		// What it didn't ask for stays begun.
		else if (!isPreview) remembered.set(apiKey, difference(known, press.flatMap(reportedBy)));
	}
	return wrong;
}
