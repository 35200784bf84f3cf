import omit from 'lodash/omit';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { parseBody, parseQuery } from '../check';
import { newId } from '../envelope';
import { bodyInvalid, notFound } from '../errors';
import { created, noContent, ok, type Context, type Route } from '../pipeline';
import { DELIVERY_STATUSES, type Webhook } from '../types';
import { listOf } from './lists';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Spec: "https address of the receiver". http goes for this machine only, so that tests need no certificate. */
const address = z.string().refine((value) => {
	if (!URL.canParse(value)) return false;
	const { protocol, hostname } = new URL(value);
	return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}, 'has to be an https address');

const body = z
	.object({
		url: address,
		events: z
			.array(z.string())
			.min(1, 'names no event')
			.refine((names) => new Set(names).size === names.length, 'names an event twice'),
		description: z.string().optional(),
		/** The name is ours: the field for supplying one's own secret is not shown. */
		secret: z.string().min(16, 'has to be at least 16 characters').optional(),
	})
	.passthrough();

const present = (webhook: Webhook) => ({
	id: webhook.id,
	url: webhook.url,
	events: [...webhook.events],
	description: webhook.description,
	status: webhook.status,
	created_at: webhook.createdAt,
});

function create(context: Context) {
	const { store, clock } = context.service;
	const input = parseBody(body, context.body);
	const unknown = input.events.find((name) => !store.eventNames.has(name));
	if (unknown !== undefined) throw bodyInvalid(`events: there is no event ${unknown}`);
	if (input.secret !== undefined && !store.acceptCallerSecret) {
		throw bodyInvalid('secret: is made by the service');
	}
	const webhook: Webhook = {
		id: newId('wh'),
		workspaceId: context.workspace.id,
		url: input.url,
		events: input.events,
		description: input.description ?? null,
		status: 'active',
		secret: input.secret ?? `whsec_${randomBytes(24).toString('hex')}`,
		createdAt: clock.iso(),
	};
	store.webhooks.set(webhook.id, webhook);
	// Spec: `webhook.secret`, "returned only once at creation".
	return created({ webhook: { ...present(webhook), secret: webhook.secret } });
}

function find({ service, workspace, params }: Context): Webhook {
	const webhook = service.store.webhooks.get(params.id ?? '');
	if (webhook?.workspaceId !== workspace.id) throw notFound('There is no such webhook.');
	return webhook;
}

/** Spec, "Webhook" and "Webhook delivery". */
export const webhooks: Route[] = [
	{ method: 'POST', path: '/webhooks', scope: 'webhooks:write', handle: create },
	{
		method: 'GET',
		path: '/webhooks',
		scope: 'webhooks:read',
		handle({ service: { store }, workspace, query }) {
			parseQuery(z.object({}).strict(), query);
			const all = [...store.webhooks.values()].filter((each) => each.workspaceId === workspace.id);
			return ok(listOf(store, 'webhooks', all.map(present)));
		},
	},
	{
		method: 'DELETE',
		path: '/webhooks/:id',
		scope: 'webhooks:write',
		handle(context) {
			const webhook = find(context);
			context.service.store.webhooks.delete(webhook.id);
			context.service.deliveries.webhookRemoved(webhook.id);
			return noContent;
		},
	},
	{
		method: 'GET',
		path: '/webhooks/:id/deliveries',
		scope: 'webhooks:read',
		handle(context) {
			const { store, deliveries } = context.service;
			const webhook = find(context);
			const { status } = parseQuery(
				z.object({ status: z.enum(DELIVERY_STATUSES).optional() }).strict(),
				context.query,
			);
			const list = deliveries.list(webhook.id, status);
			const shown = store.deliveriesNameEvents
				? list
				: list.map((one) => omit(one, ['event', 'event_id', 'event_type']));
			return ok(listOf(store, 'deliveries', shown));
		},
	},
];
