import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import type { Fault, Service } from '../service';
import { inMemory } from '../support/binaries';
import { operations } from '../support/operations';
import { addPost, addWebhook, DAY } from '../support/store';

/** The runs of the ledger, in terms of the new surface; `surface.ts` translates them for the old one. */

export interface Step {
	/** `again`: another execution; `retry`: of the last one; `loop`: its next round; `call`: another execution of one caller. */
	how?: 'again' | 'retry' | 'loop' | 'call';
	/** What failed in the step before comes in again, before `items`. */
	comesBack?: true;
	params?: IDataObject;
	credential?: IDataObject;
	items?: INodeExecutionData[];
	node?: Partial<INode>;
	mode?: 'manual' | 'trigger' | 'retry';
	faults?: Fault[];
	between?: (service: Service) => void;
}

export interface Run extends Omit<Step, 'how' | 'comesBack'> {
	name: string;
	/** `post:create` */
	op: string;
	seed?: (service: Service) => void;
	timezone?: string;
	isSubWorkflow?: true;
	/** An AI agent's calls in one execution: what each has beside `params`. */
	calls?: IDataObject[];
	then?: Step[];
	/** A parameter that goes, and the run with it. */
	goes?: string;
}

const json = (...all: IDataObject[]): INodeExecutionData[] => all.map((one) => ({ json: one }));
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const png = inMemory('a.png', 'image/png', PNG);
const other = inMemory('b.png', 'image/png', Buffer.from(`${PNG.toString('latin1')}b`, 'latin1'));
const video = inMemory(
	'c.mp4',
	'video/mp4',
	Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42'), Buffer.alloc(64)]),
);
const withFile = (one: IDataObject = {}, binary: INodeExecutionData['binary'] = { data: png }) => ({
	json: one,
	binary,
});

const by = (mode: string, id?: string) => ({
	avoidDuplicates: { by: { mode, ...(id === undefined ? {} : { id }) } },
});
const apiFields = (...field: IDataObject[]) => ({ apiFields: { field } });
const continues = { onError: 'continueErrorOutput' } as const;
const continuesInline = { onError: 'continueRegularOutput' } as const;
const patient = { maxRetryWait: 0 };

const refuse = (more: Partial<Fault> = {}): Fault => ({
	kind: 'error',
	code: 'PUBLIC_API_SCOPE_FORBIDDEN',
	method: 'POST',
	path: '^/posts',
	...more,
});
const lose = (more: Partial<Fault> = {}): Fault => ({
	kind: 'dropAfter',
	method: 'POST',
	path: '^/posts',
	...more,
});

/** Posts, a subscription with a failed delivery, and a batch to approve. */
function fill(service: Service): void {
	addPost(service);
	addPost(service, { id: 'post_x', platforms: ['x'] });
	addPost(service, { id: 'post_done', status: 'completed' });
	addPost(service, { id: 'post_failed', status: 'failed', platforms: ['facebook'] });
	addPost(service, { id: 'post_draft', status: 'draft', platforms: ['bluesky'] });
	addWebhook(service);
	service.lifecycle.hold(
		service.store.posts.get(addPost(service, { id: 'post_held', at: Date.now() + 9 * DAY }))!,
	);
}

const create = (name: string, params: IDataObject, more: Partial<Run> = {}): Run => ({
	name,
	op: 'post:create',
	params: { platforms: ['x'], text: 'Hello', when: 'now', ...params },
	...more,
});
const at = (scheduledAt: string, more: IDataObject = {}) => ({ when: 'at', scheduledAt, ...more });
const three = json({ text: 'One' }, { text: 'Two' }, { text: 'Three' });
const ofItem = { text: '={{ $json.text }}' };

/** What each operation is given; those of `test/support/operations.ts` on the new surface. */
const plain: Record<string, IDataObject> = {
	...(operations as Record<string, IDataObject>),
	'analytics:getOverview': { options: { query: { parameter: [{ name: 'period', value: 'month' }] } } },
	'analytics:getBestTimes': { days: 30, filters: { platforms: ['linkedin'] }, options: { minPosts: 1 } },
	'inbox:getAll': { returnAll: true, options: { query: { parameter: [{ name: 'status', value: 'open' }] } } },
	'post:create': { platforms: ['x'], text: 'Hello', when: 'now' },
};
const isWrite = (name: string) =>
	/^media|^post:(create|update|delete|cancel)$|:reply$|^webhook:(create|delete)$/.test(name);
const hasBody = (name: string) => isWrite(name) && !name.endsWith(':delete');
const all = Object.entries(plain);
const writes = all.filter(([name]) => isWrite(name));
const reads = all.filter(([name]) => !isWrite(name));
const ofAll = (
	list: typeof all,
	name: string,
	more: (params: IDataObject, op: string) => Partial<Run>,
): Run[] =>
	list.map(([op, params]) => ({ name, op, seed: fill, items: [withFile()], params, ...more(params, op) }));
const withOptions = (params: IDataObject, options: IDataObject) => ({
	...params,
	options: { ...(params.options as IDataObject), ...options },
});

const ofEach: Run[] = [
	...ofAll(all, 'plain', () => ({})),
	...ofAll(all, 'in another workspace', (params) => ({
		params: withOptions(params, { workspaceId: { __rl: true, mode: 'id', value: 'ws_second' }, ...patient }),
	})),
	...ofAll(all, 'the key has expired', () => ({
		faults: [{ kind: 'error', code: 'PUBLIC_API_KEY_EXPIRED', times: 0 }],
	})),
	...ofAll(reads, 'unavailable twice, then there', () => ({
		faults: [{ kind: 'status', status: 503, times: 2 }],
	})),
	...ofAll(reads, 'an answer that is cut off', (params) => ({
		params: withOptions(params, patient),
		faults: [{ kind: 'malformed', times: 0 }],
	})),
	...ofAll(writes, 'preview', (params) => ({ params: withOptions(params, { preview: 'rows' }) })),
	...ofAll(writes, 'no answer, then a retry', (params, op) => ({
		params: withOptions(params, patient),
		faults: [{ kind: 'dropAfter', method: 'POST|PATCH|DELETE', times: 1 }],
		items: [withFile()],
		then: [{ how: 'retry' }, { how: 'again' }],
		...(op === 'media:upload' ? {} : {}),
	})),
	...ofAll(writes, 'rejected with On Error: Continue', (params) => ({
		params: withOptions(params, patient),
		faults: [
			{
				kind: 'error',
				code: 'PUBLIC_API_BODY_INVALID',
				message: 'text: is odd',
				method: 'POST|PATCH|DELETE',
				times: 1,
			},
		],
		items: [withFile({ n: 1 }), withFile({ n: 2 })],
		node: continues,
	})),
	...ofAll(
		writes.filter(([op]) => hasBody(op)),
		'API Fields',
		(params) => ({
			params: withOptions(
				params,
				apiFields({ name: 'meta.campaign', value: 'spring' }, { name: 'priority', value: '3' }),
			),
		}),
	),
	...ofAll(writes, 'called twice by an agent', (params) => ({
		params,
		items: undefined,
		calls: [{}, {}],
	})).filter(({ op }) => !/^media:(upload|uploadDirect)$/.test(op)),
];

const creating: Run[] = [
	// Targets.
	create('untouched: an hour from now', { when: 'delay' }),
	create('several platforms', { platforms: ['x', 'linkedin', 'facebook', 'bluesky'] }),
	create(
		'several platforms in Quick Start',
		{ platforms: ['x', 'linkedin'] },
		{ credential: { postFormat: 'quickStart' } },
	),
	create(
		'one platform in Quick Start, at a time',
		{ ...at('2026-12-24T18:00') },
		{ credential: { postFormat: 'quickStart' } },
	),
	create('the other address of the API', {}, { credential: { apiPath: '/v1' } }),
	create(
		'platforms as a text of a sheet',
		{ platforms: '={{ $json.where }}' },
		{ items: json({ where: 'LinkedIn, X' }, { where: 'twitter' }) },
	),
	create('a platform and its account', { platforms: ['x:acc_main_x'] }),
	create("an account's ID alone", { platforms: ['acc_main_x'] }),
	create("an account's name", { platforms: ['Lakeside Café'], ...at('2026-12-24T18:00') }, {}),
	create("an account's handle", { platforms: ['@lakesidecafe'] }),
	create('a handle that several accounts have', { platforms: ['@lakeside'] }),
	create('an ID that no account has', { platforms: ['x:acc_nobody'], options: patient }),
	create('a platform with two accounts', {
		platforms: ['instagram'],
		mediaFrom: 'url',
		mediaUrls: '{files}/a.png',
	}),
	create('both accounts of a platform', {
		platforms: ['instagram:acc_main_instagram', 'instagram:acc_main_cafe'],
		mediaFrom: 'url',
		mediaUrls: '{files}/a.png',
	}),
	create('the same account twice', { platforms: ['x', 'x:acc_main_x', 'twitter'] }),
	create('an unknown platform', { platforms: ['linkedn'] }),
	create('no platform', { platforms: [] }),
	create('an empty platform by expression', { platforms: '={{ $json.where }}' }),
	create('a platform without a connected account', {
		platforms: ['x'],
		options: { workspaceId: { __rl: true, mode: 'id', value: 'ws_second' } },
	}),
	create('a platform without any account', {
		platforms: ['youtube'],
		options: { workspaceId: { __rl: true, mode: 'id', value: 'ws_second' } },
		mediaFrom: 'url',
		mediaUrls: '{files}/video.mp4',
	}),
	create(
		'the accounts cannot be read',
		{ platforms: ['x', 'linkedin'] },
		{ faults: [{ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', path: '^/accounts', times: 0 }] },
	),
	create(
		'the accounts take long to be read',
		{},
		{ faults: [{ kind: 'status', status: 503, path: '^/accounts', times: 0 }] },
	),

	// Times.
	...[
		'2026-12-24T18:00',
		'2026-12-24 18:00',
		'2026-12-24T18:00:00-05:00',
		'2026-12-24T18:00:00Z',
		'2026-12-24',
		'2026/12/24 9:00 AM',
		'2026-12-24 9:00 PM',
		'2026-1-5 08:00',
		'Fri, 15 Jan 2027 09:00:00 GMT',
		'2027-07-01T10:00',
		'2026-11-20T09:59',
		'2026-11-20T10:00',
	].map((time) => create(`at ${time}`, at(time))),
	...[
		'',
		'tomorrow',
		'1899-12-30',
		'1970-01-01',
		'2026',
		'9:00-10:00',
		'24.12.2026 18:00',
		'12/24/2026',
		'2027-03-28T02:30',
		'2026-11-20T09:00',
		'2020-01-01T10:00',
		'46015.75',
	].map((time) => create(`refused: at '${time}'`, at(time))),
	create('a Date by expression', at('={{ $now.plus({ days: 1 }) }}')),
	create('across the change to summer time', { when: 'delay', delayAmount: 150, delayUnit: 'days' }),
	create('a delay in minutes', { when: 'delay', delayAmount: 90, delayUnit: 'minutes' }),
	create('no delay', { when: 'delay', delayAmount: 0, delayUnit: 'minutes' }),
	create('a negative delay', { when: 'delay', delayAmount: -5, delayUnit: 'minutes' }),
	create('in another time zone', at('2026-12-24T18:00'), { timezone: 'America/New_York' }),
	...['fail', 'skip', 'publish'].map((ifPast) =>
		create(
			`passed: ${ifPast}`,
			{ ...at('={{ $json.at }}'), ...ofItem, options: { ifPast } },
			{
				items: json(
					{ at: '2026-11-19T10:00', text: 'Yesterday' },
					{ at: '2026-11-21T10:00', text: 'Tomorrow' },
				),
			},
		),
	),
	create(
		'next free slots',
		{ when: 'nextSlot', slotDays: ['mon', 'fri'], slotTimes: '09:00, 17:00', ...ofItem },
		{ items: three },
	),
	create(
		'next free slots beside posts that are there',
		{ when: 'nextSlot', slotDays: ['mon', 'fri'], slotTimes: '09:00, 17:00', ...ofItem },
		{
			items: three,
			seed: (service) => {
				addPost(service, { id: 'post_taken', platforms: ['x'], at: Date.parse('2026-11-20T16:05:00Z') });
				addPost(service, {
					id: 'post_other',
					platforms: ['linkedin'],
					at: Date.parse('2026-11-23T08:00:00Z'),
				});
			},
		},
	),
	create('no slot in 90 days', { when: 'nextSlot', slotDays: [], slotTimes: '09:00' }),
	create('slot times that are none', { when: 'nextSlot', slotDays: ['mon'], slotTimes: 'noon' }),
	create(
		'the posts for slots cannot be read',
		{ when: 'nextSlot', slotDays: ['mon'], slotTimes: '09:00', options: patient },
		{ faults: [{ kind: 'status', status: 503, method: 'GET', path: '^/posts', times: 0 }] },
	),
	create(
		'time between posts',
		{ ...ofItem, options: { spacing: { time: { amount: 2, unit: 'hours' } } } },
		{ items: three },
	),
	create(
		'time between posts after a time',
		{ ...ofItem, ...at('2026-12-24T18:00'), options: { spacing: { time: { amount: 1, unit: 'days' } } } },
		{ items: three },
	),
	create('a row at midnight', at('2026-12-24T00:00')),

	// Texts.
	...['', '   ', '\u200b'].map((text, n) => create(`empty text ${n + 1}`, { text })),
	...[
		['undefined', 'undefined'],
		['an object as text', '[object Object]'],
		['a left-over expression', 'Hi {{ $json.name }}'],
		['a literal line break', 'One\\nTwo'],
		['JSON around the text', '{"text":"Hello"}'],
		['a code fence', '```\nHello\n```'],
		['quotation marks around it', '"Hello"'],
	].map(([name, text]) =>
		create(`odd text: ${name}`, { text: '={{ $json.text }}' }, { items: json({ text: text! }) }),
	),
	...[
		['an object', { a: 1, message: 'Hello' }],
		['a list', ['a']],
		['a boolean', true],
		['a number', 42],
		['null', null],
	].map(([name, text]) =>
		create(
			`text by expression: ${String(name)}`,
			{ text: '={{ $json.text }}' },
			{ items: json({ text } as IDataObject) },
		),
	),
	...['x', 'bluesky', 'linkedin', 'facebook'].map((platform) =>
		create(`too long for ${platform}`, {
			platforms: [platform],
			text: 'a'.repeat(platform === 'facebook' ? 63_210 : 3_001),
		}),
	),
	create('too long for X with a link and emoji', {
		text: `${'a'.repeat(250)} https://example.com/a/very/long/path 😀😀😀😀`,
	}),
	create('text per platform', {
		platforms: ['x', 'linkedin'],
		options: { platformText: { texts: [{ platform: 'linkedin', text: 'Longer' }] } },
	}),
	create('text per platform for one that is not chosen', {
		options: { platformText: { texts: [{ platform: 'linkedin', text: 'Longer' }] } },
	}),
	create('If a Platform Will Refuse It: stop', { text: 'a'.repeat(300), options: { ifRefused: 'stop' } }),
	create(
		'If a Platform Will Refuse It: stop, of three rows',
		{ ...ofItem, options: { ifRefused: 'stop' } },
		{ items: json({ text: 'Fine' }, { text: 'b'.repeat(300) }, { text: 'Fine, too' }), node: continues },
	),
	create('a network that needs media gets none', { platforms: ['tiktok', 'youtube'] }),
	create('TikTok text too long', {
		platforms: ['tiktok'],
		text: 'a'.repeat(2_300),
		mediaFrom: 'url',
		mediaUrls: '{files}/video.mp4',
	}),

	// Files.
	create('a file', { mediaFrom: 'binary', platforms: ['x', 'linkedin'] }, { items: [withFile()] }),
	create(
		'two files',
		{ mediaFrom: 'binary', binaryFields: 'data, more' },
		{ items: [withFile({}, { data: png, more: other })] },
	),
	create('no file in the item', { mediaFrom: 'binary' }),
	create(
		'the field has another name',
		{ mediaFrom: 'binary', binaryFields: 'file' },
		{ items: [withFile()] },
	),
	create('text is empty beside a file', { mediaFrom: 'binary', text: '' }, { items: [withFile()] }),
	create(
		'a text file',
		{ mediaFrom: 'binary' },
		{ items: [withFile({}, { data: inMemory('a.txt', 'text/plain', Buffer.from('Hello')) })] },
	),
	create(
		'a page that says it is an image',
		{ mediaFrom: 'binary' },
		{
			items: [
				withFile({}, { data: inMemory('a.png', 'image/png', Buffer.from('<!doctype html><html></html>')) }),
			],
		},
	),
	create(
		'an empty file',
		{ mediaFrom: 'binary' },
		{ items: [withFile({}, { data: inMemory('a.png', 'image/png', Buffer.alloc(0)) })] },
	),
	create(
		'five images on X',
		{ mediaFrom: 'binary', binaryFields: 'a,b,c,d,e' },
		{ items: [withFile({}, { a: png, b: png, c: other, d: other, e: png })] },
	),
	create(
		'a video and an image on X',
		{ mediaFrom: 'binary', binaryFields: 'a,b' },
		{ items: [withFile({}, { a: png, b: video })] },
	),
	create('an image on YouTube', { platforms: ['youtube'], mediaFrom: 'binary' }, { items: [withFile()] }),
	create(
		'a video on YouTube',
		{ platforms: ['youtube'], mediaFrom: 'binary' },
		{ items: [withFile({}, { data: video })] },
	),
	...[
		'/a.png',
		'/no-length.png',
		'/moved.png',
		'/page.html',
		'/page-as.png',
		'/data.json',
		'/missing.png',
		'/video.mp4',
	].map((path) =>
		create(`a URL: ${path}`, { mediaFrom: 'url', mediaUrls: `{files}${path}`, options: patient }),
	),
	create('two URLs', { mediaFrom: 'url', mediaUrls: '{files}/a.png, {files}/b.png' }),
	create('no URL', { mediaFrom: 'url', mediaUrls: '' }),
	create('no address', { mediaFrom: 'url', mediaUrls: 'picture.png' }),
	create(
		'rows with and without a picture',
		{ mediaFrom: 'url', mediaUrls: '={{ $json.picture }}', ...ofItem },
		{ items: json({ text: 'With', picture: '{files}/a.png' }, { text: 'Without', picture: '' }) },
	),
	create(
		'media by expression: none',
		{ mediaFrom: "={{ $json.picture ? 'url' : 'none' }}", mediaUrls: '={{ $json.picture }}', ...ofItem },
		{ items: json({ text: 'With', picture: '{files}/a.png' }, { text: 'Without' }) },
	),
	create('read URLs', { mediaFrom: 'readUrls', mediaUrls: '{service}/media/med_unknown' }),
	create(
		'the upload is refused',
		{ mediaFrom: 'binary', options: patient },
		{ items: [withFile()], faults: [{ kind: 'status', status: 403, method: 'PUT' }] },
	),
	create(
		'the upload gets no answer, then a retry',
		{ mediaFrom: 'binary', options: patient },
		{
			items: [withFile()],
			faults: [{ kind: 'dropAfter', method: 'PUT', times: 0 }],
			then: [{ how: 'retry' }],
		},
	),
	create(
		'the post is refused after an upload, then a retry',
		{ mediaFrom: 'binary', options: patient },
		{ items: [withFile()], faults: [refuse()], then: [{ how: 'retry' }] },
	),

	// Options.
	create('API Fields of all and of one platform', {
		platforms: ['x', 'linkedin'],
		options: apiFields(
			{ platform: 'all', name: 'content.title', value: 'Title' },
			{ platform: 'linkedin', name: 'visibility', value: 'public' },
			{ platform: 'all', name: 'tags', value: '["a","b"]' },
		),
	}),
	create('API Fields override', { options: apiFields({ name: 'content.text', value: 'Other' }) }),
	create('API Fields without a name', { options: apiFields({ name: '', value: 'lost' }) }),
	create(
		'API Fields by platform in Quick Start',
		{
			platforms: ['x', 'linkedin'],
			options: apiFields({ platform: 'x', name: 'visibility', value: 'public' }),
		},
		{ credential: { postFormat: 'quickStart' } },
	),
	create(
		'Avoid Duplicates: Same Text and Time',
		{ ...at('2026-12-24T18:00'), options: by('content') },
		{ then: [{ how: 'again' }, { how: 'again', params: { text: 'Other' } }] },
	),
	create(
		'Avoid Duplicates: Same Text and Time, now',
		{ options: by('content') },
		{ then: [{ how: 'again' }] },
	),
	create(
		'Avoid Duplicates: Same Text and Time, after a delay',
		{ when: 'delay', options: by('content') },
		{ then: [{ how: 'again' }] },
	),
	create(
		'Avoid Duplicates: My Own ID',
		{ options: by('custom', '={{ $json.id }}'), ...ofItem },
		{
			items: json({ id: 'a', text: 'A' }, { id: 'b', text: 'B' }),
			then: [{ how: 'again' }, { how: 'again', items: json({ id: 'a', text: 'Changed' }) }],
		},
	),
	create(
		'My Own ID after a delay',
		{ when: 'delay', options: by('custom', 'own-1') },
		{ then: [{ how: 'again', between: (service) => void service.clock.advance(60_000) }] },
	),
	create('My Own ID twice in a run', { options: by('custom', 'same'), ...ofItem }, { items: three }),
	create('My Own ID is empty', { options: by('custom', '={{ $json.id }}') }),
	create('My Own ID with a space', { options: by('custom', 'order 7') }),
	create('My Own ID is long', { options: by('custom', 'a'.repeat(300)) }),
	create('Avoid Duplicates by an expression that is empty', { options: by('={{ $json.mode }}') }),
	create(
		'preview: rows',
		{ ...ofItem, platforms: ['x', 'linkedin'], options: { preview: 'rows' } },
		{ items: three },
	),
	create(
		'preview: rows with warnings',
		{ ...ofItem, options: { preview: 'rows' } },
		{ items: json({ text: 'a'.repeat(300) }, { text: 'undefined' }, { text: 'Fine' }) },
	),
	create(
		'preview: rows, one is wrong',
		{ ...ofItem, options: { preview: 'rows' } },
		{ items: json({ text: '' }, { text: 'Fine' }) },
	),
	create('preview: a file', { mediaFrom: 'binary', options: { preview: 'rows' } }, { items: [withFile()] }),
	create('preview: a URL', { mediaFrom: 'url', mediaUrls: '{files}/a.png', options: { preview: 'rows' } }),
	create(
		'preview: slots',
		{ when: 'nextSlot', slotDays: ['mon'], slotTimes: '09:00', ...ofItem, options: { preview: 'rows' } },
		{ items: three },
	),
	create(
		'preview: page',
		{ ...ofItem, platforms: ['x', 'linkedin'], ...at('2026-12-24T18:00'), options: { preview: 'page' } },
		{ items: three },
	),
	create('preview: page with a picture', {
		mediaFrom: 'url',
		mediaUrls: '{files}/a.png',
		options: { preview: 'page' },
	}),
	create('preview: off', { options: { preview: 'off' } }),
	create('preview by an expression that is empty', { options: { preview: '={{ $json.preview }}' } }),
	create('ifRefused by an expression that is empty', { options: { ifRefused: '={{ $json.none }}' } }),
	create('ifPast by an expression that is empty', { options: { ifPast: '={{ $json.none }}' } }),
	create('Workspace by an expression that is empty', {
		options: { workspaceId: { __rl: true, mode: 'id', value: '={{ $json.none }}' } },
	}),
	create('a workspace that is not there', {
		options: { workspaceId: { __rl: true, mode: 'id', value: 'ws_nobody' } },
	}),
	create('Max Posts per Execution', { ...ofItem, options: { maxPosts: 2 } }, { items: three }),
	create('Max Posts per Execution is 0', { options: { maxPosts: 0 } }),
	create('Wait for Publication', { platforms: ['x', 'linkedin'], options: { waitForPublication: 300 } }),
	create('Wait for Publication: it fails', { text: 'Hello [[fail]]', options: { waitForPublication: 300 } }),
	create(
		'Wait for Publication: it fails with On Error: Continue',
		{ platforms: ['x'], ...ofItem, options: { waitForPublication: 300 } },
		{ items: json({ text: 'Hello [[fail]]' }, { text: 'Fine' }), node: continues },
	),
	create(
		'Wait for Publication: too short',
		{ options: { waitForPublication: 5 } },
		{ seed: (service) => void (service.store.publishDelayMs = 3_600_000) },
	),
	create('Wait for Publication: due after the wait', {
		...at('2026-12-24T18:00'),
		options: { waitForPublication: 60 },
	}),
	create(
		'Wait for Publication: the service is unavailable while waiting',
		{ options: { waitForPublication: 300 } },
		{ faults: [{ kind: 'status', status: 503, method: 'GET', path: '^/posts/', times: 3 }] },
	),
	create(
		'Longest Wait: the service is down',
		{ options: { maxRetryWait: 20 } },
		{ faults: [{ kind: 'status', status: 503, method: 'POST', times: 0 }] },
	),
	create(
		'Longest Wait: 0',
		{ options: patient },
		{ faults: [{ kind: 'status', status: 503, method: 'POST', times: 1 }] },
	),
	create(
		'rate limited, with a time',
		{},
		{
			faults: [{ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '7', method: 'POST', times: 2 }],
		},
	),
	create(
		'rate limited for longer than the wait',
		{ options: { maxRetryWait: 10 } },
		{
			faults: [
				{ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '120', method: 'POST', times: 0 },
			],
		},
	),

	// Faults.
	...[
		'PUBLIC_API_BODY_INVALID',
		'PUBLIC_API_SCOPE_FORBIDDEN',
		'PUBLIC_API_KEY_EXPIRED',
		'PUBLIC_API_KEY_INVALID',
		'PUBLIC_API_WORKSPACE_FORBIDDEN',
		'PUBLIC_API_IDEMPOTENCY_CONFLICT',
		'PUBLIC_API_POST_CREATE_FAILED',
		'PUBLIC_API_PUBLISH_FAILED',
		'PUBLIC_API_INTERNAL_FAILED',
		'PUBLIC_API_CONTEXT_ERROR',
	].map((code) =>
		create(
			`the service says ${code}, then a retry`,
			{ options: patient },
			{
				faults: [
					{
						kind: code === 'PUBLIC_API_PUBLISH_FAILED' ? 'errorAfter' : 'error',
						code,
						method: 'POST',
						times: 1,
					},
				],
				then: [{ how: 'retry' }],
			},
		),
	),
	...(
		[
			['dropBefore', 0],
			['dropAfter', 0],
			['hang', 0],
			['empty', 0],
			['malformed', 0],
			['unknownFields', 0],
		] as const
	).map(([kind, times]) =>
		create(
			`the service: ${kind}, then a retry`,
			{ options: { maxRetryWait: 20 } },
			{ faults: [{ kind, method: 'POST', times }], then: [{ how: 'retry' }] },
		),
	),
	...[301, 404, 405, 413, 500, 502, 504].map((status) =>
		create(
			`a page with status ${status}, then a retry`,
			{ options: patient },
			{ faults: [{ kind: 'status', status, method: 'POST', times: 1 }], then: [{ how: 'retry' }] },
		),
	),
	create(
		'kept as failed [[422]], then a retry, then by hand',
		{ text: 'Hello [[422]]' },
		{ then: [{ how: 'retry' }, { how: 'again', mode: 'manual' }] },
	),
	create('a wrong key', {}, { credential: { apiKey: 'wrong' } }),
	create('no base URL', {}, { credential: { baseUrl: '' } }),
	create('a base URL without protocol', {}, { credential: { baseUrl: 'example.com' } }),
	create('nothing listens there', { options: patient }, { credential: { baseUrl: 'http://127.0.0.1:9' } }),

	// Rows.
	create('three rows', { ...ofItem, ...at('2026-12-24T18:00') }, { items: three }),
	create(
		'twelve rows',
		{ ...ofItem, ...at('2026-12-24T18:00') },
		{ items: json(...Array.from({ length: 12 }, (_, n) => ({ text: `Post ${n + 1}` }))) },
	),
	create(
		'two of four rows are wrong',
		{ ...ofItem, ...at('={{ $json.at }}') },
		{
			items: json(
				{ text: 'A', at: '2026-12-24T18:00' },
				{ text: '', at: '2026-12-24T18:00' },
				{ text: 'C', at: 'soon' },
				{ text: 'D', at: '2026-12-24T18:00' },
			),
		},
	),
	create(
		'two of four rows are wrong, with On Error: Continue',
		{ ...ofItem, ...at('={{ $json.at }}') },
		{
			node: continues,
			items: json(
				{ text: 'A', at: '2026-12-24T18:00' },
				{ text: '', at: '2026-12-24T18:00' },
				{ text: 'C', at: 'soon' },
				{ text: 'D', at: '2026-12-24T18:00' },
			),
		},
	),
	create('twelve wrong rows', { text: '' }, { items: json(...Array.from({ length: 12 }, () => ({}))) }),
	create('no rows', {}, { items: [] }),
	create(
		'the second of three rows is rejected',
		{ ...ofItem, options: patient },
		{ items: three, faults: [refuse({ skip: 1 })] },
	),
	create(
		'the second of three rows is rejected, with an error output',
		{ ...ofItem, options: patient },
		{ items: three, faults: [refuse({ skip: 1 })], node: continues },
	),
	create(
		'the second of three rows is rejected, in the regular output',
		{ ...ofItem, options: patient },
		{ items: three, faults: [refuse({ skip: 1 })], node: continuesInline },
	),
	create(
		'one of two platforms is rejected',
		{ platforms: ['x', 'linkedin'], options: patient },
		{ faults: [refuse({ skip: 1 })] },
	),
	create(
		'one of two platforms is rejected, with an error output',
		{ platforms: ['x', 'linkedin'], options: patient },
		{ faults: [refuse({ skip: 1 })], node: continues },
	),
	create(
		'both platforms are rejected, with an error output',
		{ platforms: ['x', 'linkedin'], options: patient },
		{ faults: [refuse({ times: 2 })], node: continues },
	),
	create(
		'the second row has no answer, with an error output',
		{ ...ofItem, options: patient },
		{ items: three, faults: [lose({ skip: 1 })], node: continues },
	),
	create(
		'a file of a row that fails, with an error output',
		{ mediaFrom: 'binary', options: patient },
		{ items: [withFile({ n: 1 })], faults: [refuse()], node: continues },
	),

	// Retries, loops, calls, presses.
	create(
		'Retry On Fail: no answer once',
		{ options: patient },
		{ faults: [lose()], node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 } },
	),
	create(
		'Retry On Fail: rejected once',
		{ ...ofItem, options: patient },
		{
			items: three,
			faults: [refuse({ skip: 1 })],
			node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
		},
	),
	create(
		'Retry On Fail with a time that moves',
		{ ...at('={{ $now.plus({ hours: 1 }).toISO() }}'), options: patient },
		{ faults: [lose()], node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 5000 } },
	),
	create(
		'a retry after three rows, the second of which failed',
		{ ...ofItem, options: patient },
		{ items: three, faults: [refuse({ skip: 1 })], then: [{ how: 'retry' }] },
	),
	create(
		'a retry after no answer',
		{ ...ofItem, options: patient },
		{ items: three, faults: [lose({ skip: 1 })], then: [{ how: 'retry' }] },
	),
	create(
		'a retry with another text',
		{ options: patient },
		{ faults: [lose()], then: [{ how: 'retry', params: { text: 'Corrected' } }] },
	),
	create(
		'a retry with another text after a rejection',
		{ options: patient },
		{ faults: [refuse()], then: [{ how: 'retry', params: { text: 'Corrected' } }] },
	),
	create(
		'a retry with one more platform',
		{ options: patient },
		{ faults: [lose()], then: [{ how: 'retry', params: { platforms: ['x', 'linkedin'] } }] },
	),
	create(
		'a retry with one platform less',
		{ platforms: ['x', 'linkedin'], options: patient },
		{ faults: [refuse({ skip: 1 })], then: [{ how: 'retry', params: { platforms: ['linkedin'] } }] },
	),
	create('a retry after success', {}, { then: [{ how: 'retry' }] }),
	create(
		'the retry is rejected after no answer',
		{ options: patient },
		{
			faults: [lose()],
			then: [
				{ how: 'retry', faults: [{ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', method: 'POST' }] },
				{ how: 'retry' },
			],
		},
	),
	create(
		'a retry in another workspace',
		{ options: patient },
		{
			faults: [lose()],
			then: [
				{
					how: 'retry',
					params: { options: { workspaceId: { __rl: true, mode: 'id', value: 'ws_second' } } },
				},
			],
		},
	),
	create('a second execution posts again', {}, { then: [{ how: 'again' }] }),
	create('a loop of three rounds', ofItem, {
		items: json({ text: 'One' }),
		then: [
			{ how: 'loop', items: json({ text: 'Two' }) },
			{ how: 'loop', items: json({ text: 'One' }) },
		],
	}),
	create(
		'a loop: what failed comes back',
		{ ...ofItem, options: patient },
		{
			items: three,
			faults: [refuse({ skip: 1 })],
			node: continues,
			then: [{ how: 'loop', comesBack: true }],
		},
	),
	create(
		'a loop: what had no answer comes back',
		{ ...ofItem, options: patient },
		{ items: three, faults: [lose({ skip: 1 })], node: continues, then: [{ how: 'loop', comesBack: true }] },
	),
	create(
		'a loop: what failed comes back beside a new row',
		{ ...ofItem, platforms: ['x', 'linkedin'], options: patient },
		{
			items: three,
			faults: [lose({ skip: 1 })],
			node: continues,
			then: [{ how: 'loop', comesBack: true, items: json({ text: 'Four' }) }],
		},
	),
	create(
		'a loop: what failed comes back twice',
		{ ...ofItem, options: patient },
		{
			items: json({ text: 'One' }),
			faults: [refuse()],
			node: continues,
			then: [
				{ how: 'loop', comesBack: true, faults: [refuse()] },
				{ how: 'loop', comesBack: true },
			],
		},
	),
	create(
		'what failed comes in another execution',
		{ ...ofItem, options: patient },
		{
			items: json({ text: 'One' }),
			faults: [lose()],
			node: continues,
			then: [{ how: 'again', comesBack: true }],
		},
	),
	create(
		'a sub-workflow, called again by its retried caller',
		{ ...ofItem, options: patient },
		{ isSubWorkflow: true, items: three, faults: [lose({ skip: 1 })], then: [{ how: 'call' }] },
	),
	create('a sub-workflow with two equal rows', ofItem, {
		isSubWorkflow: true,
		items: json({ text: 'One' }, { text: 'One' }),
	}),
	create(
		'a sub-workflow with a time that moves',
		{ when: 'delay', ...ofItem, options: patient },
		{ isSubWorkflow: true, items: json({ text: 'One' }), faults: [lose()], then: [{ how: 'call' }] },
	),
	create(
		'an agent calls with the same text, and with another',
		{ text: 'x' },
		{ calls: [{ text: 'One' }, { text: 'Two' }, { text: 'One' }] },
	),
	create(
		"an agent's call that fails is made again",
		{ options: patient },
		{ calls: [{ text: 'One' }, { text: 'One' }], faults: [lose()] },
	),
	create('an agent calls without a text', { text: '' }, { calls: [{}] }),
	create('an agent calls with an unknown platform', {}, { calls: [{ platforms: 'threads' }] }),
	create(
		'an agent reaches Max Posts per Execution',
		{ options: { maxPosts: 2 } },
		{ calls: [{ text: 'One' }, { text: 'Two' }, { text: 'Three' }] },
	),
	create('an agent previews', { options: { preview: 'rows' } }, { calls: [{ text: 'One' }] }),
	create('by hand: pressed again after success', ofItem, {
		mode: 'manual',
		items: three,
		then: [{ how: 'again', mode: 'manual' }],
	}),
	create(
		'by hand: pressed again after a failure',
		{ ...ofItem, options: patient },
		{
			mode: 'manual',
			items: three,
			faults: [refuse({ skip: 1 })],
			then: [
				{ how: 'again', mode: 'manual' },
				{ how: 'again', mode: 'manual' },
			],
		},
	),
	create(
		'by hand: pressed again after no answer',
		{ ...ofItem, options: patient },
		{ mode: 'manual', items: three, faults: [lose({ skip: 1 })], then: [{ how: 'again', mode: 'manual' }] },
	),
	create(
		'by hand: pressed again with a corrected row',
		{ ...ofItem, options: patient },
		{
			mode: 'manual',
			items: three,
			faults: [refuse({ skip: 2 })],
			then: [
				{
					how: 'again',
					mode: 'manual',
					items: json({ text: 'One' }, { text: 'Two, corrected' }, { text: 'Three' }),
				},
			],
		},
	),
	create(
		'by hand: a preview between a failure and the next press',
		{ ...ofItem, options: patient },
		{
			mode: 'manual',
			items: three,
			faults: [refuse({ skip: 1 })],
			then: [
				{ how: 'again', mode: 'manual', params: { options: { preview: 'rows' } } },
				{ how: 'again', mode: 'manual', params: { options: { preview: 'off' } } },
			],
		},
	),
	create(
		'by hand: after a delay, pressed again after a failure',
		{ when: 'delay', ...ofItem, options: patient },
		{ mode: 'manual', items: three, faults: [refuse({ skip: 1 })], then: [{ how: 'again', mode: 'manual' }] },
	),
	create(
		'by hand: a file, pressed again after a failure',
		{ mediaFrom: 'binary', options: patient },
		{
			mode: 'manual',
			items: [withFile({ n: 1 }), withFile({ n: 2 })],
			faults: [refuse({ skip: 1 })],
			then: [{ how: 'again', mode: 'manual' }],
		},
	),

	// What goes.
	{
		...create('Post To: accounts', { postTo: 'accounts', accounts: ['acc_main_x', 'acc_main_linkedin'] }),
		goes: 'postTo',
	},
	{
		...create('Batch Size', { ...ofItem, options: { concurrency: 1 } }, { items: three }),
		goes: 'concurrency',
	},
	{ ...create('Approved Code', { options: { approvedCode: 'nothing' } }), goes: 'approvedCode' },
	{
		...create('Additional Fields (JSON)', { options: { additionalFields: '{"priority": 3}' } }),
		goes: 'additionalFields',
	},
	{
		...create('Fields per Platform as JSON', {
			options: { platformFields: { fields: [{ platform: 'x', fields: '{"priority": 3}' }] } },
		}),
		goes: 'platformFields',
	},
	{
		name: 'filters',
		op: 'inbox:getAll',
		params: { filters: { kind: 'comment', platform: 'x' } },
		goes: 'kind',
	},
];

const id = (value: string) => ({ postId: { __rl: true, mode: 'id', value } });
const run = (op: string, name: string, params: IDataObject = {}, more: Partial<Run> = {}): Run => ({
	op,
	name,
	params,
	seed: fill,
	...more,
});
const many = (service: Service): void => {
	for (let n = 0; n < 130; n++)
		addPost(service, {
			id: `post_many_${n}`,
			text: `Post ${n}`,
			status: 'completed',
			at: Date.now() - n * 3_600_000,
		});
};

const others: Run[] = [
	run('account:getAll', 'of a platform', { filters: { platform: 'instagram' } }),
	run('account:getAll', 'of two platforms', { filters: { platform: 'x, linkedin' } }),
	run('account:getAll', 'limit', { limit: 2 }),
	run(
		'account:getAll',
		'a broken account',
		{ returnAll: true },
		{ seed: (service) => void (service.store.accounts.get('acc_main_tiktok')!.status = 'expired') },
	),
	run('analytics:getOverview', 'as it is', { output: 'overview' }),
	run('analytics:getOverview', 'per platform', {}),
	run('analytics:getSummary', 'per platform', { timeframe: 'last_30_days' }),
	run('analytics:getSummary', 'with activity', {
		timeframe: 'all_time',
		output: 'summary',
		filters: { includeActivity: true, includeInsights: true },
	}),
	run('analytics:getSummary', 'dates in the wrong order', {
		filters: { startDate: '2026-11-10', endDate: '2026-11-01' },
	}),
	run('analytics:getUnified', 'table', { timeframe: 'last_30_days' }),
	run('analytics:getUnified', 'a table of several posts', { timeframe: 'all_time' }, { seed: many }),
	run('analytics:getUnified', 'a time that is none', { timeframe: 'custom', from: 'soon', to: '2026-11-20' }),
	run('analytics:getBestTimes', 'all', { days: 90, options: { minPosts: 1 } }),
	run('analytics:getBestTimes', 'too few posts', { days: 90 }),
	run('analytics:getInsights', 'all', { returnAll: true }),
	run('analytics:getInsights', 'dismissed', { returnAll: true, filters: { dismissed: true } }),
	run(
		'approval:getAll',
		'all pages',
		{ returnAll: true },
		{
			seed: (service) => {
				for (let n = 0; n < 60; n++)
					service.lifecycle.hold(
						service.store.posts.get(addPost(service, { id: `post_held_${n}`, at: Date.now() + DAY + n }))!,
					);
			},
		},
	),
	run('inbox:getAll', 'limit', { limit: 2 }),
	run('inbox:getAll', 'a query of two parameters', {
		options: {
			query: {
				parameter: [
					{ name: 'platform', value: 'instagram' },
					{ name: 'limit', value: '1' },
				],
			},
		},
	}),
	run(
		'inbox:reply',
		'the same text twice',
		{ inboxItemId: 'inb_seed_1', text: 'Thanks' },
		{ items: json({}, {}), then: [{ how: 'again' }] },
	),
	run(
		'inbox:reply',
		'rows',
		{ inboxItemId: '={{ $json.id }}', text: '={{ $json.text }}' },
		{
			items: json(
				{ id: 'inb_seed_1', text: 'A' },
				{ id: 'inb_seed_2', text: 'B' },
				{ id: 'inb_nobody', text: 'C' },
			),
			node: continues,
		},
	),
	run('inbox:reply', 'without text', { inboxItemId: 'inb_seed_1', text: '' }),
	run('inbox:reply', 'odd text', { inboxItemId: 'inb_seed_1', text: 'undefined' }),
	run('inbox:reply', 'no item', { inboxItemId: '', text: 'Thanks' }),
	run(
		'inbox:reply',
		'My Own ID',
		{ inboxItemId: 'inb_seed_1', text: 'Thanks', options: by('custom', 'r-1') },
		{ then: [{ how: 'again' }] },
	),
	run(
		'inbox:reply',
		'Same Text',
		{ inboxItemId: 'inb_seed_1', text: 'Thanks', options: by('content') },
		{ then: [{ how: 'again' }] },
	),
	run(
		'media:upload',
		'two files',
		{ binaryFields: 'data, more' },
		{ items: [withFile({}, { data: png, more: other })] },
	),
	run('media:upload', 'URLs', { mediaFrom: 'url', mediaUrls: '{files}/a.png\n{files}/video.mp4' }),
	run('media:upload', 'a URL that is a page', { mediaFrom: 'url', mediaUrls: '{files}/page.html' }),
	run(
		'media:upload',
		'Same File',
		{ options: by('content') },
		{ items: [withFile()], then: [{ how: 'again' }] },
	),
	run(
		'media:upload',
		'My Own ID',
		{ options: by('custom', 'file-1') },
		{ items: [withFile()], then: [{ how: 'again' }] },
	),
	run('media:upload', 'no file', {}),
	run(
		'media:upload',
		'the store refuses the bytes',
		{ options: patient },
		{
			items: [withFile()],
			faults: [{ kind: 'status', status: 403, method: 'PUT' }],
			then: [{ how: 'retry' }],
		},
	),
	run(
		'media:upload',
		'two rows, one fails',
		{ options: patient },
		{
			items: [withFile({ n: 1 }), withFile({ n: 2 })],
			faults: [{ kind: 'status', status: 403, method: 'PUT', skip: 1 }],
			node: continues,
		},
	),
	run(
		'media:uploadDirect',
		'two files',
		{ binaryFields: 'data, more' },
		{ items: [withFile({}, { data: png, more: other })] },
	),
	run(
		'media:uploadDirect',
		'a text file',
		{},
		{ items: [withFile({}, { data: inMemory('a.txt', 'text/plain', Buffer.from('Hello')) })] },
	),
	run('media:createUploadUrl', 'no size', { fileName: 'a.png', contentType: 'image/png', size: 0 }),
	run('media:createUploadUrl', 'no type', { fileName: 'a.png', contentType: '', size: 10 }),
	run('post:get', 'simplified', { ...id('post_failed'), simplify: true }),
	run(
		'post:get',
		'rows',
		{ postId: '={{ $json.id }}' },
		{ items: json({ id: 'post_1' }, { id: 'post_x' }, { id: 'post_nobody' }), node: continues },
	),
	run('post:get', 'not there', id('post_nobody')),
	run('post:get', 'no ID', id('')),
	run('post:get', 'an address in place of an ID', id('https://example.com/posts/post_1')),
	run('post:getAll', 'as they are', { simplify: false, limit: 3 }),
	run('post:getAll', 'simplified', { returnAll: true }),
	run('post:getAll', 'all of 130', { returnAll: true }, { seed: many }),
	run('post:getAll', 'failed ones', { returnAll: true, filters: { status: 'failed' } }),
	run('post:getAll', 'a range', { returnAll: true, filters: { from: '2026-11-20', to: '2026-11-22T12:00' } }),
	run('post:getAll', 'a range in the wrong order', {
		returnAll: true,
		filters: { from: '2026-11-22', to: '2026-11-20' },
	}),
	run('post:getAll', 'an unknown platform', { filters: { platform: 'threads' } }),
	run('post:update', 'only the text', { ...id('post_1'), updateFields: { text: 'New' } }),
	run('post:update', 'nothing to change', { ...id('post_1'), updateFields: {} }),
	run('post:update', 'an empty text', {
		...id('post_1'),
		updateFields: { text: '={{ $json.none }}', scheduledAt: '2026-12-24T18:00' },
	}),
	run('post:update', 'a time that has passed', {
		...id('post_1'),
		updateFields: { scheduledAt: '2020-01-01T10:00' },
	}),
	run(
		'post:update',
		'in Quick Start',
		{ ...id('post_1'), updateFields: { text: 'New', scheduledAt: '2026-12-24T18:00' } },
		{ credential: { postFormat: 'quickStart' } },
	),
	run('post:update', 'one that is published', { ...id('post_done'), updateFields: { text: 'New' } }),
	run('post:update', 'to draft', { ...id('post_1'), updateFields: { status: 'draft' } }),
	run('post:cancel', 'one that is published', id('post_done')),
	run(
		'post:cancel',
		'rows, one is published',
		{ postId: '={{ $json.id }}' },
		{ items: json({ id: 'post_1' }, { id: 'post_done' }, { id: 'post_x' }), then: [{ how: 'retry' }] },
	),
	run('post:delete', 'not there', id('post_nobody')),
	run(
		'post:delete',
		'no answer, then not there',
		{ ...id('post_1'), options: { maxRetryWait: 20 } },
		{ faults: [{ kind: 'dropAfter', method: 'DELETE' }] },
	),
	run('post:delete', 'by hand, twice', id('post_1'), {
		mode: 'manual',
		then: [{ how: 'again', mode: 'manual' }],
	}),
	run('post:getAnalytics', 'totals', id('post_done')),
	run('post:getAnalytics', 'a weekly series', {
		...id('post_done'),
		granularity: 'weekly',
		output: 'series',
	}),
	run(
		'post:getAnalytics',
		'rows',
		{ postId: '={{ $json.id }}' },
		{ items: json({ id: 'post_done' }, { id: 'post_1' }) },
	),
	run(
		'post:waitForStatus',
		'until it is published',
		{ ...id('post_1'), waitTimeout: 120 },
		{ seed: (service) => void addPost(service, { at: Date.now() + 30_000 }) },
	),
	run('post:waitForStatus', 'a failed one', { ...id('post_failed'), waitTimeout: 10 }),
	run('post:waitForStatus', 'a failed one as a result', {
		...id('post_failed'),
		waitFor: 'terminal',
		waitTimeout: 10,
	}),
	run('post:waitForStatus', 'it takes too long', { ...id('post_1'), waitTimeout: 10 }),
	run(
		'post:waitForStatus',
		'a failed one with On Error: Continue',
		{ ...id('post_failed'), waitTimeout: 10 },
		{ node: continues },
	),
	run('socialConnection:getAll', 'limit', { limit: 2 }),
	run('usage:get', 'twice', {}, { items: json({}, {}) }),
	run('webhook:create', 'no address', { url: '', events: ['post.failed'] }),
	run('webhook:create', 'no events', { url: 'https://example.com/hook', events: [] }),
	run('webhook:create', 'odd events', { url: 'https://example.com/hook', events: 'post.failed, brand.new' }),
	run('webhook:delete', 'not there', { webhookId: { __rl: true, mode: 'id', value: 'wh_nobody' } }),
	run('webhook:getDeliveries', 'of one that is not there', {
		webhookId: { __rl: true, mode: 'id', value: 'wh_nobody' },
		returnAll: true,
	}),
	run('webhook:getDeliveries', 'limit', { webhookId: 'wh_1', limit: 1 }),
	run('webhook:check', 'every subscription', { webhookId: '' }),
	run('webhook:check', 'by address', { webhookId: '', options: { address: 'https://example.com/events' } }),
	run('webhook:check', 'an address without a subscription', {
		webhookId: '',
		options: { address: 'https://example.com/nothing' },
	}),
	run('webhook:check', 'another address of the same host', {
		webhookId: '',
		options: { address: 'https://example.com/event' },
	}),
	run(
		'webhook:check',
		'disabled',
		{},
		{ seed: (service) => void (service.store.webhooks.get(addWebhook(service))!.status = 'disabled') },
	),
	run('webhook:check', 'nothing is subscribed', {}, { seed: () => undefined }),
	run('webhook:check', 'not there', { webhookId: { __rl: true, mode: 'id', value: 'wh_nobody' } }),
	run(
		'workspace:checkHealth',
		'trouble everywhere',
		{},
		{
			seed: (service) => {
				fill(service);
				addPost(service, { id: 'post_overdue', at: Date.now() - 7_200_000 });
				service.store.webhooks.get('wh_1')!.status = 'disabled';
				service.store.accounts.get('acc_main_x')!.status = 'disconnected';
				service.store.accounts.get('acc_main_facebook')!.status = 'token_expired';
			},
		},
	),
	run('workspace:checkHealth', 'all is well', {}, { seed: () => undefined }),
	run(
		'workspace:checkHealth',
		'the webhooks cannot be read',
		{},
		{ faults: [{ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', path: '^/webhooks', times: 0 }] },
	),
];

export const runs: Run[] = [...ofEach, ...creating, ...others];

/** How a delivery differs from a genuine one; `raw` is the body as it is. */
export interface Delivery {
	as?:
		| 'genuine'
		| 'wrongSecret'
		| 'tampered'
		| 'noSignature'
		| 'malformedSignature'
		| 'noTimestamp'
		| 'malformedTimestamp'
		| 'stale'
		| 'nearlyStale'
		| 'future';
	event?: IDataObject;
	raw?: string;
	secret?: string;
	headers?: Record<string, string>;
}

export interface TriggerStep {
	do:
		| 'publish'
		| 'unpublish'
		| 'checkExists'
		| 'check'
		| 'restart'
		| 'deliver'
		| 'deliverTogether'
		| 'lose'
		| 'nothing';
	delivery?: Delivery;
	event?: IDataObject;
	params?: IDataObject;
	faults?: Fault[];
	between?: (service: Service) => void;
}

export interface TriggerRun {
	name: string;
	params?: IDataObject;
	credential?: IDataObject;
	seed?: (service: Service) => void;
	steps: TriggerStep[];
}

const publish: TriggerStep = { do: 'publish' };
const check: TriggerStep = { do: 'check' };
const unpublish: TriggerStep = { do: 'unpublish' };
const deliver = (delivery: Delivery = {}): TriggerStep => ({ do: 'deliver', delivery });
const delivered = (name: string, ...deliveries: Delivery[]): TriggerRun => ({
	name: `delivery: ${name}`,
	seed: fill,
	steps: [publish, ...deliveries.map(deliver)],
});
const first = (service: Service) =>
	[...service.store.webhooks.values()].find(({ url }) => url.includes('127.0.0.1'))!;

export const triggerRuns: TriggerRun[] = [
	{ name: 'published, checked, unpublished', steps: [publish, { do: 'checkExists' }, check, unpublish] },
	{
		name: 'published with every parameter',
		params: {
			events: ['post.published', 'inbox.item.created'],
			options: {
				additionalEvents: 'post.created',
				brandIds: 'brand_main',
				description: 'Mine',
				workspaceId: { __rl: true, mode: 'id', value: 'ws_main' },
			},
		},
		steps: [
			publish,
			deliver({ event: { brand_id: 'brand_cafe' } }),
			deliver({ event: { id: 'evt_ledger2', type: 'post.created' } }),
			unpublish,
		],
	},
	{ name: 'published without events', params: { events: [] }, steps: [publish] },
	{
		name: 'published in another workspace',
		params: { options: { workspaceId: { __rl: true, mode: 'id', value: 'ws_second' } } },
		steps: [publish, check, unpublish],
	},
	{
		name: 'the subscription was deleted',
		steps: [publish, { ...check, between: ({ store }) => store.webhooks.clear() }, deliver()],
	},
	{
		name: 'the subscription was disabled',
		steps: [
			publish,
			check,
			{ ...check, between: (service) => void (first(service).status = 'disabled') },
			deliver(),
		],
	},
	{
		name: 'one at another address is left alone',
		seed: (service) => void addWebhook(service),
		steps: [publish, check, unpublish],
	},
	{
		name: 'one that was left at the address',
		steps: [
			publish,
			{
				do: 'checkExists',
				between: (service) => {
					const own = first(service);
					service.store.webhooks.set('wh_old', { ...own, id: 'wh_old' });
				},
			},
			check,
			unpublish,
		],
	},
	{
		name: 'other events',
		steps: [publish, { do: 'checkExists', params: { events: ['post.failed'] } }, publish, check, unpublish],
	},
	{ name: 'restarted', steps: [publish, { do: 'restart' }, check, deliver(), unpublish] },
	{
		name: 'the service is unavailable while publishing',
		steps: [{ ...publish, faults: [{ kind: 'status', status: 503, times: 0 }] }, publish],
	},
	{
		name: 'subscribing gets no answer',
		steps: [{ ...publish, faults: [{ kind: 'dropAfter', method: 'POST', times: 0 }] }, publish, check],
	},
	{
		name: 'the key may not subscribe',
		steps: [
			{
				...publish,
				faults: [{ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', times: 0 }],
			},
		],
	},
	{
		name: 'no room for a subscription',
		steps: [{ ...publish, faults: [{ kind: 'status', status: 409, method: 'POST', times: 0 }] }],
	},
	{
		name: 'the service is unavailable at a check',
		steps: [publish, { ...check, faults: [{ kind: 'status', status: 503, times: 0 }] }, check],
	},
	{
		name: 'unpublishing fails, and is done again',
		steps: [
			publish,
			{ ...unpublish, faults: [{ kind: 'status', status: 503, method: 'DELETE', times: 0 }] },
			unpublish,
		],
	},
	{
		name: 'unpublishing what is gone',
		steps: [publish, { ...unpublish, between: ({ store }) => store.webhooks.clear() }],
	},
	{ name: 'what was lost is recovered', seed: fill, steps: [publish, { do: 'lose' }, check, check] },
	{
		name: 'what was lost is recovered with its post',
		params: { includePost: true },
		seed: fill,
		steps: [publish, { do: 'lose' }, check],
	},
	{
		name: 'what was lost is not recovered without the option',
		params: { options: { catchUp: false } },
		seed: fill,
		steps: [publish, { do: 'lose' }, check],
	},
	{
		name: 'recovered from posts',
		params: { options: { catchUpFromPosts: true } },
		seed: fill,
		steps: [
			publish,
			check,
			{
				...check,
				between: (service) =>
					void addPost(service, { id: 'post_new', status: 'completed', at: Date.now() - 60_000 }),
			},
		],
	},
	{
		name: 'two executions at the same time of one event',
		seed: fill,
		steps: [publish, { do: 'deliverTogether' }],
	},
	{
		name: 'with its post',
		params: { includePost: true },
		seed: fill,
		steps: [publish, deliver(), deliver({ event: { id: 'evt_ledger2', data: { post_id: 'post_nobody' } } })],
	},
	{
		name: 'a larger tolerance',
		params: { options: { tolerance: 900 } },
		seed: fill,
		steps: [publish, deliver({ as: 'stale' })],
	},
	{
		name: 'remembers one event',
		params: { options: { rememberEvents: 1 } },
		seed: fill,
		steps: [publish, deliver(), deliver({ event: { id: 'evt_ledger2' } }), deliver()],
	},
	delivered('genuine', {}),
	delivered('duplicate', {}, {}),
	delivered('the same ID with another body', {}, { event: { data: { post_id: 'post_x' } } }),
	delivered('not asked for', { event: { type: 'post.created' } }),
	delivered('an unknown event', { event: { type: 'brand.new' } }),
	...(
		[
			'wrongSecret',
			'tampered',
			'noSignature',
			'malformedSignature',
			'noTimestamp',
			'malformedTimestamp',
			'stale',
			'nearlyStale',
			'future',
		] as const
	).map((as) => delivered(as, { as }, {})),
	...[
		['not JSON', 'hello'],
		['a list', '[]'],
		['null', 'null'],
		['no id', '{"type":"post.published"}'],
		['id is a number', '{"id":1,"type":"post.published"}'],
		['no type', '{"id":"evt_1"}'],
		['an empty body', ''],
	].map(([name, raw]) => delivered(name!, { raw: raw! })),
	delivered('of another content type', { headers: { 'content-type': 'text/plain' } }),
	{
		name: 'delivery: no secret is known',
		steps: [deliver({ secret: 'guess' }), deliver({ secret: 'guess' })],
	},
	{ name: 'delivery: after it was unpublished', steps: [publish, unpublish, deliver({ secret: 'guess' })] },
];
