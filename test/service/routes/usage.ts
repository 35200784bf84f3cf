import countBy from 'lodash/countBy';
import mapValues from 'lodash/mapValues';
import sumBy from 'lodash/sumBy';
import { RATE_LIMITS } from '../rateLimit';
import { ok, type Route } from '../pipeline';
import { ofWorkspace } from './lists';

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
			const { completed = 0, failed = 0 } = countBy(posts, 'status');
			const media = ofWorkspace(store.media, workspace).filter(({ uploaded }) => uploaded);
			return ok({
				plan: key.plan,
				period: { start: clock.iso(start), end: clock.iso(end) },
				posts: { created: posts.length, limit: store.postsLimit, completed, failed },
				media: { uploads: media.length, bytes: sumBy(media, 'size') },
				accounts: ofWorkspace(store.accounts, workspace).length,
				webhooks: ofWorkspace(store.webhooks, workspace).length,
				requests_per_minute: mapValues(RATE_LIMITS[key.plan], (most) =>
					Number.isFinite(most) ? most : null,
				),
			});
		},
	},
];
