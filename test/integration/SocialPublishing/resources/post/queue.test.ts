import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { parseSlots, slotsBetween } from '../../../../../nodes/SocialPublishing/resources/post/slots';
import { insertPost } from '../../../../service/seed';
import { runTool, type RunResult } from '../../../../support/engine';
import { runs } from '../../../../support/property';
import {
	asked,
	createPost,
	credentialOf,
	item,
	posts,
	retryOf,
	run,
	says,
	useService,
} from '../../../../support/service';

/**
 * *When: In the Next Free Slot*, in the real engine against the embedded service. Which slots are free: the queue's unit
 * tests; previews, additional fields and keys: those of `create.ts`, `preview.ts` and `write.ts`.
 */

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
const times = ({ json }: RunResult) => json.map(({ scheduled_at }) => scheduled_at);
const has = (id: string, at: number) =>
	insertPost(service(), { id, text: id, status: 'scheduled', at, platforms: ['x'] });

const keyed = [
	{ avoidDuplicates: { by: { mode: 'content' } } },
	{ avoidDuplicates: { by: { mode: 'custom', id: '={{ $json.text.replace(" ", "-") }}' } } },
];

test('whatever fails and is retried: each row has one post on each platform, and no two share a slot', async () => {
	const kinds = fc.constantFrom('dropBefore', 'dropAfter', 'error', 'errorAfter');
	const fault = fc.record({ kind: kinds, rate: fc.constantFrom(0.2, 0.5), seed: fc.nat(1000) });
	const tries = fc.array(fc.array(fault, { maxLength: 2 }), { minLength: 1, maxLength: 3 });
	const queue = fc.uniqueArray(fc.nat(9), { maxLength: 4 });
	const mode = fc.constantFrom<IDataObject>({}, ...keyed);
	const property = fc.asyncProperty(
		tries,
		queue,
		fc.nat({ max: 5 }),
		mode,
		async (tries, queue, count, mode) => {
			service().reset();
			for (const i of queue) has(`queued ${i}`, slots[i]!);
			const parameters = queued({ platforms: ['x', 'linkedin'], options: { maxRetryWait: 0, ...mode } });
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
			const placed = posts(service()).map(({ platforms, scheduledAt }) => [
				platforms[0].platform,
				scheduledAt,
			]);
			expect(placed).toHaveLength(queue.length + 2 * items.length);
			expect(new Set(placed.map(([platform, at]) => `${platform} ${Date.parse(at)}`)).size).toBe(
				placed.length,
			);
			for (const at of times(result!)) expect(slots).toContain(Date.parse(String(at)));
		},
	);
	await fc.assert(property, runs(25));
});

describe.each(keyed)('a row that an earlier execution sent (%j)', (options) => {
	const plan = async (...texts: string[]) =>
		await run(service(), queued({ platforms: ['x'], options: { ...options } }), {
			items: rows(...texts),
		});

	test('takes no slot: the new rows get the first ones that are free', async () => {
		await plan('a', 'b', 'c');
		has('queued', slots[4]!);
		const { json } = await plan('a', 'b', 'new', 'c', 'newer');
		expect(json.map(({ sent_before: before, scheduled_at: at }) => before ?? at)).toEqual([
			...[true, true, slot(3), true, slot(5)],
		]);
		expect(posts(service())).toHaveLength(6);
	});

	test('leaves the last one to the new row; the one after it is refused', async () => {
		await plan('a', 'b', 'c');
		for (const [i, at] of slots.slice(4).entries()) has(`queued ${i}`, at);
		const { error } = await plan('a', 'b', 'c', 'new', 'newer');
		expect(error.message).toMatch(/^Row 5 of 5 failed: No slot is free in the next 90 days for X/);
		const isNew = ({ text }: { text: string }) => text.startsWith('new');
		expect(posts(service()).filter(isNew)).toMatchObject([{ text: 'new', scheduledAt: slot(3) }]);
	});
});

test("each call of a model's tool takes a slot; the same text again is the same post", async () => {
	const calls = ['One', 'Two', 'One'].map((text, runIndex) => ({ parameters: queued({ text }), runIndex }));
	const answers = await runTool({ credential: credentialOf(service()), calls });
	for (const [index, at] of [0, 1, 0].entries()) expect(JSON.stringify(answers[index])).toContain(slot(at));
	expect(posts(service())).toHaveLength(2);
});

test('a model that repeats itself gets its first answer, also where no slot can be found any more', async () => {
	const credential = credentialOf(service());
	const contextData = {};
	const call = async (more: IDataObject, runIndex: number) =>
		(
			await runTool({
				credential,
				contextData,
				calls: [{ parameters: queued({ text: 'One', ...more }), runIndex }],
			})
		)[0];
	const [first] = await call({}, 0);
	service().faults.add({
		kind: 'error',
		code: 'PUBLIC_API_SCOPE_FORBIDDEN',
		method: 'GET',
		path: 'posts',
		times: 0,
	});
	const [again] = await call({}, 1);
	const [now] = await call({ when: 'now' }, 2);
	expect([again.id, now.id === first.id]).toEqual([first.id, false]);
});

test('the queue is asked for once a run, from now to the horizon, with what is close to both ends', async () => {
	const now = Date.now();
	await run(service(), queued({ platforms: ['x', 'linkedin'] }), { items: rows('a', 'b') });
	const [request, ...others] = asked(service(), 'GET', /posts$/);
	const minutes = [request.query.from, request.query.to].map((end) => (Date.parse(end) - now) / 60_000);
	expect(minutes.map(Math.round)).toEqual([-10, 90 * 24 * 60 + 10]);
	expect([request.query.limit, others]).toEqual(['100', []]);
});

test('more posts at one moment than the service lists: the advice is what there is in Create', async () => {
	for (let i = 0; i < 101; i++) has(`queued ${i}`, slots[0]!);
	const { error } = await run(service(), queued({ text: 'a' }));
	expect(error.context.data.code).toBe('NODE_SECOND_TOO_FULL');
	expect(error.description).toContain("Set 'When' to 'At a Time'.");
	expect(posts(service())).toHaveLength(101);
});

test.each<[what: string, answer: IDataObject, listed: IDataObject[], index: number]>([
	['takes its slot, also where the list lacks it', {}, [], 1],
	['and is moved in the list has the slot there', { id: 'p' }, [{ id: 'p', scheduled_at: slot(1) }], 0],
])('what this execution has sent %s', async (_what, answer, listed, index) => {
	const inList = listed.map((one) => ({ platform: 'x', status: 'scheduled', ...one }));
	let isSent = false;
	says(service(), { 'POST /posts': answer, 'GET /posts': () => (isSent ? inList : []) });
	const first = await run(service(), queued({ platforms: ['x'] }), { items: rows('a') });
	isSent = true;
	const { json } = await run(service(), queued({ platforms: ['x'] }), {
		items: rows('a', 'b'),
		...retryOf(first),
	});
	expect(json[1]!.scheduled_at).toBe(slot(index));
});
