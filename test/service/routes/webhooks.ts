import { omit } from 'lodash';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { deliveryStatuses, events } from '../../support/specification';
import { noQuery, parseBody, parseQuery } from '../check';
import { bodyInvalid, newId, notFound } from '../envelope';
import { created, noContent, ok, type Context, type Route } from '../pipeline';
import type { Webhook } from '../types';
import { ofPath, ofWorkspace, present } from './lists';

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
			.array(z.string().refine((name) => events.includes(name), 'is no event'))
			.min(1, 'names no event')
			.refine((names) => new Set(names).size === names.length, 'names an event twice'),
		description: z.string().optional(),
		/** The name is ours: the field for supplying one's own secret is not shown. */
		secret: z.string().min(16, 'has to be at least 16 characters').optional(),
	})
	.passthrough();

const deliveriesQuery = z.object({ status: z.enum(deliveryStatuses).optional() }).strict();

const withoutSecret = (webhook: Webhook) => present(omit(webhook, ['secret', 'workspaceId']));

function create(context: Context) {
	const { store, clock, speaker } = context.service;
	const input = parseBody(body, context.body);
	if (input.secret !== undefined && speaker.dialect['own secret'] === 'refused') {
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
	return created({ webhook: { ...withoutSecret(webhook), secret: webhook.secret } });
}

const find = (context: Context) =>
	ofPath(context.service.store.webhooks, context, notFound('There is no such webhook.'));

function list({ service: { store }, workspace, query }: Context) {
	parseQuery(noQuery, query);
	return ok({ webhooks: ofWorkspace(store.webhooks, workspace).map(withoutSecret) });
}

function remove(context: Context) {
	const { id } = find(context);
	context.service.store.webhooks.delete(id);
	context.service.deliveries.webhookRemoved(id);
	return noContent;
}

function deliveries(context: Context) {
	const { id } = find(context);
	const { status } = parseQuery(deliveriesQuery, context.query);
	const own = context.service.deliveries.history().filter((one) => one.webhook_id === id);
	const found = own.filter((one) => status === undefined || one.status === status);
	return ok({ deliveries: found.map((one) => omit(one, ['log', 'scheduled_retries'])) });
}

/** Spec, "Webhook" and "Webhook delivery". */
export const webhooks: Route[] = [
	{ method: 'POST', path: '/webhooks', scope: 'webhooks:write', handle: create },
	{ method: 'GET', path: '/webhooks', scope: 'webhooks:read', handle: list },
	{ method: 'DELETE', path: '/webhooks/:id', scope: 'webhooks:write', handle: remove },
	{ method: 'GET', path: '/webhooks/:id/deliveries', scope: 'webhooks:read', handle: deliveries },
];
