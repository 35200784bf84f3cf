import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { inMemory, type Binaries } from '../binaries';
import {
	OPERATIONS,
	type InputItem,
	type Operation,
	type Sequence,
	type Settings,
	type Step,
} from './sequence';
import { INBOX, type World } from './world';

/** The node's parameters and input items, as a sequence has them. */

/** The node is called, by a model or by another workflow: n8n gives it no place that tells calls apart. */
export const isCall = ({ as }: Sequence): boolean => as === 'tool' || as === 'subWorkflow';

/** Only the content tells its writes apart; by reply the inbox item and the text, whichever item asks for it. */
export const isByContent = (one: Sequence): boolean => isCall(one) || one.operation === 'reply';

export const ON_POSTS = new Set<Operation>(['update', 'cancel', 'delete']);
const WITH_FILE = new Set<Operation>(['createWithFile', 'upload', 'uploadDirect']);
export const CREATES_POSTS = new Set<Operation>(['create', 'createWithFile']);

/** A text that is another one each time it is evaluated, in a circle of `texts`. */
const text = ({ word, texts: circle }: Settings, filler: number, name = '', isEmpty = false): string =>
	`={{ ${isEmpty ? "$json.label === 0 ? '' : " : ''}'item-' + $json.label + '. ${name} word ${word}, ' + ($vars.tick % ${circle}) + '${'.'.repeat(filler)}' }}`;

const START = '2126-01-01T10:00:00Z';
const PAST = '2020-01-01T10:00:00Z';
const MOVING = `={{ DateTime.fromISO('${START}').plus({ minutes: $vars.tick }).toUTC().toISO() }}`;

const schedules: Record<Settings['when'], IDataObject> = {
	delay: { when: 'delay', delayAmount: 1, delayUnit: 'days' },
	now: { when: 'now' },
	slot: {
		when: 'nextSlot',
		slotDays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
		slotTimes: '09:00',
	},
	at: { when: 'at', scheduledAt: START },
	moving: { when: 'at', scheduledAt: MOVING },
	column: { when: 'at', scheduledAt: '={{ $json.day }}' },
};

/** What others call an account that is connected anew; see `World.reconnect`. */
const account: Record<Settings['postTo'], (which: string, id: string) => string> = {
	platforms: (which) => which,
	entries: (which, id) => `${platformOf(which)}:${id}`,
	handleEntries: (which) => `${platformOf(which)}:@bakery_${which}`,
	ids: (_which, id) => id,
	names: (which) => `Bakery ${which}`,
	handles: (which) => `@bakery_${which}`,
};

/** The second account of X stands among platforms as one more. */
export const SECOND = 'x2';
export const platformOf = (which: string): string => (which === SECOND ? 'x' : which);
export const placesOf = ({ twoAccounts }: Sequence, { platforms }: Settings): string[] =>
	platforms.flatMap((platform) => (twoAccounts && platform === 'x' ? [platform, SECOND] : platform));

function targetsOf(one: Sequence, settings: Settings): IDataObject {
	const { postTo, isTwice, workspace } = settings;
	const places = placesOf(one, settings);
	const idOf = (which: string) => `acc_${workspace === 'ws_second' ? 'second' : 'main'}_${which}`;
	const isByPlatform = ['platforms', 'entries', 'handleEntries'].includes(postTo);
	const again = account[isByPlatform ? 'entries' : 'ids'];
	// Of two accounts the platform alone names none.
	const as = (which: string) =>
		one.twoAccounts && postTo === 'platforms' && platformOf(which) === 'x' ? 'entries' : postTo;
	const names = [
		...places.map((which) => account[as(which)](which, idOf(which))),
		...places.slice(0, isTwice ? 1 : 0).map((which) => again(which, idOf(which))),
	];
	return { platforms: names };
}

/** What is in force for a row: where options are expressions, label 2 has another workspace, label 1 *My Own ID*. */
export function ofRow(
	one: Sequence,
	settings: Settings,
	about: string,
): Pick<Settings, 'mode' | 'workspace' | 'ifPast'> {
	const { mode, workspace, ifPast } = settings;
	const isLabel = (label: number): boolean => one.byRow && about.startsWith(`item-${label}`);
	return {
		mode: isLabel(1) ? 'custom' : mode,
		workspace: isLabel(2) ? 'ws_second' : workspace || (one.byRow ? 'ws_main' : ''),
		ifPast: isLabel(2) ? 'publish' : ifPast,
	};
}

/** An expression that is one value for a label, and another for the others. */
const forLabel = (label: number, value: string | number, otherwise: string | number): string =>
	`={{ $json.label === ${label} ? ${JSON.stringify(value)} : ${JSON.stringify(otherwise)} }}`;

/** What a single execution has besides. */
export type Once = Partial<Pick<Step, 'previewOnly'>>;

export function parametersOf(
	one: Sequence,
	settings: Settings,
	operation: Operation,
	{ previewOnly }: Once,
): IDataObject {
	const [resource, name] = OPERATIONS[operation];
	const createsPosts = CREATES_POSTS.has(operation);
	const body = createsPosts || ['update', 'reply', 'webhookCreate'].includes(operation);
	const ownId = `={{ 'own-' + $json.label + '-${settings.customTag}' }}`;
	const options: IDataObject = {
		maxRetryWait: one.rateLimitTimeout,
		preview: previewOnly ? 'rows' : "={{ $json.preview ? 'rows' : 'off' }}",
		...(settings.workspace ? { workspaceId: settings.workspace } : {}),
		avoidDuplicates: { by: { mode: settings.mode, id: ownId } },
		...(body && settings.additional > 0
			? { apiFields: { field: [{ name: 'note', value: settings.additional }] } }
			: {}),
		...(createsPosts && one.maxPosts > 0 ? { maxPosts: one.maxPosts } : {}),
		...(createsPosts && settings.ifPast !== 'fail' ? { ifPast: settings.ifPast } : {}),
		...(createsPosts && settings.wait && settings.when === 'now' ? { waitForPublication: 60 } : {}),
	};
	if (one.byRow)
		Object.assign(options, {
			workspaceId: forLabel(2, 'ws_second', settings.workspace || 'ws_main'),
			avoidDuplicates: { by: { mode: forLabel(1, 'custom', settings.mode), id: ownId } },
			maxRetryWait: forLabel(0, 0, one.rateLimitTimeout),
			ifPast: forLabel(2, 'publish', settings.ifPast),
			...(one.maxPosts > 0 ? { maxPosts: forLabel(2, 0, one.maxPosts) } : {}),
		});
	const words = text(settings, one.filler);
	const files: IDataObject =
		one.files === 'remote'
			? { mediaFrom: 'url', mediaUrls: `={{ $json.url${one.twoFiles ? " + ', ' + $json.more" : ''} }}` }
			: { mediaFrom: 'binary', binaryFields: fields(one) };
	const create: IDataObject = {
		...targetsOf(one, settings),
		text: operation === 'create' ? text(settings, one.filler, '', settings.isEmpty) : words,
		...schedules[settings.when],
	};
	const all: Partial<Record<Operation, IDataObject>> = {
		create,
		createWithFile: { ...create, ...files },
		update: { updateFields: { text: words } },
		reply: { inboxItemId: '={{ $json.inbox }}', text: words },
		webhookCreate: {
			url: '={{ "https://example.com/item-" + $json.label }}',
			events: ['post.published'],
			description: text(settings, 0),
		},
		webhookDelete: { webhookId: '={{ $json.webhook }}' },
		upload: files,
		uploadDirect: { binaryFields: fields(one) },
		createUploadUrl: { fileName: '={{ $json.file }}', contentType: 'image/png', size: 9 },
	};
	const isChosen = ({ platform }: { platform: string }) =>
		(settings.platforms as readonly string[]).includes(platform);
	if (settings.ownText && createsPosts)
		options.platformText = {
			texts: [
				{ platform: 'linkedin', text: text(settings, one.filler) },
				{ platform: 'instagram', text: text(settings, one.filler, 'gram') },
			].filter(isChosen),
		};
	if (settings.ownField && createsPosts)
		options.platformFields = {
			fields: [{ platform: 'linkedin', fields: '{"own": 1}' }].filter(isChosen),
		};
	const target = ON_POSTS.has(operation) ? { postId: '={{ $json.post }}' } : {};
	return { resource, operation: name, ...target, ...all[operation], options };
}

const fields = ({ twoFiles }: Sequence): string => (twoFiles ? 'data, more' : 'data');
/** The name of an item's second file, by that of its first. */
export const another = (name: string): string => name.replace('.png', '-more.png');
export const anotherBytes = ({ file }: InputItem): Buffer => Buffer.from(`more-${file}!`);

/** Files of items with other labels have other names, though the same bytes. */
export const fileName = ({ label, file }: InputItem): string => `item-${label}-file-${file}.png`;
export const bytesOf = ({ file }: InputItem): Buffer => Buffer.from(`file-${file}!`);

/** What an item's effects are about, see `Effect.about`. */
export function aboutOf(item: InputItem, operation: Operation, { posts, webhooks }: World): string {
	const { label } = item;
	if (ON_POSTS.has(operation)) return posts[label]!;
	if (operation === 'reply') return INBOX[label]!;
	if (operation === 'webhookDelete') return webhooks[label]!;
	return WITH_FILE.has(operation) || operation === 'createUploadUrl' ? fileName(item) : `item-${label}`;
}

/** @param binaries where n8n keeps files on disk: each file that is put there has an ID of its own */
export async function inputOf(
	each: InputItem,
	operation: Operation,
	{
		files,
		world,
		binaries,
		stamp,
	}: { files: Sequence['files']; world: World; binaries: Binaries; stamp?: string },
): Promise<INodeExecutionData> {
	if (each.back) return each.back;
	const { label, preview = false, day = 0, past = false } = each;
	const [post, inbox, webhook] = [world.posts[label]!, INBOX[label]!, world.webhooks[label]!];
	const file = fileName(each);
	const time = new Date(Date.parse(past ? PAST : START) + day * 86_400_000).toISOString();
	const json = { label, preview, post, inbox, webhook, file, day: time, ...(stamp ? { stamp } : {}) };
	if (!WITH_FILE.has(operation)) return { json };
	if (files === 'remote' && operation !== 'uploadDirect')
		return {
			json: {
				...json,
				url: `${world.fileServer.url}/${file}`,
				more: `${world.fileServer.url}/${another(file)}`,
			},
		};
	const stored = async (name: string, content: Buffer) =>
		files === 'filesystem'
			? await binaries.file(name, 'image/png', content)
			: inMemory(name, 'image/png', content);
	const data = await stored(file, bytesOf(each));
	return { json, binary: { data, more: await stored(another(file), anotherBytes(each)) } };
}

/** Expressions on the item, filled in as a model does. */
export const filledIn = (parameters: IDataObject, json: IDataObject): IDataObject =>
	JSON.parse(
		JSON.stringify(parameters, (_name, value: unknown) =>
			typeof value === 'string' && value.startsWith('={{')
				? value.replace(/\$json\.(\w+)/g, (_all, name: string) => JSON.stringify(json[name]))
				: value,
		),
	) as IDataObject;

export function changed(items: InputItem[], how: Step['items']): InputItem[] {
	if (how === 'reverse') return [...items].reverse();
	if (how === 'dropFirst') return items.length > 1 ? items.slice(1) : items;
	if (how === 'addFront') return [{ label: 2, file: 1 }, ...items];
	if (how === 'addEnd') return [...items, { label: 2, file: 0 }];
	if (how === 'repeatFirst') return [items[0]!, ...items];
	return items;
}
