import countBy from 'lodash/countBy';
import groupBy from 'lodash/groupBy';
import sum from 'lodash/sum';
import sumBy from 'lodash/sumBy';
import type { IDataObject } from 'n8n-workflow';

import { checkCalls } from './checkCalls';
import { checkPresses } from './checkPresses';
import { checkRefusals } from './checkRefusals';
import { checkTold } from './checkTold';
import { DOES, sentWrites, UPLOAD, type Effect } from './effects';
import { CREATES_POSTS, isCall } from './parameters';
import type { Run } from './play';
import type { Sequence } from './sequence';

/** What is not as the three rules of docs/idempotency.md say. */
export function check(one: Sequence, runs: Run[]): string[] {
	const violations = [
		...checkHints(one, runs),
		...runs.flatMap((run) => checkReport(one, run, runs)),
		...checkOnce(one, runs),
		...checkAcrossExecutions(runs),
		...checkRefusals(one, runs),
		...checkCalls(one, runs),
		...checkPresses(one, runs),
		...checkMostPosts(one, runs),
		...checkTold(one, runs),
	];
	return [...new Set(violations)];
}

const succeeded = ({ outputs = [] }: Run): boolean => outputs.some(({ json }) => !('error' in json));

function checkHints({ as, token }: Sequence, runs: Run[]): string[] {
	return runs.flatMap((run) => {
		const isHinted = run.hints.some((hint) => /Same Text and Time/.test(hint));
		const isDue = as === 'node' && succeeded(run) && run.cannotMatchOriginal;
		if (isDue && !isHinted && run.requests.length > 0)
			return [`step ${run.step}: a retry without a journal gives no hint`];
		return isHinted && token ? [`step ${run.step}: a hint that says nothing`] : [];
	});
}

/** By reply the inbox item and the text tell, whichever item asks for it. */
const isByContent = (one: Sequence): boolean => isCall(one) || one.operation === 'reply';

/** A call that changes something is sent each time; in the other modes the key is the user's choice. */
const isSentEachTime = (one: Sequence, { does, mode }: Effect): boolean =>
	isCall(one) && mode === 'execution' && /^(update|delete|\/posts\/cancel) /.test(does);

/** Rule 1, at the service: no write more often than it was asked for. */
function checkOnce(one: Sequence, runs: Run[]): string[] {
	const violations: string[] = [];
	const expired = one.steps
		.flatMap(({ storeFaults }) => storeFaults)
		.filter((name) => name === 'expired').length;
	const writes = new Map<
		string,
		{ asked: Record<string, number>; again: number; tags: Set<number>; effects: Effect[] }
	>();
	for (const run of runs) {
		const seen = new Map<string, Effect>();
		for (const effect of run.requests)
			for (const platform of effect.platforms) {
				if (isSentEachTime(one, effect)) continue;
				const { does, apiKey, workspace, about } = effect;
				const content = isByContent(one) ? effect.content : '';
				const name = [run.scope, does, apiKey, workspace, about, platform, content].join(' | ');
				const write = writes.get(name) ?? { asked: {}, again: 0, tags: new Set(), effects: [] };
				writes.set(name, write);
				write.effects.push(effect);
				if (run.settings.mode === 'custom') write.tags.add(run.settings.customTag);
				seen.set(name, effect);
			}
		const items = run.items.filter(({ preview }) => !preview);
		for (const [name, { does, about }] of seen) {
			const write = writes.get(name)!;
			const isUpload = does === UPLOAD && run.operation !== 'createUploadUrl';
			const asking = items.filter(
				(each) => each.about === about || (isUpload && about === `file-${each.file}.png`),
			);
			// Items with one file are several. Of a model's calls the content tells, and in mode `custom` the ID, one for a label.
			const isByLabel = one.as !== 'tool' || run.settings.mode === 'custom';
			const counts = countBy(asking, ({ label }) => (isByLabel ? label : 0));
			for (const [label, count] of Object.entries(counts))
				write.asked[label] = Math.max(write.asked[label] ?? 0, one.as === 'tool' ? 1 : count);
			// For each address that the store takes for expired another one is asked for.
			if (isUpload) write.again = expired;
		}
	}
	for (const [name, { asked, again, tags, effects }] of writes) {
		const most = Math.max(1, sum(Object.values(asked)) + again) * Math.max(1, tags.size);
		const done = effects.filter(({ request }) => request.acted);
		if (done.length > most) violations.push(`carried out ${done.length} times instead of ${most}: ${name}`);
		// As the sender sees it: after what may have been carried out, no other key.
		if (most > 1) continue;
		const first = effects.findIndex(({ result }) => result !== 'rejected');
		if (first >= 0 && effects.slice(first).some(({ key }) => key !== effects[first]!.key))
			violations.push(`another key after a request that may have been carried out: ${name}`);
	}
	return violations;
}

/** In the modes `content` and `custom` a post is sent once, however many executions ask for it, and with which others. */
function checkAcrossExecutions(runs: Run[]): string[] {
	const firstModes = new Map<string, string>();
	const done = new Map<string, number>();
	for (const effect of runs.flatMap(({ requests }) => requests)) {
		const { key, mode, does, apiKey, workspace, namedWorkspace, platforms, account } = effect;
		if (!firstModes.has(key)) firstModes.set(key, mode);
		if (!effect.request.acted || does !== DOES.create || firstModes.get(key) !== mode) continue;
		if (mode === 'execution') continue;
		const said = [namedWorkspace, effect.content, effect.time];
		const own = /^own-\d+-\d+/.exec(key)?.[0] ?? key;
		for (const platform of platforms) {
			const which = mode === 'content' ? said : [workspace, own];
			const name = [mode, apiKey, platform, account, ...which].join(' | ');
			done.set(name, (done.get(name) ?? 0) + 1);
		}
	}
	return [...done]
		.filter(([, count]) => count > 1)
		.map(([name, count]) => `carried out ${count} times over all executions: ${name}`);
}

/**
 * Option *Max Posts per Execution*: what may have been sent, in all rounds, tries and calls, and nothing else. An error says
 * so only where it is so.
 */
function checkMostPosts(one: Sequence, runs: Run[]): string[] {
	const forgets = one.steps.some(({ crash, how }) => crash || how === 'retryFirst');
	if (one.mostPosts === 0 || one.as === 'subWorkflow' || forgets) return [];
	const byExecution = Object.values(groupBy(runs, ({ execution }) => execution));
	return byExecution.flatMap((tries) =>
		tries.flatMap((run, index) => {
			const sent = postsIn(tries.slice(0, index + 1));
			if (sent > one.mostPosts) return [`${sent} posts sent, most are ${one.mostPosts}`];
			const isRefused = run.outputs?.some(({ json }) =>
				/MOST_POSTS|MAX_POSTS/.test(String((json.error as IDataObject | undefined)?.code)),
			);
			const asked = run.items.filter(({ preview }) => !preview).length * run.settings.platforms.length;
			// What a try before has sent is not asked for anew; here only first tries are looked at.
			const isFirst = tries.slice(0, index).every(({ scope }) => scope !== run.scope);
			return isRefused && isFirst && postsIn(tries.slice(0, index)) + asked <= one.mostPosts
				? [`step ${run.step}: refused though ${one.mostPosts} posts are allowed`]
				: [];
		}),
	);
}

function postsIn(runs: Run[]): number {
	const posts = runs.flatMap(({ requests }) => requests.filter(({ does }) => does === DOES.create));
	return sumBy(sentWrites(posts), ([effect]) => effect!.platforms.length);
}

/** Rules 2 and 3 of a run that did not fail: each write is there, each that is called succeeded was sent as it is told. */
function checkReport(one: Sequence, run: Run, runs: Run[]): string[] {
	const violations: string[] = [];
	if (!run.outputs) return violations;
	const { operation, settings } = run;
	const acted = runs
		.slice(0, runs.indexOf(run) + 1)
		// A deletion whose answer was lost counts as done once the record is gone.
		.flatMap(({ requests }) =>
			requests.filter(({ request, does, result }) =>
				does.startsWith('delete ') ? request.acted || result === 'inDoubt' : request.acted,
			),
		);
	const wanted = CREATES_POSTS.has(operation) ? settings.platforms : [''];
	const reported = new Map<Effect, string>();
	for (const [index, { about, preview }] of run.items.entries()) {
		const outputs = run.outputs.filter(({ item }) => item === index);
		const at = `step ${run.step}, item ${index}`;
		if (preview) {
			if (outputs.some(({ json }) => !('error' in json) && json.preview !== true))
				violations.push(`${at}: a preview that is none`);
			continue;
		}
		const covered = new Set<string>();
		for (const { json } of outputs) {
			if ('error' in json) continue;
			const effect = acted.find(
				(candidate) =>
					candidate.key === String(json.idempotency_key) &&
					candidate.does === DOES[operation] &&
					candidate.workspace === (settings.workspace || 'ws_main') &&
					candidate.apiKey === settings.apiKey &&
					candidate.about === about,
			);
			if (!effect) {
				violations.push(`${at}: reported as succeeded, but not sent: ${JSON.stringify(json).slice(0, 200)}`);
				continue;
			}
			for (const platform of effect.platforms) covered.add(platform);
			const other = reported.get(effect);
			// In the other modes equal items are one post, and remain one when the mode is changed.
			const isShared =
				[settings.mode, effect.mode].some((mode) => mode !== 'execution') ||
				one.as === 'tool' ||
				operation === 'reply';
			if (other !== undefined && !isShared) violations.push(`${at}: reported by ${other}, too`);
			reported.set(effect, at);
			const body = JSON.parse(effect.content);
			if (effect.time !== undefined && Date.parse(String(json.scheduled_at)) !== Date.parse(effect.time))
				violations.push(`${at}: another time than was sent`);
			const words = typeof body.content === 'string' ? body.content : body.content?.text;
			if (words !== undefined && json.text !== words) violations.push(`${at}: another text than was sent`);
			if (effect.platforms.length === 1 && effect.platforms[0] !== '')
				if (json.platform !== effect.platforms[0]) violations.push(`${at}: another platform than was sent`);
		}
		if (outputs.some(({ json }) => 'error' in json)) continue;
		for (const platform of wanted)
			if (!covered.has(platform)) violations.push(`${at}: nothing is told of ${platform || 'it'}`);
	}
	for (const { about, platforms } of run.requests) {
		const isAsked = run.items.some(
			(each) => !each.preview && (each.about === about || about === `file-${each.file}.png` || about === ''),
		);
		if (!isAsked) violations.push(`step ${run.step}: a preview sent ${about} to ${platforms.join(', ')}`);
	}
	return violations;
}
