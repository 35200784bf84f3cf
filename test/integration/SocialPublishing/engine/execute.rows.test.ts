import { omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { itemWith, inMemory } from '../../../support/binaries';
import { sample } from '../../../support/property';
import { addPost, addWebhook, asked, run, useService } from '../../../support/service';

/** Whatever is wrong with a row is found before another one is sent. */

const service = useService();

const options = {
	workspaceId: { mode: 'id', value: '={{ $json.workspace }}' },
	preview: '={{ $json.preview }}',
	avoidDuplicates: { by: { mode: '={{ $json.mode }}', id: '={{ $json.key }}' } },
	maxRetryWait: '={{ $json.wait }}',
};
const ofPost = {
	ifPast: '={{ $json.ifPast }}',
	ifRefused: '={{ $json.ifRefused }}',
	platformText: { texts: [{ platform: '={{ $json.textFor }}', text: 'Own' }] },
	spacing: { time: { amount: '={{ $json.apart }}', unit: 'hours' } },
};
const right = (i: number): IDataObject => ({
	...{ workspace: 'ws_main', preview: 'off', mode: 'custom', key: `row-${i}`, id: `post_${i}` },
	...{ text: `Text ${i}`, platform: 'x', account: 'x:acc_main_x', field: 'data', time: '2126-01-01T10:00' },
	...{ wait: 60, ifPast: 'fail', ifRefused: 'send', textFor: 'linkedin', apart: 1 },
	...{ delay: 1, days: ['mon'], times: '09:00', url: 'https://a.example/a.png' },
});

type Wrong = Array<[field: string, values: unknown[]]>;
const byId = (name: string): [IDataObject, Wrong] => [
	{ [name]: { mode: 'id', value: '={{ $json.id }}' } },
	[['id', ['', null, '..']]],
];
const noText = ['', null, ' \u200b', {}, ['a'], true];
const noTime = ['', null, 'soon', '2126', '2126-02-30T10:00', '2020-01-01T10:00'];
const file: [field: string, values: unknown[]] = ['field', ['', 'gone', 'empty', 'page', 'hidden', 'lost']];
const fields = { platforms: '={{ [$json.platform] }}', text: '={{ $json.text }}' };
const platform: [field: string, values: unknown[]] = ['platform', ['', null, 'facebok', '@nobody']];

/** Parameters of each kind of write, by expressions, and what of a row can be wrong beside its options. */
const writes: Record<string, [name: string, parameters: IDataObject, wrong: Wrong]> = {
	'a post': [
		'post:create',
		{ ...fields, when: 'at', scheduledAt: '={{ $json.time }}', options: ofPost },
		[
			['text', noText],
			platform,
			['time', noTime],
			['ifPast', ['', null, 'maybe']],
			['ifRefused', ['', null, 'maybe']],
			['textFor', ['', 'facebok']],
			['apart', [-1, 'some', 1e12]],
		],
	],
	'a post that stops at warnings': [
		'post:create',
		{ ...fields, when: 'now', options: { ifRefused: 'stop' } },
		[['text', ['a'.repeat(300)]]],
	],
	'a post after a delay': [
		'post:create',
		{ ...fields, when: 'delay', delayAmount: '={{ $json.delay }}' },
		[['delay', ['', null, -1, 'some', 1e12]]],
	],
	'a post in a slot': [
		'post:create',
		{ ...fields, when: 'nextSlot', slotDays: '={{ $json.days }}', slotTimes: '={{ $json.times }}' },
		[
			['days', [[], ['someday']]],
			['times', ['', '25:00', 'noon']],
		],
	],
	'a post of an account': [
		'post:create',
		{ ...fields, platforms: '={{ [$json.account] }}', when: 'now' },
		[['account', ['', null, 'nobody']]],
	],
	'a post with a file': [
		'post:create',
		{ ...fields, when: 'now', mediaFrom: 'binary', binaryFields: '={{ $json.field }}' },
		[file],
	],
	'a post with an uploaded file': [
		'post:create',
		{ ...fields, when: 'now', mediaFrom: 'readUrls', mediaUrls: '={{ $json.url }}' },
		[['url', ['', null, 'a.png', 'ftp://a.example/a.png']]],
	],
	'an update': [
		'post:update',
		{ ...byId('postId')[0], updateFields: { scheduledAt: '={{ $json.time }}', text: '={{ $json.text }}' } },
		[...byId('')[1], ['time', noTime.slice(2)], ['text', noText.slice(3)]],
	],
	'a cancellation': ['post:cancel', ...byId('postId')],
	'a deletion': ['post:delete', ...byId('postId')],
	'a reply': [
		'inbox:reply',
		{ ...byId('inboxItemId')[0], text: '={{ $json.text }}' },
		[...byId('')[1], ['text', noText]],
	],
	'an upload': ['media:upload', { mediaFrom: 'binary', binaryFields: '={{ $json.field }}' }, [file]],
	'an upload from an address': [
		'media:upload',
		{ mediaFrom: 'url', mediaUrls: '={{ $json.url }}' },
		[['url', ['', null, 'a.png', 'ftp://a.example/a.png']]],
	],
	'an upload in one request': [
		'media:uploadDirect',
		{ binaryFields: '={{ $json.field }}' },
		[[file[0], [...file[1], 'huge']]],
	],
	'a webhook that is deleted': ['webhook:delete', ...byId('webhookId')],
};
const wrongOptions: Wrong = [
	['workspace', ['my ws', 'a\u200bb', '', null]],
	['preview', ['', null, 'perhaps']],
	['mode', ['', null, 'sometimes']],
	['key', ['', null, 'ümlaut', 'a b', 'a'.repeat(256)]],
	['wait', ['long', -1]],
];
const cases = Object.entries(writes).flatMap(([what, [, , own]]) =>
	[...(/cancel|delet/.test(what) ? [] : wrongOptions), ...own].flatMap(([field, values]) =>
		values.map((value) => ({ what, field, value })),
	),
);

/** Files of a row: one that is right, and others. */
const binary = {
	data: inMemory('a.png', 'image/png', Buffer.from('0123456789')),
	empty: inMemory('a.png', 'image/png', Buffer.from('')),
	page: inMemory('a.html', 'text/html', Buffer.from('<html>')),
	hidden: inMemory('a', 'application/octet-stream', Buffer.from('<!doctype html><html></html>')),
	lost: { data: 'filesystem', id: 'filesystem:lost', mimeType: 'image/png', fileName: 'a.png' },
};
const huge = () => inMemory('a.png', 'image/png', Buffer.alloc(51 * 2 ** 20));

async function runOf(what: string, rows: IDataObject[]) {
	const [name, { options: own, ...parameters }] = writes[what]!;
	const [resource, operation] = name.split(':');
	// What was done to a record isn't done again, whatever the ID.
	const common = /cancel|delete/.test(name) ? omit(options, 'avoidDuplicates') : options;
	const all = { resource, operation, ...parameters, options: { ...common, ...(own as object) } };
	const filesOf = ({ field }: IDataObject) => itemWith(field === 'huge' ? { huge: huge() } : binary);
	return await run(service(), all, { items: rows.map((json) => ({ ...filesOf(json), json })) });
}

test('whatever is wrong with a row, no other one is sent', async () => {
	const gone: unknown[] = [];
	for (const [i, { what, field, value }] of sample(cases, 3).entries()) {
		service().reset();
		const rows = [0, 1, 2, 3].slice(0, 2 + (i % 3)).map(right);
		const index = i % rows.length;
		rows[index] = { ...rows[index], [field]: value } as IDataObject;
		for (let n = 0; n < rows.length; n++) addPost(service(), { id: `post_${n}` });
		addWebhook(service(), 'post_0');
		const { error } = await runOf(what, rows);
		const writes = ['POST', 'PATCH', 'DELETE', 'PUT'].flatMap((method) => asked(service(), method));
		if (!error || writes.length > 0) gone.push([what, field, value, error?.message, writes.length]);
	}
	expect(gone).toEqual([]);
});

test.each(Object.keys(writes).filter((what) => !/upload|cancel|delet/.test(what)))(
	'%s under the ID of another row that says something else: neither is sent',
	async (what) => {
		for (const i of [0, 1]) addPost(service(), { id: `post_${i}` });
		const { error } = await runOf(what, [right(0), { ...right(1), key: 'row-0' }]);
		expect(error.context.data.code).toBe('NODE_OWN_ID_SHARED');
		expect(['POST', 'PATCH', 'DELETE'].flatMap((method) => asked(service(), method))).toEqual([]);
	},
);

// Or the first test would say nothing.
test.each(Object.keys(writes).filter((what) => !/deleted|reply|address|uploaded/.test(what)))(
	'%s that is right is sent',
	async (what) => {
		for (const i of [0, 1]) addPost(service(), { id: `post_${i}` });
		const { error, json } = await runOf(what, [right(0), right(1)]);
		expect([error?.message, json.length]).toEqual([undefined, 2]);
	},
);
