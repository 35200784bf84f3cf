import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { parseSlots, slotsBetween } from '../../../../../nodes/SocialPublishing/resources/post/slots';
import { insertPost } from '../../../../service/seed';
import { runTool, type RunOptions, type RunResult } from '../../../../support/engine';
import { runs } from '../../../../support/property';
import {
	asked,
	contextOf,
	createPost,
	credentialOf,
	item,
	posts,
	run,
	useService,
} from '../../../../support/service';

/** *When: In the Next Free Slot*, in the real engine against the embedded service. */

const HOUR = 3_600_000;
const zone = 'Europe/Berlin';
const slotDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
// The nearest is an hour away: none passes during a test.
const soon = DateTime.fromMillis(Date.now() + HOUR, { zone });
const slotTimes = [0, 6, 12, 18].map((hours) => soon.plus({ hours }).toFormat('HH:mm')).join(', ');
const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
/** The slots to come, in UTC. */
const slots = slotsBetween(parseSlots(slotDays, slotTimes), zone, Date.now(), Date.now() + 90 * 24 * HOUR);
const slot = (index: number): string => iso(slots[index]!);

const service = useService();

const queued = (more: IDataObject = {}): IDataObject =>
	createPost({ text: '={{ $json.text }}', when: 'nextSlot', slotDays, slotTimes, ...more });
const rows = (...texts: string[]) => texts.map((text) => item({ text }));
const oneAtATime = { concurrency: 1, maxRetryWait: 0 };
const retryOf = (result: RunResult): Partial<RunOptions> => ({
	contextData: contextOf(result),
	executionId: '2',
	mode: 'retry',
});
const times = ({ json }: RunResult) => json.map(({ scheduled_at }) => scheduled_at);
/** What the service has, by text: platform and time. */
const stored = (): Record<string, string> =>
	Object.fromEntries(posts(service()).map(({ text, scheduledAt }) => [text, scheduledAt]));
const has = (id: string, at: number, platform: 'x' | 'linkedin' = 'x') =>
	insertPost(service(), { id, text: id, status: 'scheduled', at, platforms: [platform] });
const reads = () => asked(service(), 'GET', /\/posts$/).length;

test('items take one slot after another, each platform from its own queue, around what is scheduled', async () => {
	has('taken', slots[1]! - 10 * 60_000);
	has('close, but not enough', slots[2]! + 10 * 60_000 + 1000);
	has('elsewhere', slots[0]!, 'linkedin');
	const result = await run(service(), queued({ platforms: ['x', 'linkedin'] }), {
		items: rows('One', 'Two', 'Three'),
	});
	expect(result.error).toBeUndefined();
	expect(times(result)).toEqual([0, 1, 2, 2, 3, 3].map(slot));
	expect(result.json[0]).toMatchObject({
		platform: 'x',
		scheduled_at_local: DateTime.fromMillis(slots[0]!, { zone }).toISO({ suppressMilliseconds: true }),
	});
	expect(reads()).toBe(1);
	const requests = asked(service(), 'POST').map(({ body }) => [body.platform, body.scheduled_at]);
	expect(requests).toContainEqual(['x', slot(0)]);
});

describe('a retry', () => {
	const items = rows('One', 'Two', 'Three', 'Four');
	/** The first row is refused, the second gets no answer and may be there, the rest is sent. */
	const failing = async (kind: 'dropAfter' | 'dropBefore') => {
		service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST' });
		service().faults.add({ kind, method: 'POST' });
		const parameters = queued({ options: oneAtATime });
		const node = { onError: 'continueRegularOutput' as const };
		const first = await run(service(), parameters, { items, node });
		expect(times(first).slice(2)).toEqual([slot(2), slot(3)]);
		return { parameters, first };
	};

	test.each(['dropAfter', 'dropBefore'] as const)(
		'keeps the slots of what was sent or may have been, and gives the rest the earliest: %s',
		async (kind) => {
			const { parameters, first } = await failing(kind);
			// Somebody else has taken the first slot in the meantime.
			has('other', slots[0]!);
			const retry = await run(service(), parameters, { items, ...retryOf(first) });
			expect(retry.error).toBeUndefined();
			expect(times(retry)).toEqual([slot(4), slot(1), slot(2), slot(3)]);
			expect(stored()).toEqual({
				One: slot(4),
				Two: slot(1),
				Three: slot(2),
				Four: slot(3),
				other: iso(slots[0]!).replace('Z', '.000Z'),
			});
			const ofTwo = asked(service(), 'POST').filter(({ body }) => body.content.text === 'Two');
			expect(
				new Set(ofTwo.map(({ headers, body }) => headers['idempotency-key'] + body.scheduled_at)).size,
			).toBe(1);
		},
	);

	test('of the node within the execution, too', async () => {
		service().faults.add({ kind: 'dropBefore', method: 'POST', skip: 1 });
		const result = await run(service(), queued({ options: oneAtATime }), {
			items,
			node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
		});
		expect(result.error).toBeUndefined();
		expect(times(result)).toEqual([0, 1, 2, 3].map(slot));
		expect(posts(service())).toHaveLength(4);
	});

	test('with nothing left to send reads no list', async () => {
		const first = await run(service(), queued(), { items });
		const before = reads();
		const retry = await run(service(), queued(), { items, ...retryOf(first) });
		expect([times(retry), reads() - before]).toEqual([times(first), 0]);
	});

	test('after a crash meets the old keys: a conflict, and nothing is posted twice', async () => {
		const resumeToken = 'token';
		const two = items.slice(0, 2);
		await run(service(), queued(), { items: two, resumeToken });
		const retry = await run(service(), queued(), {
			items: two,
			resumeToken,
			executionId: '2',
			mode: 'retry',
		});
		expect(retry.error.message).toMatch(/used before with other content/);
		expect(posts(service())).toHaveLength(2);
	});
});

test('whatever fails and is retried: each row has one post on each platform, and no two share a slot', async () => {
	const kinds = fc.constantFrom('dropBefore', 'dropAfter', 'error', 'errorAfter');
	const fault = fc.record({ kind: kinds, rate: fc.constantFrom(0.2, 0.5), seed: fc.nat(1000) });
	const tries = fc.array(fc.array(fault, { maxLength: 2 }), { minLength: 1, maxLength: 3 });
	const queue = fc.uniqueArray(fc.nat(9), { maxLength: 4 });
	const property = fc.asyncProperty(tries, queue, fc.nat({ max: 5 }), async (tries, queue, count) => {
		service().reset();
		for (const i of queue) has(`queued ${i}`, slots[i]!);
		const parameters = queued({ platforms: ['x', 'linkedin'], options: { maxRetryWait: 0 } });
		const items = rows(...Array.from({ length: count + 1 }, (_, i) => `Row ${i}`));
		let result: RunResult | undefined;
		for (const faults of [...tries, []]) {
			service().faults.clear();
			for (const { kind, ...more } of faults)
				service().faults.add({
					kind,
					method: 'POST',
					times: 0,
					...(kind === 'error' ? { code: 'PUBLIC_API_SCOPE_FORBIDDEN' } : {}),
					...(kind === 'errorAfter' ? { code: 'PUBLIC_API_POST_CREATE_FAILED' } : {}),
					...more,
				});
			result = await run(service(), parameters, { items, ...(result ? retryOf(result) : {}) });
		}
		expect(result!.error).toBeUndefined();
		expect(result!.json).toHaveLength(2 * items.length);
		const placed = posts(service()).map(({ platforms, scheduledAt }) => [platforms[0].platform, scheduledAt]);
		expect(placed).toHaveLength(queue.length + 2 * items.length);
		expect(new Set(placed.map(([platform, at]) => `${platform} ${Date.parse(at)}`)).size).toBe(placed.length);
		for (const at of times(result!)) expect(slots).toContain(Date.parse(String(at)));
	});
	await fc.assert(property, runs(25));
});

test('pressed again after a failed run by hand, what is missing gets the next slot', async () => {
	const pressed = { items: rows('One', 'Two', 'Three'), mode: 'manual' as const };
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 2 });
	const parameters = queued({ options: oneAtATime });
	expect((await run(service(), parameters, { ...pressed, executionId: 'a' })).error).toBeDefined();
	const again = await run(service(), parameters, { ...pressed, executionId: 'b' });
	expect(again.error).toBeUndefined();
	expect(times(again)).toEqual([0, 1, 2].map(slot));
});

test('the next round of a loop goes on behind the one before, also where its posts are not listed', async () => {
	const first = await run(service(), queued(), { items: rows('One') });
	for (const { id } of posts(service())) service().store.posts.get(id)!.workspaceId = 'ws_hidden';
	(service().store as any).feeds.clear();
	const round = { contextData: contextOf(first), runIndex: 1 };
	expect(times(await run(service(), queued(), { items: rows('Two'), ...round }))).toEqual([slot(1)]);
});

test("each call of a model's tool takes a slot; the same text again is the same post", async () => {
	const calls = ['One', 'Two', 'One'].map((text, runIndex) => ({ parameters: queued({ text }), runIndex }));
	const answers = await runTool({ credential: credentialOf(service()), calls });
	for (const [index, at] of [0, 1, 0].entries()) expect(JSON.stringify(answers[index])).toContain(slot(at));
	expect(posts(service())).toHaveLength(2);
});

test('a preview shows the slots, and sends nothing', async () => {
	has('taken', slots[0]!);
	const result = await run(service(), queued({ options: { previewOnly: true } }), {
		items: rows('One', 'Two'),
	});
	expect(times(result)).toEqual([slot(1), slot(2)]);
	for (const [index, { request, warnings, publishes }] of result.json.entries()) {
		expect((request as any).body.scheduled_at).toBe(slot(index + 1));
		expect([warnings, publishes]).toEqual([['The slot is chosen when the post is sent'], undefined]);
	}
	expect(asked(service(), 'POST')).toEqual([]);
});

test.each([{ idempotencyKeyMode: 'content' }, { idempotencyKeyMode: 'custom', idempotencyKey: 'row-7' }])(
	'the key does not depend on the slot: %j',
	async (options) => {
		for (const executionId of ['1', '2'])
			await run(service(), queued({ options }), { items: rows('One'), executionId });
		const requests = asked(service(), 'POST');
		expect(new Set(requests.map(({ body }) => body.scheduled_at)).size).toBe(2);
		expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
		expect(posts(service())).toHaveLength(1);
	},
);

describe('before anything is sent', () => {
	const refused = async (more: IDataObject, texts = ['One', 'Two']) => {
		const result = await run(service(), queued(more), { items: rows(...texts) });
		expect(asked(service(), 'POST')).toEqual([]);
		const { message, description } = result.error;
		return `${message} ${description}`;
	};

	test('rows for which nothing is free are refused, all at once', async () => {
		const texts = Array.from({ length: 15 }, (_, i) => `Row ${i}`);
		const message = await refused({ slotDays: ['mon'], slotTimes: soon.toFormat('HH:mm') }, texts);
		expect(message).toMatch(/^[23] of 15 rows can't be sent: No slot is free in the next 90 days for X/);
		expect(message).toContain("Add days or times in 'Slot Days' and 'Slot Times'");
	});
});

test('Time Between Posts is not used, and a time in the additional fields goes before', async () => {
	const spacing = { time: { amount: 1, unit: 'days' } };
	const spaced = await run(service(), queued({ options: { spacing } }), { items: rows('One', 'Two') });
	expect(times(spaced)).toEqual([slot(0), slot(1)]);
	const scheduled_at = '2126-01-01T10:00:00Z';
	const given = await run(service(), queued({ options: { additionalFields: { scheduled_at } } }), {
		items: rows('Three'),
		executionId: '2',
	});
	expect(times(given)).toEqual([scheduled_at]);
});
