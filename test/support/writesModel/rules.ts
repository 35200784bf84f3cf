import { difference, filter, groupBy, isEqual, map, pick, reject, some, uniq, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Answer, Effect } from './effects';
import { createsPosts, isByContent, isCall, isSentEachTime, modeOf, targetsOf } from './parameters';
import type { Run } from './play';
import { OPERATIONS, UPLOAD, type Sequence, type Settings } from './sequence';

/** What is not as design.md ("Writes") and docs/idempotency.md say. */
export function check(one: Sequence, runs: Run[]): string[] {
	const journals = new Map<Run, Journal>();
	const inEachRun = runs.flatMap((run, i) => {
		const upTo = runs.slice(0, i + 1);
		const journal: Journal = new Map(run.after ? journals.get(run.after) : []);
		journals.set(run, journal);
		const wrong = [
			...checkTable(one, run, upTo, journal),
			...checkReport(one, run, upTo, journal),
			...checkErrors(one, run, upTo, journal),
		];
		return wrong.map((what) => `step ${run.step}: ${what}`);
	});
	return uniq([
		...inEachRun,
		...checkOnce(one, runs),
		...checkKeys(one, runs),
		...checkPresses(one, runs, journals),
	]);
}

type State = 'nothing' | 'inDoubt' | 'keptAsFailed' | 'succeeded';
/** What a node knows of its writes, by their keys. */
type Journal = Map<string, Entry>;
interface Entry {
	state: State;
	/** What went out first, in this state. */
	first: Effect;
	/** An attempt had no answer. */
	isUnconfirmed?: boolean;
}

/** Nobody can read what the answer is about. */
const isUnreadable = ({ fault = '' }: Effect['request']): boolean => /empty|malformed/.test(fault);

/** The table of states: what a write is after an answer; what is not named stays as it is. */
const TABLE: Record<State, Partial<Record<Answer, State>>> = {
	nothing: { done: 'succeeded', kept: 'keptAsFailed', unknown: 'inDoubt' },
	inDoubt: { done: 'succeeded', kept: 'keptAsFailed' },
	keptAsFailed: {},
	succeeded: {},
};

function after(one: Sequence, state: State, { answer, does, mode, request }: Effect): State {
	// Where only this execution has the key, or nobody can read what the conflict is about, it may be this write.
	const isOwn = (mode === 'execution' && !isByContent(one)) || isUnreadable(request);
	if (state === 'nothing' && answer === 'conflict' && isOwn) return 'inDoubt';
	// The record is gone: an attempt without an answer has deleted it.
	if (state === 'inDoubt' && answer === 'gone' && does.startsWith('DELETE')) return 'succeeded';
	return TABLE[state][answer] ?? state;
}

/** Of others nothing is kept (they hold secrets): a retry sends them again under their key. */
const isKept = ({ does }: Effect): boolean => does !== UPLOAD && does !== OPERATIONS.webhookCreate[2];

/** In doubt the same goes out again, after an answer nothing, else what the row says now. */
function againstTable({ said, word }: Effect, { state, first }: Entry, { settings }: Run): string[] {
	const isOver = state === 'succeeded' || state === 'keptAsFailed';
	const isOther = state === 'nothing' && word !== undefined && Number(word) !== settings.word;
	const rules: Array<[is: boolean, what: string]> = [
		[state === 'inDoubt' && said !== first.said, 'other than what may have been carried out'],
		[isOver, `${state}, and sent again`],
		[isOther, 'not what its row says now'],
	];
	return rules.flatMap(([is, what]) => (is ? [`${what}: ${said}`] : []));
}

/** Holds the requests of a run against the table, and writes down what the node knows after each. */
function checkTable(one: Sequence, run: Run, upTo: Run[], journal: Journal): string[] {
	if (isSentEachTime(one)) return [];
	return run.requests.flatMap((effect) => {
		const { key, label, answer } = effect;
		const known: Entry = journal.get(key) ?? { state: 'nothing', first: effect };
		journal.set(key, {
			state: after(one, known.state, effect),
			first: known.state === 'nothing' ? effect : known.first,
			isUnconfirmed: known.isUnconfirmed || answer === 'unknown',
		});
		const isOwn = isKept(effect) && !isShared(one, upTo, run.scope, label);
		return isOwn ? againstTable(effect, known, run) : [];
	});
}

/** Rows with this label that were asked for in a scope; those that come back, and those of a retry, are the same. */
const rowsIn = (runs: Run[], scope: string, label: number): string[] =>
	uniq(
		map(
			filter(
				filter(runs, { scope }).flatMap(({ rows }) => rows),
				{ label },
			),
			'row',
		),
	);

/** What makes the key is the same for all rows that say the same. */
const isKeyOfContent = (one: Sequence, runs: Run[]): boolean =>
	one.operation === 'reply' ||
	one.as === 'tool' ||
	one.as === 'callPerItem' ||
	runs.some(({ settings }) => modeOf(one, settings) !== 'execution');

const isShared = (one: Sequence, runs: Run[], scope: string, label: number): boolean =>
	isKeyOfContent(one, runs) && rowsIn(runs, scope, label).length > 1;

/** It asks for an address: whether the file went there is not seen here. */
const isOfFile = ({ operation }: Sequence, { does }: Effect): boolean =>
	does === UPLOAD && operation !== 'createUploadUrl';

/** It was carried out, or may have been, or is kept as failed. */
const leftSomething = ({ answer }: Effect): boolean => ['done', 'kept', 'unknown'].includes(answer);

/** In an execution, each row and target has one write: no other key after one that may have left something. */
function checkOnce(one: Sequence, runs: Run[]): string[] {
	if (isSentEachTime(one)) return [];
	const all = runs.flatMap(({ scope, requests }) =>
		requests.map((effect) => ({
			scope,
			effect,
			name: [scope, effect.does, effect.label, effect.target].join(' '),
		})),
	);
	return Object.entries(groupBy(all, 'name')).flatMap(([name, sent]) => {
		const { scope, effect } = sent[0]!;
		const { does, label } = effect;
		const rows = rowsIn(runs, scope, label).length;
		const isOne = one.as === 'tool' || one.as === 'callPerItem';
		// For each address that the store takes for expired, another one is asked for.
		const expired = one.steps.flatMap(({ storeFaults }) => filter(storeFaults, (name) => name === 'expired'));
		const most = (isOne ? 1 : rows) + (does === UPLOAD ? expired.length : 0);
		// In mode `execution` a refusal makes no new key either, unless its target is named otherwise by then, or the next
		// try says what an earlier press said, and goes on with that.
		const isRenamed = runs.some(({ settings: { named } }) => named !== one.settings.named);
		const mayTakeOver = one.as === 'byHand' && one.settings.texts > 1;
		const isOfRow = !isKeyOfContent(one, runs) && !isRenamed && !mayTakeOver;
		const counts = (effect: Effect): boolean => leftSomething(effect) || isOfRow;
		const keys = uniq(map(map(sent, 'effect').filter(counts), 'key')).length;
		const acted = filter(sent, 'effect.request.acted').length;
		return [
			...(keys > most ? [`${keys} keys for ${most} writes: ${name}`] : []),
			...(acted > most ? [`carried out ${acted} times instead of ${most}: ${name}`] : []),
		];
	});
}

/** A key is for one write; in the modes `content` and `custom` one write has one key in all executions. */
function checkKeys(one: Sequence, runs: Run[]): string[] {
	if (isSentEachTime(one)) return [];
	const all = runs.flatMap(({ requests }) => requests);
	const firsts = uniqBy(all, 'key');
	const other = firsts.flatMap(({ key, does, label, target }) =>
		filter(all, { key })
			.filter((effect) => !isEqual([effect.does, effect.label, effect.target], [does, label, target]))
			.map(({ said }) => `the key of ${does} ${label} ${target}: ${said}`),
	);
	const named = firsts.flatMap(({ mode, does, target, content, time, when, key }) => {
		const isReply = one.operation === 'reply' && mode === 'execution';
		if ((mode !== 'content' && !isReply) || does === UPLOAD || when === 'delay') return [];
		// Another slot is the same content.
		return { key, name: [does, target, content, when, when === 'slot' ? '' : time].join(' ') };
	});
	const several = Object.entries(groupBy(named, 'name')).flatMap(([name, keys]) =>
		keys.length > 1 ? [`${keys.length} keys for one content: ${name}`] : [],
	);
	const own = firsts
		.filter(({ mode, does }) => mode === 'custom' && does !== UPLOAD)
		.filter(({ key, label }) => !key.includes(`own-${label}-`))
		.map(({ said, key }) => `not under the user's ID: ${key} ${said}`);
	return [...other, ...several, ...own];
}

/** What was carried out under the key of an item that is told as sent, in its workspace. */
const carriedOut = (upTo: Run[], { idempotency_key: key, workspace_id: workspace }: IDataObject) =>
	upTo
		.flatMap(({ requests }) => filter(requests, { key: String(key) }))
		.filter(({ request }) => workspace === undefined || request.workspace === workspace)
		.find(
			({ request, does, answer }) => request.acted ?? (does.startsWith('DELETE') && answer === 'unknown'),
		);

/** Of a run that went on: each write of each row is reported, and what is reported as sent was sent as it is told. */
function checkReport(one: Sequence, run: Run, upTo: Run[], journal: Journal): string[] {
	const { outputs = [], rows } = run;
	const isPreview = one.steps[run.step]!.preview;
	if (isPreview)
		return [
			...run.requests.map(({ said }) => `a preview sent ${said}`),
			...outputs.flatMap(({ json }) => (json.preview || json.error ? [] : ['a preview that is none'])),
		];
	const wrong: string[] = [];
	const reported = new Set<string>();
	for (const { item, json } of outputs.filter(({ json }) => !json.error)) {
		const { label } = rows[item]!;
		const effect = carriedOut(upTo, json);
		const isBefore = json.sent_before === true;
		const isOfMany = isShared(one, upTo, run.scope, label);
		const rules: Array<[holds: boolean, otherwise: string]> = [
			[effect !== undefined, 'reported as sent, but it was not'],
			...(effect ? ofEffect(effect) : []),
		];
		function ofEffect({ key, target, text, label: sent }: Effect): typeof rules {
			const { state = 'nothing' } = journal.get(key) ?? {};
			// What this execution left nothing of, such as after a conflict, an earlier press has sent.
			const isEarlier = one.as === 'byHand' && state === 'nothing';
			const isKnown = isBefore || isOfMany || isSentEachTime(one) || isEarlier || state === 'succeeded';
			return [
				[isKnown, 'reported as sent, but it is not confirmed'],
				[sent === label, 'another row than was sent'],
				[!target || json.platform === target.replace('x2', 'x'), 'another platform than was sent'],
				[text === undefined || isBefore || json.text === text, 'another text than was sent'],
				[!isBefore || isKeyOfContent(one, upTo) || isCall(one), 'called sent before'],
				[isOfMany || !reported.has(key), 'reported by two rows'],
			];
		}
		reported.add(effect?.key ?? '');
		for (const [holds, otherwise] of rules)
			if (!holds) wrong.push(`${otherwise}: ${JSON.stringify(json).slice(0, 300)}`);
	}
	if (run.outputs) for (const [index] of rows.entries()) wrong.push(...checkRow(one, upTo, index));
	return wrong;
}

/** Each row is told of: one error item, or all that it was to send. */
function checkRow(one: Sequence, upTo: Run[], index: number): string[] {
	const run = upTo.at(-1)!;
	const { row, back } = run.rows[index]!;
	const own = map(filter(run.outputs, { item: index }), 'json');
	const failed = filter(own, 'error').length;
	if (failed > 0) return failed > 1 ? [`row ${index} has ${failed} error items`] : [];
	// What came out of a row before it came back needn't come out again.
	const earlier = upTo.flatMap(({ rows, outputs = [] }) =>
		outputs.flatMap(({ item, json }) => (rows[item]!.row === row && !json.error ? [json] : [])),
	);
	const told = (back ? earlier : own).map((json) => carriedOut(upTo, json)?.target);
	const wanted = createsPosts(one.operation) ? targetsOf(one, run.settings) : told.slice(0, 1);
	const missing = told.length === 0 ? ['it'] : difference<unknown>(wanted, told);
	return missing.map((target) => `row ${index}: nothing is told of ${target}`);
}

const SAYS_NOTHING = /nothing was sent(?! again| twice)/i;
const SAYS_DOUBT = /not confirmed/i;

/** A run and those whose journal it was handed. */
const lineOf = (run: Run): Run[] => [run, ...(run.after ? lineOf(run.after) : [])];

/** What errors say of what was sent, as far as the node can know it; and that there is a reason for each. */
function checkErrors(one: Sequence, run: Run, upTo: Run[], journal: Journal): string[] {
	const isReason = hasReason(one, run, journal);
	const leftBy = (runs: Run[]): Effect[] =>
		runs
			.flatMap(({ requests }) => requests)
			.filter((effect) => leftSomething(effect) && !isOfFile(one, effect));
	const isByHand = one.as === 'byHand';
	const line = one.as === 'tool' || isByHand ? [run] : lineOf(run);
	const known = leftBy(line);
	const hadConflict = some(map(line, 'requests').flat(), { answer: 'conflict' });
	// A press may go on with what an earlier one has sent.
	const mayKnow = isByHand && leftBy(upTo).length > 0;
	const wasLost = (key: unknown): boolean =>
		upTo
			.flatMap(({ requests }) => filter(requests, { key: String(key) }))
			.some(({ answer, request }) => answer === 'unknown' || isUnreadable(request));
	return run.errors.flatMap((told) => {
		const { item, text, failures } = told;
		const { label = undefined } = item === undefined ? {} : run.rows[item]!;
		// Of a model's calls each speaks for itself; which of equal ones has sent what, nobody knows.
		if (label !== undefined && isShared(one, upTo, run.scope, label)) return [];
		const sent = known.filter((effect) => one.as !== 'tool' || effect.label === label);
		const isUnsure = SAYS_DOUBT.test(text) || hadConflict;
		const isWhole = item === undefined && !mayKnow && one.operation !== 'upload';
		const mustSay = isWhole && sent.length === 0 && !isUnsure;
		const wrong: Array<readonly [is: boolean, what: string]> = [
			[SAYS_NOTHING.test(text) && sent.length > 0, 'says that nothing was sent'],
			[mustSay && !/nothing (more )?was sent/i.test(text), "doesn't say that nothing was sent"],
			[!isReason, 'an error without a reason'],
			...failures.flatMap(({ idempotency_key: key, message }) => {
				const { state = 'nothing', isUnconfirmed = false, first } = journal.get(String(key)) ?? {};
				const saysDoubt = SAYS_DOUBT.test(String(message));
				if (!first || !isKept(first) || isShared(one, upTo, run.scope, first.label)) return [];
				return [
					[state === 'inDoubt' && isUnconfirmed && !saysDoubt, "doesn't say that it is not confirmed"],
					[saysDoubt && state === 'nothing' && !wasLost(key), 'says that it is not confirmed'],
					[state === 'succeeded', 'fails, and was sent'],
				] as const;
			}),
		];
		return wrong.flatMap(([is, what]) => (is ? [`${what}: ${text} ${JSON.stringify(failures)}`] : []));
	});
}

/** A node that refuses everything keeps the other rules, too. */
function hasReason(one: Sequence, { step, settings, requests, rows }: Run, journal: Journal): boolean {
	const { offline, filesGone, storeFaults } = one.steps[step]!;
	return (
		offline ||
		filesGone ||
		storeFaults.length > 0 ||
		settings.isEmpty ||
		some(rows, 'isDivided') ||
		// Rows with one ID that say something else.
		(settings.mode === 'custom' && uniqBy(rows, 'label').length < rows.length) ||
		requests.some(({ answer }) => answer !== 'done') ||
		some([...journal.values()], { state: 'keptAsFailed' })
	);
}

/** What a press by hand remembers of earlier ones. */
interface Remembered {
	first: Effect;
	/** The input item of its row. */
	number: number;
	settings: Settings;
}

/**
 * *Execute step*: after a press in which a row failed, the next one doesn't send again an unchanged row that says the same;
 * one without a failed row ends that.
 */
function checkPresses(one: Sequence, runs: Run[], journals: Map<Run, Journal>): string[] {
	if (one.as !== 'byHand' || one.settings.mode !== 'execution') return [];
	if (isSentEachTime(one) || one.operation === 'reply' || UPLOAD === OPERATIONS[one.operation][2]) return [];
	const wrong: string[] = [];
	const known = new Set<string>();
	let memory: Remembered[] = [];
	for (const run of runs.filter(({ step }) => !one.steps[step]!.preview)) {
		const { settings, rows, step } = run;
		const requests = run.requests.filter(({ does }) => does !== UPLOAD);
		const numberOf = (label: number): number => rows.find((row) => row.label === label)!.number;
		const begun = memory.filter(
			({ first, number }) =>
				journals.get(run.after!)?.get(first.key)?.state !== 'keptAsFailed' &&
				some(rows, { label: first.label, number }),
		);
		const says = (names: Array<keyof Settings>) => (one: Remembered) =>
			isEqual(pick(one.settings, names), pick(settings, names));
		// Whatever the word is, an empty text is the same.
		const mayBe = begun.filter((each) =>
			says(each.first.word === undefined ? ['workspace'] : ['word', 'workspace'])(each),
		);
		const told = map(reject(run.outputs, 'json.error'), 'json.idempotency_key').map(String);
		for (const key of uniq([...map(requests, 'key'), ...told]))
			if (known.has(key) && !some(mayBe, { first: { key } }))
				wrong.push(`step ${step}: not of an unchanged row: ${key}`);
		const fresh = uniqBy(
			requests.filter((effect) => leftSomething(effect) && !known.has(effect.key)),
			'key',
		);
		const mustBe = begun.filter(says(['word', 'workspace', 'named', 'texts', 'isEmpty']));
		for (const [name, all] of Object.entries(groupBy(fresh, ({ label, target }) => `${label} ${target}`))) {
			const { label, target } = all[0]!;
			const same = mustBe.filter(({ first }) => first.label === label && first.target === target);
			const most = Math.max(0, filter(rows, { label }).length - same.length);
			if (settings.texts === 1 && all.length > most)
				wrong.push(`step ${step}: sent ${all.length} times anew instead of ${most}: ${name}`);
		}
		for (const { key } of requests) known.add(key);
		const added = fresh.map((first) => ({ first, number: numberOf(first.label), settings }));
		memory = run.errors.length > 0 ? [...memory, ...added] : [];
	}
	return wrong;
}
