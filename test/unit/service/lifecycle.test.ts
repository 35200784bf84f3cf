import { Clock } from '../../service/clock';
import type { ApiError } from '../../service/envelope';
import { Lifecycle } from '../../service/lifecycle';
import { Store } from '../../service/store';
import type { EventInput } from '../../service/types';

const HOUR = 3_600_000;

/** A life-cycle with one post, due in an hour, on a clock that stands still; what it emitted since the last look. */
function lifeOf() {
	const clock = new Clock(0);
	const store = new Store(clock);
	const emitted: EventInput[] = [];
	const lifecycle = new Lifecycle(store, { emit: (event: EventInput) => emitted.push(event) } as never);
	const { post } = lifecycle.create({
		...{ shape: 'integrationGuide', text: 'Hello', media: [], extra: {}, platforms: ['linkedin'] },
		...{ workspaceId: 'ws_main', brandId: 'brand_main', scheduledAt: clock.iso(clock.now() + HOUR) },
	});
	return { clock, store, lifecycle, post, events: () => emitted.splice(0) };
}
type Life = ReturnType<typeof lifeOf>;

const actions = {
	publish: ({ lifecycle, post }: Life) => lifecycle.publish(post),
	fail: ({ lifecycle, post }: Life) => lifecycle.fail(post, 'no'),
	hold: ({ lifecycle, post }: Life) => lifecycle.hold(post),
	approve: ({ lifecycle, post }: Life) => lifecycle.approve(post),
	cancel: ({ lifecycle, post }: Life) => lifecycle.cancel(post),
	remove: ({ lifecycle, post }: Life) => lifecycle.remove(post),
	schedule: ({ lifecycle, post }: Life) => lifecycle.reschedule(post, 'scheduled', post.scheduledAt),
	toDraft: ({ lifecycle, post }: Life) => lifecycle.reschedule(post, 'draft', post.scheduledAt),
	move: ({ lifecycle, post, clock }: Life) =>
		lifecycle.reschedule(post, 'scheduled', clock.iso(post.at + HOUR)),
	wait: async ({ clock, post }: Life) => await clock.advance(Math.max(post.at - clock.now(), 0) + 1000),
	waitLess: async ({ clock, post }: Life) => await clock.advance(Math.max(post.at - clock.now() - 1, 0)),
};
type Action = keyof typeof actions;

/** Where each action leads, and the events on the way; what is not named changes nothing. */
const [publish, fail, cancel] = [
	['completed', 'post.published'],
	['failed', 'post.failed'],
	['canceled', 'post.canceled'],
];
const schedule = ['scheduled', 'post.scheduled'];
const approved = ['approval.item_approved', 'approval.batch_approved'];
const rejecting = ([status, event]: string[]) => [status!, 'approval.item_rejected', event!];
const table: Record<string, Partial<Record<Action, string[]>>> = {
	draft: { publish, fail, cancel, remove: cancel, schedule, move: schedule },
	scheduled: {
		...{ publish, fail, cancel, remove: cancel, move: schedule, wait: publish },
		hold: ['pending_approval', 'approval.batch_created'],
		toDraft: ['draft'],
	},
	pending_approval: {
		...{ fail: rejecting(fail!), cancel: rejecting(cancel!), remove: rejecting(cancel!) },
		publish: ['completed', ...approved, 'post.published'],
		approve: ['scheduled', ...approved, 'post.scheduled'],
	},
};
const terminal = ['completed', 'failed', 'canceled'];
/** PATCH asks for these of drafts and scheduled posts only. */
const ofPatch = ['schedule', 'toDraft', 'move'];

/** Does one after the other, and compares with the table. */
async function walk(sequence: Action[]) {
	const life = lifeOf();
	const { post, store, events } = life;
	const made = ['scheduled', 'post.created', 'post.scheduled'];
	expect([post.status, ...events().map(({ type }) => type)]).toEqual(made);
	for (const action of sequence) {
		const before = post.status;
		if (ofPatch.includes(action) && !['draft', 'scheduled'].includes(before)) continue;
		const [after = before, ...emitted] = table[before]?.[action] ?? [];
		const refused = terminal.includes(before) && (action === 'cancel' || action === 'remove');
		const code = await Promise.resolve()
			.then(async () => void (await actions[action](life)))
			.catch((error: ApiError) => error.code);
		const [platform] = post.platforms;
		const seen = events();
		expect({
			...{ before, action, code, after: post.status, platform: platform!.status },
			events: seen.map(({ type }) => type),
			isStored: store.posts.has(post.id),
			published: [post.publishedAt, post.providerPostId, platform!.provider_post_id].map(Boolean),
			isWrong: post.error !== undefined,
			open: [...store.approvals.values()].filter(({ status }) => status === 'pending').length,
		}).toEqual({
			...{ before, action, code: refused ? 'PUBLIC_API_POST_CANCEL_INVALID_STATE' : undefined },
			...{ after, events: emitted, platform: after },
			isStored: action !== 'remove' || refused,
			published: Array(3).fill(after === 'completed'),
			isWrong: after === 'failed',
			open: after === 'pending_approval' ? 1 : 0,
		});
		for (const { type, data } of seen)
			expect(data).toMatchObject(
				type.startsWith('post.') ? { post_id: post.id, status: after } : { post_ids: [post.id] },
			);
		if (!store.posts.has(post.id)) break;
	}
}

test('each action in each state: states and events as the table says', async () => {
	const ways: Action[][] = [[], ['toDraft'], ['hold'], ['publish'], ['fail'], ['cancel']];
	for (const action of Object.keys(actions) as Action[]) for (const way of ways) await walk([...way, action]);
});
