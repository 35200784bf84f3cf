import groupBy from 'lodash/groupBy';

import { DOES, mayBeSent, UPLOAD, type Effect } from './effects';
import type { Run } from './play';
import type { Sequence } from './sequence';

/** A write of a failed press that the next one gives back. */
interface Remembered {
	key: string;
	content: string;
	apiKey: string;
	/** Another API key was used since: it may be forgotten. */
	isOptional: boolean;
}

/** What tells a write from others by hand: where it goes, as the user gave it, and what it says but its time. */
const contentOf = ({ does, namedWorkspace, about, platforms, content }: Effect): string =>
	[does, namedWorkspace, about, [...platforms].sort().join('+'), content].join(' | ');

/** What was rejected may have had other content: an expression moves on from try to try. */
function entryOf(effects: Effect[], apiKey: string): Remembered {
	const sent = effects.find(({ result }) => result !== 'rejected') ?? effects[0]!;
	return { key: sent.key, content: contentOf(sent), apiKey, isOptional: false };
}

/**
 * *Execute step* pressed again, in mode `execution`: after a press in which something failed, the next one sends again
 * only what that one did not send; after one without a failure everything is sent anew. A reply has one key for ever.
 */
export function checkPresses(one: Sequence, runs: Run[]): string[] {
	if (one.as !== 'byHand' || one.settings.mode !== 'execution' || one.operation === 'reply') return [];
	const violations: string[] = [];
	const expired = one.steps
		.flatMap(({ storeFaults }) => storeFaults)
		.filter((name) => name === 'expired').length;
	const byKey = new Map<string, Effect[]>();
	let memory: Remembered[] = [];

	for (const press of Object.values(groupBy(runs, ({ execution }) => execution))) {
		const { apiKey } = press[0]!.settings;
		const at = `step ${press[0]!.step}`;
		const known = memory.filter((entry) => entry.apiKey === apiKey);
		const usable = new Set(known.map(({ key }) => key));
		const requests = press.flatMap((run) => run.requests);
		const byRequestKey = groupBy(requests, ({ key }) => key);
		const newKeys = new Set(requests.map(({ key }) => key).filter((key) => !byKey.has(key)));
		const outputs = press.flatMap((run) => run.outputs ?? []);
		const reported = outputs.flatMap(({ json }) =>
			'error' in json || json.preview === true ? [] : [String(json.idempotency_key)],
		);

		for (const key of new Set([...requests.map((effect) => effect.key), ...reported]))
			if (!newKeys.has(key) && !usable.has(key))
				violations.push(`${at}: gives back what no failed press before it had sent`);
		for (const [content, effects] of Object.entries(groupBy(requests, contentOf))) {
			const { does, about } = effects[0]!;
			// One upload too many posts nothing.
			if (does === UPLOAD && one.operation === 'createWithFile') continue;
			const isUpload = does === UPLOAD && one.operation === 'upload';
			const asked = press.flatMap(({ items }) =>
				items.filter((each) => !each.preview && each.about === about),
			).length;
			const isEntry = (entry: Remembered): boolean => entry.content === content && !entry.isOptional;
			const givenBack = Math.min(asked, known.filter(isEntry).length);
			// A webhook's request is not kept: tried again, it may say something else, and the service refuses that.
			const wentOut = ({ key }: Effect): boolean =>
				newKeys.has(key) && entryOf(byRequestKey[key]!, apiKey).content === content;
			const sent = new Set(effects.filter(wentOut).map(({ key }) => key)).size;
			const most = asked - givenBack + (isUpload ? expired : 0);
			if (sent > most) violations.push(`${at}: sent ${sent} times anew instead of ${most}: ${content}`);
		}
		violations.push(...checkContents(press, byKey, reported, at));

		for (const effect of requests) byKey.set(effect.key, [...(byKey.get(effect.key) ?? []), effect]);
		const isFailed = press.some(({ errors }) => errors.length > 0);
		const isPreview = press.every(({ items }) => items.every(({ preview }) => preview));
		const others = memory.filter((entry) => entry.apiKey !== apiKey);
		for (const entry of others) entry.isOptional = true;
		if (isPreview && !isFailed) continue;
		const own = isFailed
			? [...new Set([...newKeys, ...usable])]
					.map((key) => byKey.get(key)!)
					.filter(mayBeSent)
					.map((effects) => entryOf(effects, apiKey))
			: [];
		memory = [...others, ...own];
	}
	return violations;
}

/** What is given back has the content that is asked for now. */
function checkContents(press: Run[], byKey: Map<string, Effect[]>, reported: string[], at: string): string[] {
	const words = new Set(press.map(({ settings }) => settings.word));
	const notes = new Set(press.map(({ settings }) => settings.additional));
	return reported.flatMap((key) => {
		const before = byKey.get(key)?.[0];
		if (!before) return [];
		const word = /word (\d)/.exec(before.content)?.[1];
		const note = /"note":(\d)/.exec(before.content)?.[1] ?? '0';
		const hasNote = [DOES.create, DOES.update, DOES.webhookCreate].includes(before.does);
		const isAsked = (word === undefined || words.has(Number(word))) && (!hasNote || notes.has(Number(note)));
		return isAsked ? [] : [`${at}: gives back other content than is asked for: ${before.content}`];
	});
}
