import { RATE_LIMITS } from '../rateLimit';
import { ok, type Route } from '../pipeline';

/** Spec: "Usage figures." Fields: not shown; counted for the current month. */
export const usage: Route[] = [
	{
		method: 'GET',
		path: '/usage',
		scope: 'usage:read',
		handle({ service: { store, clock }, workspace, key }) {
			const now = new Date(clock.now());
			const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
			const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
			const posts = store.feed(workspace.id).filter(({ createdAt }) => Date.parse(createdAt) >= start);
			const media = [...store.media.values()].filter(
				({ workspaceId, uploaded }) => uploaded && workspaceId === workspace.id,
			);
			const { read, write } = RATE_LIMITS[key.plan];
			const limit = (value: number) => (Number.isFinite(value) ? value : null);
			return ok({
				plan: key.plan,
				period: { start: clock.iso(start), end: clock.iso(end) },
				posts: {
					created: posts.length,
					limit: store.postsLimit,
					completed: posts.filter(({ status }) => status === 'completed').length,
					failed: posts.filter(({ status }) => status === 'failed').length,
				},
				media: { uploads: media.length, bytes: media.reduce((sum, { size }) => sum + size, 0) },
				accounts: store.accountsOf(workspace.id).length,
				webhooks: [...store.webhooks.values()].filter((each) => each.workspaceId === workspace.id).length,
				requests_per_minute: { read: limit(read), write: limit(write) },
			});
		},
	},
];
