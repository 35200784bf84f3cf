import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { inMemory, type Binaries } from '../binaries';
import {
	OPERATIONS,
	type InputItem,
	type Operation,
	type Sequence,
	type Settings,
	type Step,
	type Target,
} from './sequence';
import { INBOX, type World } from './world';

/** The node's parameters and input items, as a sequence has them. */

/** The node is called, by a model or by another workflow: n8n gives it no place that tells calls apart. */
export const isCall = ({ as }: Pick<Sequence, 'as'>): boolean =>
	as === 'tool' || as === 'subWorkflow' || as === 'callPerItem';

/** What it says makes the key, whatever the mode. */
export const isByContent = (one: Pick<Sequence, 'as' | 'operation'>): boolean =>
	isCall(one) || one.operation === 'reply';

const ON_POSTS = new Set<Operation>(['update', 'cancel', 'delete']);
const WITH_FILE = new Set<Operation>(['createWithFile', 'upload']);
export const createsPosts = (operation: Operation): boolean =>
	operation.startsWith('create') && operation !== 'createUploadUrl';

/** A change of a state is sent at each call and at each press: others may have changed it since. */
export const isSentEachTime = ({ as, operation }: Sequence): boolean =>
	ON_POSTS.has(operation) && as !== 'node';

/** Kinds of *Avoid Duplicates* that an operation has. */
export function modeOf({ operation }: Pick<Sequence, 'operation'>, { mode }: Settings): Settings['mode'] {
	const isOfFile = createsPosts(operation) || operation === 'upload';
	if (mode === 'content') return isOfFile ? mode : 'execution';
	return operation === 'cancel' || operation === 'delete' ? 'execution' : mode;
}

const START = '2126-01-01T10:00:00Z';
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
};

/** A text that is another one each time it is evaluated, in a circle of `texts`. */
const textOf = ({ word, texts, isEmpty }: Settings): string =>
	`={{ ${isEmpty ? "$json.label === 0 ? '' : " : ''}'item-' + $json.label + ', word ${word}, ' + ($vars.tick % ${texts}) }}`;

/** Where posts of a row go: X alone names none of its two accounts. */
export const targetsOf = ({ twoAccounts }: Sequence, { targets }: Settings): Target[] =>
	targets.flatMap((target) => (twoAccounts && target === 'x' ? ['x', 'x2'] : target));

function nameOf(target: Target, one: Sequence, { named, workspace }: Settings): string {
	const platform = target === 'x2' ? 'x' : target;
	const isNamed = one.twoAccounts && platform === 'x' && named === 'platform' ? 'accountId' : named;
	if (isNamed === 'platform') return platform;
	if (isNamed === 'handle') return `@bakery_${target}`;
	return `${platform}:acc_${workspace === 'ws_second' ? 'second' : 'main'}_${target}`;
}

export function parametersOf(
	one: Sequence,
	settings: Settings,
	{ preview }: Pick<Step, 'preview'>,
): IDataObject {
	const { operation } = one;
	const [resource, name] = OPERATIONS[operation];
	const mode = modeOf(one, settings);
	const id = mode === 'custom' ? { id: `={{ 'own-' + $json.label + '-${settings.customTag}' }}` } : {};
	const options: IDataObject = {
		maxRetryWait: one.maxRetryWait,
		...(preview ? { preview: 'rows' } : {}),
		...(settings.workspace ? { workspaceId: settings.workspace } : {}),
		...(mode === 'execution' ? {} : { avoidDuplicates: { by: { mode, ...id } } }),
	};
	const text = textOf(settings);
	const files: IDataObject =
		one.files === 'remote'
			? { mediaFrom: 'url', mediaUrls: '={{ $json.url }}' }
			: { mediaFrom: 'binary', binaryFields: 'data' };
	const create: IDataObject = {
		platforms: targetsOf(one, settings).map((target) => nameOf(target, one, settings)),
		text,
		...schedules[settings.when],
	};
	const postId = '={{ $json.post }}';
	const own: Record<Operation, IDataObject> = {
		create,
		createWithFile: { ...create, ...files },
		update: { postId, updateFields: { text } },
		cancel: { postId },
		delete: { postId },
		reply: { inboxItemId: '={{ $json.inbox }}', text },
		webhookCreate: {
			url: '={{ "https://example.com/item-" + $json.label }}',
			events: ['post.published'],
			// It may be empty: no check refuses that.
			description: textOf({ ...settings, isEmpty: false }),
		},
		upload: files,
		createUploadUrl: { fileName: '={{ $json.file }}', contentType: 'image/png', size: 9 },
	};
	return { resource, operation: name, ...own[operation], options };
}

/** Items with the same label have the same file. */
const fileName = ({ label }: InputItem): string => `item-${label}.png`;
export const bytesOf = ({ label }: Pick<InputItem, 'label'>): Buffer =>
	Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(String(label))]);

/** @param binaries where n8n keeps files on disk: each file that is put there has an ID of its own */
export async function inputOf(
	{ label, number }: InputItem,
	{ operation, files }: Sequence,
	{ posts, fileServer }: World,
	binaries: Binaries,
): Promise<INodeExecutionData> {
	const file = fileName({ label, number });
	const json = { label, number, post: posts[label]!, inbox: INBOX[label]!, file };
	if (!WITH_FILE.has(operation)) return { json };
	if (files === 'remote') return { json: { ...json, url: `${fileServer.url}/${file}` } };
	const content = bytesOf({ label });
	const data =
		files === 'filesystem'
			? await binaries.file(file, 'image/png', content)
			: inMemory(file, 'image/png', content);
	return { json, binary: { data } };
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

/** The items of the press with this index. */
export function changed(items: InputItem[], how: Step['items'], index: number): InputItem[] {
	const [first, ...rest] = items as [InputItem, ...InputItem[]];
	if (how === 'reverse') return [...items].reverse();
	if (how === 'dropFirst') return rest.length > 0 ? rest : items;
	const another = { label: 2, number: items.find(({ label }) => label === 2)?.number ?? 0 };
	if (how === 'addFront') return [another, ...items];
	if (how === 'addEnd') return [...items, another];
	if (how === 'correctFirst')
		return items.map((item) => (item.label === first.label ? { ...item, number: 9 + index } : item));
	return items;
}
