import fc from 'fast-check';

import { Clock } from '../../service/clock';
import type { ApiError } from '../../service/errors';
import { Lifecycle, type NewPost } from '../../service/lifecycle';
import { Store } from '../../service/store';
import type { EventInput, Post } from '../../service/types';
import { runs } from '../../support/property';

const HOUR = 3_600_000;

/** A life-cycle with one post, due in an hour, on a clock that stands still; what it emitted since the last look. */
function lifeOf(more: Partial<NewPost> = {}) {
	const clock = new Clock(0);
	const store = new Store(clock);
	const emitted: EventInput[] = [];
	const lifecycle = new Lifecycle(store, { emit: (event: EventInput) => emitted.push(event) } as never);
	const { post, refused } = lifecycle.create({
		...{
			shape: 'integrationGuide',
			text: 'Hello',
			media: [],
			extra: {},
			platforms: ['linkedin'],
			draft: false,
		},
		...{
			workspaceId: 'ws_main',
			brandId: 'brand_main',
			scheduledAt: clock.iso(clock.now() + HOUR),
			accountId: undefined,
		},
		...more,
	});
	const events = () => emitted.splice(0).map(({ type }) => type);
	return { clock, store, lifecycle, post, refused, emitted, events };
}
type Life = ReturnType<typeof lifeOf>;

const actions = {
	publish: ({ lifecycle, post }: Life) => lifecycle.publish(post),
	fail: ({ lifecycle, post }: Life) => lifecycle.fail(post, 'no'),
	hold: ({ lifecycle, post }: Life) => lifecycle.hold(post),
	approve: ({ lifecycle, post }: Life) => lifecycle.approve(post),
	reject: ({ lifecycle, post }: Life) => lifecycle.reject(post),
	cancel: ({ lifecycle, post }: Life) => lifecycle.cancel(post),
	remove: ({ lifecycle, post }: Life) => lifecycle.remove(post),
	schedule: ({ lifecycle, post }: Life) => lifecycle.reschedule(post, 'scheduled', post.scheduledAt),
	toDraft: ({ lifecycle, post }: Life) => lifecycle.reschedule(post, 'draft', post.scheduledAt),
	move: ({ lifecycle, post, clock }: Life) =>
		lifecycle.reschedule(post, 'scheduled', clock.iso(post.at + HOUR)),
	wait: async ({ clock, post }: Life) => await clock.advance(Math.max(post.at - clock.now(), 0) + 2000),
};
type Action = keyof typeof actions;

/** Where each action leads, and the events on the way; what is not named changes nothing. */
const ends = {
	publish: ['completed', 'post.published'],
	fail: ['failed', 'post.failed'],
	cancel: ['canceled', 'post.canceled'],
	remove: ['canceled', 'post.canceled'],
};
const rejecting = (end: keyof typeof ends) => [ends[end][0]!, 'approval.item_rejected', ends[end][1]!];
const approved = ['approval.item_approved', 'approval.batch_approved'];
const table: Record<string, Partial<Record<Action, string[]>>> = {
	draft: { ...ends, schedule: ['scheduled', 'post.scheduled'], move: ['scheduled', 'post.scheduled'] },
	scheduled: {
		...ends,
		hold: ['pending_approval', 'approval.batch_created'],
		toDraft: ['draft'],
		move: ['scheduled', 'post.scheduled'],
		wait: ['completed', 'post.published'],
	},
	pending_approval: {
		publish: ['completed', ...approved, 'post.published'],
		fail: rejecting('fail'),
		cancel: rejecting('cancel'),
		remove: rejecting('remove'),
		approve: ['scheduled', ...approved, 'post.scheduled'],
		reject: ['draft', 'approval.item_rejected'],
	},
};
const terminal = ['completed', 'failed', 'canceled'];
/** PATCH asks for these of drafts and scheduled posts only. */
const ofPatch = ['schedule', 'toDraft', 'move'];

test('any sequence of what people, platforms and time do: states and events as the table says', async () => {
	const names = fc.constantFrom(...(Object.keys(actions) as Action[]));
	await fc.assert(
		fc.asyncProperty(fc.boolean(), fc.array(names, { maxLength: 12 }), async (draft, sequence) => {
			const life = lifeOf({ draft });
			const { post, store, events } = life;
			expect([post.status, ...events()]).toEqual(
				draft ? ['draft', 'post.created'] : ['scheduled', 'post.created', 'post.scheduled'],
			);
			for (const action of sequence) {
				const before = post.status;
				if (ofPatch.includes(action) && !['draft', 'scheduled'].includes(before)) continue;
				const [after = before, ...emitted] = table[before]?.[action] ?? [];
				const refused = terminal.includes(before) && (action === 'cancel' || action === 'remove');
				const code = await Promise.resolve()
					.then(async () => void (await actions[action](life)))
					.catch((error: ApiError) => error.code);
				const [platform] = post.platforms;
				expect({
					...{ before, action, code, after: post.status, events: events(), platform: platform!.status },
					isStored: store.posts.has(post.id),
					published: [post.publishedAt, post.providerPostId, platform!.provider_post_id].map(Boolean),
					isWrong: post.error !== undefined,
					lastNoted: post.history.at(-1)!.status,
					open: [...store.approvals.values()].filter(({ status }) => status === 'pending').length,
				}).toEqual({
					...{ before, action, code: refused ? 'PUBLIC_API_POST_CANCEL_INVALID_STATE' : undefined },
					...{ after, events: emitted, platform: after },
					isStored: action !== 'remove' || refused,
					published: Array(3).fill(after === 'completed'),
					isWrong: after === 'failed',
					lastNoted: after,
					open: after === 'pending_approval' ? 1 : 0,
				});
				if (!store.posts.has(post.id)) break;
			}
		}),
		runs(100),
	);
});

test('a post is published when it is due, not before, and after a short while where no time is given', async () => {
	const life = lifeOf();
	await life.clock.advance(HOUR - 1000);
	expect(life.post.status).toBe('scheduled');
	await life.clock.advance(1000);
	expect(life.post).toMatchObject({ status: 'completed', publishedAt: life.post.scheduledAt });
	const soon = lifeOf({ scheduledAt: undefined });
	expect(soon.post.scheduledAt).toBe(soon.post.createdAt);
	await soon.clock.advance(999);
	expect(soon.post.status).toBe('scheduled');
	await soon.clock.advance(1);
	expect(soon.post.status).toBe('completed');
	const moved = lifeOf();
	actions.move(moved);
	await moved.clock.advance(1.5 * HOUR);
	expect(moved.post.status).toBe('scheduled');
	await moved.clock.advance(HOUR);
	expect(moved.post.status).toBe('completed');
	const forgotten = lifeOf();
	forgotten.lifecycle.reset();
	await forgotten.clock.advance(2 * HOUR);
	expect(forgotten.post.status).toBe('scheduled');
});

test.each<[string, string, Array<Post['platforms'][number]['status']>]>([
	['Hello', 'completed', ['completed', 'completed']],
	['Hello [[fail]]', 'failed', ['failed', 'failed']],
	['[[fail:linkedin]] Hello', 'completed', ['failed', 'completed']],
	['Hello [[hold]]', 'pending_approval', ['pending_approval', 'pending_approval']],
	['Hello [[422]]', 'failed', ['failed', 'failed']],
])('a text may ask for it: %j is %s in the end, on its platforms %j', async (text, status, states) => {
	const life = lifeOf({ text, platforms: ['linkedin', 'x'] });
	expect(life.refused?.code).toBe(text.includes('422') ? 'PUBLIC_API_PUBLISH_FAILED' : undefined);
	await life.clock.advance(HOUR);
	expect(life.post.status).toBe(status);
	expect(life.post.platforms.map((one) => one.status)).toEqual(states);
	const ids = life.post.platforms.map((one) => one.provider_post_id);
	expect(ids.map((id) => id !== undefined)).toEqual(states.map((one) => one === 'completed'));
	expect(life.post.providerPostId).toBe(ids.find((id) => id !== undefined));
	if (text.includes(':linkedin')) {
		const alone = lifeOf({ text });
		await alone.clock.advance(HOUR);
		expect(alone.post.status).toBe('failed');
	}
});

test('events carry the post, its state then, its workspace and brand, and what is special of each', async () => {
	const life = lifeOf();
	actions.hold(life);
	actions.approve(life);
	actions.publish(life);
	const failed = lifeOf({ text: '[[fail]]' });
	actions.publish(failed);
	const { id, scheduledAt, providerPostId } = life.post;
	const [batch] = [...life.store.approvals.values()];
	expect(batch).toMatchObject({ status: 'approved', items: [{ post_id: id, status: 'approved' }] });
	const ofBatch = { batch_id: batch!.id, post_ids: [id] };
	const ofItem = { ...ofBatch, item_id: batch!.items[0]!.id, post_id: id };
	expect(life.emitted.map(({ type, data }) => [type, data])).toEqual([
		['post.created', { post_id: id, status: 'scheduled', platforms: ['linkedin'] }],
		[
			'post.scheduled',
			{ post_id: id, status: 'scheduled', platforms: ['linkedin'], scheduled_at: scheduledAt },
		],
		['approval.batch_created', { ...ofBatch, status: 'pending' }],
		['approval.item_approved', { ...ofItem, status: 'pending' }],
		['approval.batch_approved', { ...ofBatch, status: 'approved' }],
		[
			'post.scheduled',
			{ post_id: id, status: 'scheduled', platforms: ['linkedin'], scheduled_at: scheduledAt },
		],
		[
			'post.published',
			{ post_id: id, status: 'completed', platforms: ['linkedin'], provider_post_id: providerPostId },
		],
	]);
	expect(failed.emitted.at(-1)).toMatchObject({
		...{ type: 'post.failed', workspaceId: 'ws_main', brandId: 'brand_main', resource: failed.post.id },
		data: {
			status: 'failed',
			error: { code: 'PROVIDER_REJECTED', message: 'The platform did not take the post.' },
		},
	});
});
