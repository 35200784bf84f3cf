import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { countBy, omit, orderBy, pick, sortBy } from 'lodash';
import type { Service } from './index';
import { TERMINAL, type InboxItem, type Post, type Webhook } from './types';

const POSTS_SHOWN = 60;
const DELIVERIES_SHOWN = 40;
const INBOX_SHOWN = 12;
const REQUESTS_SHOWN = 20;

/** The page for people at `/`, and what it shows as JSON. Its buttons call the control interface. */
export async function page(app: FastifyInstance, service: Service): Promise<void> {
	app.get('/', async (_request, reply) => {
		// Read each time: the page can be worked on while the service runs.
		return await reply.type('text/html; charset=utf-8').send(readFileSync(join(__dirname, 'page.html')));
	});
	app.get('/page.json', async (_request, reply) => {
		return await reply.header('cache-control', 'no-store').send(snapshot(service));
	});
}

/** What is newest of everything, and how many there are. Of keys only those of the seed; webhook secrets stay inside. */
function snapshot({ clock, store, faults, deliveries, requests, url, keys, editor }: Service) {
	const history = deliveries.history();
	const [workspace] = store.workspaces.values();
	const posts = [...store.posts.values()];
	return {
		now: clock.now(),
		speed: clock.speed,
		editor,
		credential: { url, keys, workspace: workspace?.id },
		statuses: countBy(posts, 'status'),
		posts: newest(posts, POSTS_SHOWN).map((post) => shownPost(post, store)),
		upcoming: nextDue(posts).map((post) => shownPost(post, store)),
		webhooks: [...store.webhooks.values()].map((webhook) => shownWebhook(webhook, history)),
		gone: history.filter(({ webhook_id }) => !store.webhooks.has(webhook_id)).slice(0, DELIVERIES_SHOWN),
		inbox: newest(store.inbox.values(), INBOX_SHOWN).map(shownInboxItem),
		faults: faults.list(),
		requests: requests
			.slice(-REQUESTS_SHOWN)
			.reverse()
			.map((request) => pick(request, ['receivedAt', 'method', 'path', 'status', 'fault'])),
	};
}

/** What changed last comes first: a post that was just published is at the top of the feed. */
const newest = <T extends { createdAt: string; updatedAt?: string }>(
	records: Iterable<T>,
	count: number,
): T[] => orderBy([...records], ({ updatedAt, createdAt }) => updatedAt ?? createdAt, 'desc').slice(0, count);

/** What is not published yet, next due first; drafts without a time last. */
const nextDue = (posts: Post[]): Post[] =>
	sortBy(
		posts.filter(({ status }) => !TERMINAL.has(status)),
		'scheduledAt',
	).slice(0, POSTS_SHOWN);

function shownPost(post: Post, { mediaByUrl, workspaces }: Service['store']) {
	const workspace = workspaces.get(post.workspaceId);
	const brand = workspace?.brands.find(({ id }) => id === post.brandId);
	return {
		...omit(post, ['workspaceId', 'brandId', 'shape', 'extra', 'at', 'accountId']),
		media: post.media.map((url) => ({ url, type: mediaByUrl.get(url)?.contentType ?? '' })),
		brand: [...new Set([workspace?.name, brand?.name])].filter(Boolean).join(' / '),
	};
}

function shownWebhook(webhook: Webhook, history: Array<{ webhook_id: string }>) {
	const own = history.filter(({ webhook_id }) => webhook_id === webhook.id);
	return {
		...omit(webhook, ['secret', 'workspaceId', 'createdAt']),
		deliveries: own.slice(0, DELIVERIES_SHOWN),
	};
}

const shownInboxItem = (item: InboxItem) => ({
	...omit(item, ['workspaceId', 'brandId', 'conversationId']),
	author: item.author.name,
	replies: item.replies.map(({ text }) => text),
});
