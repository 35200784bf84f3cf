import difference from 'lodash/difference';
import xor from 'lodash/xor';

import { DOES, isAlone, mayBeSent, sentWrites, type Effect } from './effects';
import { CREATES_POSTS } from './parameters';
import type { Run } from './play';
import type { Sequence, Settings } from './sequence';

/** Platforms of a Quick Start post that have no text and no field of their own, and so share a request. */
const sharing = ({ platforms, ownText, ownField }: Settings): string[] =>
	difference(platforms, ownText ? ['linkedin', 'instagram'] : ownField ? ['linkedin'] : []);

/** The accounts of another workspace have other IDs. */
const isNamedById = ({ postTo, isTwice }: Settings): boolean =>
	['ids', 'entries'].includes(postTo) || isTwice;

/**
 * Retries with a journal that have to be refused, since nobody can tell whether they ask for what was sent: Quick Start
 * platforms other than those that share a request which may have been sent, and no workspace where one was named, or
 * the other way round. Looked at where an item is the only one of its kind and all is in mode `execution`.
 */
export function checkRefusals(one: Sequence, runs: Run[]): string[] {
	const forgets = one.steps.some(({ crash, how }) => crash || how === 'retryFirst');
	if (one.as !== 'node' || one.operation === 'reply' || forgets) return [];
	return runs.flatMap((run, index) => {
		const earlier = runs.slice(0, index).filter(({ scope }) => scope === run.scope);
		const tries = [...earlier, run];
		if (tries.some(({ settings }) => settings.mode !== 'execution')) return [];
		if (tries.some(({ operation }) => operation !== run.operation)) return [];
		if (CREATES_POSTS.has(run.operation) && tries.some(({ settings }) => isOtherName(settings, run.settings)))
			return [];
		return run.items.flatMap(({ about, preview }, item) => {
			if (!isAlone(about, tries) || preview) return [];
			const requests = run.requests.filter((effect) => effect.about === about);
			const outputs = run.outputs?.filter((output) => output.item === item) ?? [];
			const isRefused = requests.length === 0 && outputs.every(({ json }) => 'error' in json);
			const why = whyRefused(one, run, earlier, about);
			return why && !isRefused ? [`step ${run.step}, item ${item}: not refused: ${why}`] : [];
		});
	});
}

/** Whether it names the same accounts otherwise, or by what another workspace calls otherwise. */
const isOtherName = (before: Settings, now: Settings): boolean =>
	before.postTo !== now.postTo || (isNamedById(now) && before.workspace !== now.workspace);

/** Why nothing of an item may go out. */
function whyRefused(one: Sequence, run: Run, earlier: Run[], about: string): string | undefined {
	const does = DOES[run.operation];
	const { settings } = run;
	const effects = earlier.flatMap(({ requests }) =>
		requests.filter((effect) => effect.about === about && effect.does === does),
	);
	// A request that was certainly refused may have had the same key, in another workspace.
	const sent = sentWrites(effects).map((group) => group.find((effect) => mayBeSent([effect])) ?? group[0]!);
	const elsewhere = sent.find((effect) => (effect.namedWorkspace === '') !== (settings.workspace === ''));
	const platforms: readonly string[] = CREATES_POSTS.has(run.operation) ? settings.platforms : [''];
	const isAllElsewhere = platforms.every((platform) =>
		sent.some(
			(effect) =>
				effect.platforms.includes(platform) && (effect.namedWorkspace === '') !== (settings.workspace === ''),
		),
	);
	const isHere = sent.some(({ namedWorkspace }) => namedWorkspace === settings.workspace);
	if (elsewhere && isAllElsewhere && !isHere)
		return `'${settings.workspace}' after '${elsewhere.namedWorkspace}'`;
	const shared = sent.find((effect) => isSharedRequest(one, effect, settings, earlier));
	const now = sharing(settings);
	return shared && shared.namedWorkspace === settings.workspace && xor(shared.platforms, now).length > 0
		? `platforms ${now.join(', ')} after ${shared.platforms.join(', ')}`
		: undefined;
}

/** A request of Quick Start platforms without a text of their own, as the item has them now, too. */
function isSharedRequest(one: Sequence, { platforms }: Effect, settings: Settings, earlier: Run[]): boolean {
	const isSame = earlier.every(
		(run) =>
			run.settings.format === 'quickStart' &&
			run.settings.ownText === settings.ownText &&
			run.settings.ownField === settings.ownField,
	);
	return (
		CREATES_POSTS.has(one.operation) &&
		settings.postTo === 'platforms' &&
		settings.format === 'quickStart' &&
		isSame &&
		sharing(settings).length > 0 &&
		platforms.some((platform) => sharing(settings).includes(platform))
	);
}
