import { DateTime } from 'luxon';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { example, examples } from '../n8n/examples';
import { textsPage } from '../../tools/docs/texts';

/** The example workflows can be imported by anybody, and each is run by an end-to-end test. */

const e2e = resolve(__dirname, '../e2e');
const tests = readdirSync(e2e)
	.filter((name) => name.endsWith('.test.ts'))
	.map((name) => readFileSync(join(e2e, name), 'utf8'))
	.join('\n');

test('every example has a name, a note, no credential of ours, is not active, and is run', async () => {
	const all = examples();
	expect(all.size).toBeGreaterThan(7);
	for (const [file, workflow] of all) {
		expect(workflow.name.length).toBeGreaterThan(5);
		expect(workflow).not.toHaveProperty('active');
		const note = workflow.nodes.find(({ type }: any) => type === 'n8n-nodes-base.stickyNote');
		expect(note.parameters.content).toMatch(new RegExp(`^## ${workflow.name}\n\\S`));
		for (const { credentials = {} } of workflow.nodes)
			for (const { id } of Object.values<any>(credentials)) expect(id).toBeNull();
		expect(tests).toContain(`'${file}'`);
	}
});

test('node names and IDs are unique in each, and connections lead to nodes that exist', async () => {
	for (const { nodes, connections } of examples().values()) {
		const names = nodes.map(({ name }: any) => name);
		expect(new Set(names).size).toBe(names.length);
		expect(new Set(nodes.map(({ id }: any) => id)).size).toBe(names.length);
		for (const [from, kinds] of Object.entries<any>(connections)) {
			expect(names).toContain(from);
			for (const { node } of Object.values<any>(kinds).flat(2)) expect(names).toContain(node);
		}
	}
});

/** Names in n8n and in calendar apps. */
const ofOthers = [
	...[
		'Execute workflow',
		'Retry execution',
		'Path',
		'Production URL',
		'Authentication',
		'Header Auth',
		'Bearer Auth',
	],
	...['From URL', 'Subscribe from web', 'New Calendar Subscription'],
	...['Approve', 'Decline', '+', 'Tools', 'Human review', 'AI Agent', 'Send and Wait for Response'],
	// Data tables that an example creates.
	...['Social calendar', 'Posts from the calendar'],
];

test('a note says what to change, and names nodes, workflows and fields that exist, without internals', async () => {
	const all = examples();
	const texts = textsPage();
	for (const { nodes } of all.values()) {
		const { content } = nodes.find(({ name }: any) => name === 'Read me').parameters;
		expect(content).toContain('**To change:** ');
		expect(content).not.toMatch(/idempotency|behind \*/i);
		const names = [...content.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map(([, name]) => name);
		const known = [...nodes, ...all.values()].map(({ name }: any) => name).concat(ofOthers);
		expect(names.filter((name) => !known.includes(name) && !texts.includes(` | ${name} | `))).toEqual([]);
	}
});

const nodeOf = (file: string, wanted: string) =>
	example(file).nodes.find(({ name }: any) => name === wanted).parameters;

/** What a Code node makes of items. */
async function outputOf(file: string, node: string, records: object[]) {
	const items = records.map((json) => ({ json }));
	const $input = { all: () => items, first: () => items[0] };
	const given = { $input, DateTime, $now: DateTime.now() };
	return await new Function(...Object.keys(given), nodeOf(file, node).jsCode)(...Object.values(given));
}

test('calendar-feed: posts without a text or platform, and IDs that are numbers, are in the calendar', async () => {
	const at = { scheduled_at_local: '2026-06-02T10:00:00+02:00', status: 'scheduled' };
	const posts = [
		{ ...at, id: 7, platform: 'instagram' },
		{ ...at, id: 'p', platform: null, text: null },
	];
	const [{ json }] = await outputOf('calendar-feed', 'Write the calendar', posts);
	expect(json.calendar.match(/^(UID|SUMMARY):.*/gm)).toEqual([
		...['UID:7@social-publishing', 'SUMMARY:Instagram: Post'],
		...['UID:p@social-publishing', 'SUMMARY:No platform: Post'],
	]);
	expect(json.calendar).not.toMatch(/undefined|null/);
});

test('calendar-page: a post that was published at once, without a time of its own, is in the calendar', async () => {
	const $now = DateTime.now();
	const json = { platform: 'x', status: 'completed', text: 'Rye', published_at_local: $now.toISO() };
	const [page] = await outputOf('calendar-page', 'Write the page', [{ ...json, scheduled_at_local: null }]);
	expect(page.json.html).toMatch(new RegExp(`<b>${$now.toFormat('HH:mm')}</b> Rye <i>published</i>`));
});

/** What an expression of n8n gives, or a text with expressions in it. */
const evaluated = (value: string, $json: object): unknown => {
	const valueOf = (code: string) => new Function('$json', `return (${code})`)($json);
	const whole = /^=\{\{(.*)\}\}$/.exec(value);
	return whole
		? valueOf(whole[1]!)
		: value.slice(1).replace(/\{\{(.*?)\}\}/g, (_all, code: string) => valueOf(code));
};
const fieldOf = (file: string, node: string, field: string): string =>
	nodeOf(file, node).assignments.assignments.find(({ name }: any) => name === field).value;

test('alert-on-failed-posts: a message in words, whatever the post holds', async () => {
	const message = fieldOf('alert-on-failed-posts', 'Write the message', 'message');
	const reason = 'The picture is too small.';
	expect(evaluated(message, { reason, platform: 'x, tiktok' })).toBe(
		"A post wasn't published on X, TikTok: The picture is too small.\nText: unknown",
	);
	expect(evaluated(message, { reason, text: 'Rye' })).toBe(
		"A post wasn't published: The picture is too small.\nText: Rye",
	);
});

test.each<[string, object, string | undefined]>([
	['an error with a message', { data: { error: { code: 'E1', message: 'Expired' } } }, 'Expired'],
	['an error with a code only', { data: { error: { code: 'token_expired' } } }, 'token_expired'],
	['an error that is a text', { data: { error: 'token expired' }, post: null }, 'token expired'],
	['a failure_reason', { data: { failure_reason: 'Expired' } }, 'Expired'],
	['an error_message', { data: { error: null, error_message: 'Expired' } }, 'Expired'],
	['an errorMessage of the post', { data: {}, post: { errorMessage: 'Expired' } }, 'Expired'],
	['platforms in a list', { data: {}, post: { platforms: ['x', { error: 'Expired' }] } }, 'Expired'],
	['platforms by name', { post: { platforms: { x: 'ok', tiktok: { error: { message: 'No' } } } } }, 'No'],
	['platforms of the event', { data: { platforms: [{ failure_reason: 'No' }] }, post: null }, 'No'],
	[
		'platforms that are a text',
		{ data: { platforms: 'x' }, post: { platforms: null, error: {} } },
		undefined,
	],
	['an event without data', { type: 'post.failed', recovered: true, post: null }, undefined],
])('the examples find the reason of a failure: %s', (_where, event, reason) => {
	const ofAlert = fieldOf('alert-on-failed-posts', 'Find the reason', 'reason');
	expect(evaluated(ofAlert, event)).toBe(reason ?? 'The service gives no reason.');
	const { columns, filters } = nodeOf('content-calendar-results', 'Record the result');
	expect(evaluated(columns.value.error, event)).toBe(reason ?? '');
	// Posts that were never sent have no ID: their rows stay as they are.
	expect(evaluated(filters.conditions[0].keyValue, event)).toBe('unknown');
});

describe('the code of an example', () => {
	type Json = Record<string, any>;
	const asItems = (all: Json[] = []) => all.map((json) => ({ json }));

	/** What the code of a node makes of these items, where the other nodes gave these. */
	async function outputOf(file: string, node: string, items: Json[], others: Record<string, Json[]> = {}) {
		const from = (all?: Json[]) => {
			const listed = asItems(all);
			return { all: () => listed, first: () => listed[0], item: listed[0] };
		};
		const given = { $input: from(items), $json: items[0], $: (name: string) => from(others[name]), DateTime };
		const body = `return (() => {${nodeOf(file, node).jsCode}})()`;
		const output = await new Function(...Object.keys(given), body)(...Object.values(given));
		return [output].flat().map(({ json }: { json: Json }) => json) as Json[];
	}

	test('content-calendar: a row for x and twitter is one post on X', async () => {
		const row = { id: 1, text: 'Rye', platforms: 'twitter, X linkedin', when: '2026-06-02T10:00:00Z' };
		const tasks = await outputOf('content-calendar', 'Find changes', [], { 'Get the rows': [row] });
		expect(tasks.map(({ platform }) => platform)).toEqual(['x', 'linkedin']);
	});

	const keyOf = { idempotency_key: 'calendar-1-x-1:x' };
	const answers = {
		ok: { id: 'post_1', status: 'scheduled' },
		expired: { message: 'The API key has expired. This row was not sent.', status: 401, ...keyOf },
		noAnswer: { message: 'Not confirmed as sent: no answer', status: 0, code: 'NODE_TIMEOUT', ...keyOf },
		past: { message: "'Scheduled At' is in the past", status: 0, code: 'NODE_TIME_PAST' },
		invalid: { message: 'The service rejected the request', status: 400, ...keyOf },
		conflict: { message: 'This idempotency key was used before', status: 409, ...keyOf },
		rejected: { message: 'The platform rejected the post', status: 422, ...keyOf },
		notFound: { message: "The post doesn't exist", status: 404, code: 'PUBLIC_API_POST_NOT_FOUND' },
	};
	/** What a person does with the row, then what the node answers; what it was to do, and what is recorded. */
	type Run = [change: Json | 'delete' | undefined, answer: keyof typeof answers, expected?: string];
	test.each<[string, Run[]]>([
		[
			'a key that expired: the row is sent as it is once the key works',
			[
				[undefined, 'expired', 'schedule Rye: retrying, The API key has expired. This row was not sent.'],
				[undefined, 'expired', 'schedule Rye: retrying, The API key has expired. This row was not sent.'],
				[{ text: 'Jam' }, 'ok', 'schedule Jam: scheduled'],
				[undefined, 'ok'],
			],
		],
		[
			'a key that expired until the time is past: the row can be sent at another time',
			[
				[undefined, 'expired', 'schedule Rye: retrying, The API key has expired. This row was not sent.'],
				[undefined, 'past', "schedule Rye: failed, 'Scheduled At' is in the past"],
				[undefined, 'ok'],
				[{ when: '2026-06-09T10:00:00Z' }, 'ok', 'schedule Rye: scheduled'],
			],
		],
		[
			'a key that expired: a deleted row is not sent',
			[
				[undefined, 'expired', 'schedule Rye: retrying, The API key has expired. This row was not sent.'],
				['delete', 'ok', 'drop Rye: canceled'],
				[undefined, 'ok'],
			],
		],
		[
			'no answer: the same post again, and then what changed',
			[
				[undefined, 'noAnswer', 'schedule Rye: sending, Not confirmed as sent: no answer'],
				[
					{ text: 'Jam' },
					'expired',
					'schedule Rye: sending, The API key has expired. This row was not sent.',
				],
				[undefined, 'conflict', 'schedule Rye: sending, This idempotency key was used before'],
				[undefined, 'ok', 'schedule Rye: scheduled'],
				[undefined, 'ok', 'update Jam: scheduled'],
			],
		],
		...(['past', 'invalid'] as const).map((answer): [string, Run[]] => [
			`no answer, then ${answer}: the row can be sent again, once a person has checked`,
			[
				[undefined, 'noAnswer', 'schedule Rye: sending, Not confirmed as sent: no answer'],
				[
					{ text: 'Jam' },
					answer,
					`schedule Rye: failed, An earlier try may have gone out: check in the service before you change this row. ${answers[answer].message}`,
				],
				[undefined, 'ok', 'schedule Jam: scheduled'],
			],
		]),
		[
			'no answer, then the platform rejected it',
			[
				[undefined, 'noAnswer', 'schedule Rye: sending, Not confirmed as sent: no answer'],
				['delete', 'rejected', 'schedule Rye: failed, The platform rejected the post'],
				[undefined, 'ok', 'drop Rye: canceled'],
				[undefined, 'ok'],
			],
		],
		[
			'an ID that was used before: failed until the row changes',
			[
				[undefined, 'conflict', 'schedule Rye: failed, This idempotency key was used before'],
				[undefined, 'ok'],
				[{ text: 'Jam' }, 'ok', 'schedule Jam: scheduled'],
			],
		],
		[
			'a post that was deleted at the service: canceled until the row changes once more',
			[
				[undefined, 'ok', 'schedule Rye: scheduled'],
				[
					{ text: 'Jam' },
					'notFound',
					"update Jam: canceled, Check in the service that the post is gone before you change this row. The post doesn't exist",
				],
				[undefined, 'ok'],
				[{ text: 'Plum' }, 'ok', 'schedule Plum: scheduled'],
			],
		],
		[
			'a post that was deleted at the service, and its row',
			[
				[undefined, 'ok', 'schedule Rye: scheduled'],
				[
					'delete',
					'notFound',
					"cancel Rye: canceled, Check in the service that the post is gone before you change this row. The post doesn't exist",
				],
				[undefined, 'ok'],
			],
		],
	])('content-calendar, %s', async (_what, runs) => {
		let rows: Json[] = [
			{ id: 1, createdAt: '2026-06-01', text: 'Rye', platforms: 'x', when: '2999-06-02T10:00:00Z' },
		];
		let memory: Json[] = [];
		const keys = new Map<string, string>();
		for (const [change, answer, expected] of runs) {
			rows = change === 'delete' ? [] : rows.map((row) => ({ ...row, ...change }));
			const others = { 'Get the rows': rows, 'Get the recorded posts': memory };
			const [task] = await outputOf('content-calendar', 'Find changes', [], others);
			if (!task) {
				expect(expected).toBeUndefined();
				continue;
			}
			const given = answer === 'ok' ? answers.ok : { error: answers[answer] };
			const [result] = await outputOf('content-calendar', 'Read the result', [given], {
				'Find changes': [task],
			});
			// As the nodes that record it do.
			memory = [{ ...(memory[0] ?? task), ...(task.task === 'schedule' ? task : {}), ...result }];
			const { status, error } = memory[0]!;
			expect(`${task.task} ${task.text}: ${status}${error ? `, ${error}` : ''}`).toBe(expected);
			// Another content under the ID of an earlier one would be refused.
			const key = `${task.key}-${task.tries}`;
			const content = `${task.text}, ${task.when}`;
			if (task.task !== 'schedule') continue;
			expect(keys.get(key) ?? content).toBe(content);
			keys.set(key, content);
		}
	});

	test('schedule-from-a-sheet: an empty first cell leaves the others where they are', async () => {
		const csv = 'id,platforms,text,date,time\n,x,"Rye, ""warm""",2026-06-02,\n7,,,,09:00';
		expect(await outputOf('schedule-from-a-sheet', 'Read the rows', [{ csv }])).toEqual([
			{ id: '', platforms: 'x', text: 'Rye, "warm"', date: '2026-06-02', time: '' },
			{ id: '7', platforms: '', text: '', date: '', time: '09:00' },
		]);
	});

	test.each<[string, Json[], string[], string[]]>([
		[
			'of two accounts with one name, only the chosen one gets the post',
			['a', 'b'].map((id) => ({ id, platform: 'facebook', name: 'Plum' })),
			['Facebook: Plum, a', 'Facebook: Plum, b'],
			['facebook:b'],
		],
		[
			'an account without an ID gets the post, too; one without a platform is not offered',
			[
				{ id: 'a', platform: 'x', name: 'Plum', handle: '@plum' },
				{ id: 'b', platform: null, name: 'Plum' },
				{ id: null, platform: 'linkedin', name: null },
			],
			['X: Plum, @plum', 'LinkedIn'],
			['linkedin'],
		],
	])('cross-post-a-video: %s', async (_what, accounts, labels, platforms) => {
		const [listed] = await outputOf('cross-post-a-video', 'List accounts', accounts);
		expect(listed!.accounts.map(({ label }: Json) => label)).toEqual(labels);
		const others = { 'On form submission': [{ Text: 'Bread' }], 'List accounts': [listed!] };
		const chosen = [{ Accounts: [labels[1]!] }];
		const [post] = await outputOf('cross-post-a-video', 'Prepare the post', chosen, others);
		expect(post!.platforms).toEqual(platforms);
	});

	test('cross-post-a-video: a post that was not confirmed is not said to be missing', async () => {
		const results = [
			{ platform: 'x', scheduled_at_local: '2026-06-02T10:00:00' },
			{ error: { platform: 'linkedin', message: 'It is too long. This row was not sent' } },
			{ error: { platform: 'facebook', message: 'Not confirmed as sent: it broke.' } },
		];
		expect(await outputOf('cross-post-a-video', 'Sum up', results)).toEqual([
			{
				title: '1 post is scheduled, 1 failed, 1 not confirmed',
				message: [
					'X: Scheduled for Tuesday, June 2, 10:00 AM',
					'LinkedIn: Not scheduled. It is too long. This row was not sent',
					'Facebook: Not confirmed as sent: it broke. Check in the service before you submit the form again.',
				].join('\n'),
			},
		]);
	});

	test('cross-post-a-video: a workspace without accounts is an error that says so', async () => {
		const { nodes } = example('cross-post-a-video');
		expect(nodes.find(({ name }: any) => name === 'Get accounts').alwaysOutputData).toBe(true);
		await expect(outputOf('cross-post-a-video', 'List accounts', [{}])).rejects.toThrow(
			/No account is connected/,
		);
	});

	test('answer-comments: what has no text, or no data at all, is left out', async () => {
		const comment = { data: { text: 'Is it vegan?', author: 'Ida' } };
		const events = [{ id: 'evt_1', data: null }, { data: { item_id: 'a picture' } }, comment];
		const others = { 'When a comment arrives': events };
		expect(await outputOf('answer-comments', 'Leave out your own', [{ name: 'Plum' }], others)).toEqual([
			comment,
		]);
	});

	test('weekly-report: figures that are texts are added up', async () => {
		const rows = ['5', '7', null].map((engagements) => ({ post_id: 'p', platform: 'x', engagements }));
		const [report] = await outputOf('weekly-report', 'Draw the chart', rows);
		expect(report!.totals).toEqual([{ platform: 'x', posts: 3, impressions: 0, engagements: 12 }]);
	});
});
