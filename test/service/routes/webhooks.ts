import omit from 'lodash/omit';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { deliveryStatuses } from '../../support/specification';
import { noQuery, parseBody, parseQuery } from '../check';
import { newId } from '../envelope';
import { bodyInvalid, notFound } from '../errors';
import { created, noContent, ok, type Context, type Route } from '../pipeline';
import type { Webhook } from '../types';
import { listOf, ofPath, ofWorkspace, present } from './lists';

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

const deliveriesQuery = z.object({ status: z.enum(deliveryStatuses).optional() }).strict();

const withoutSecret = (webhook: Webhook) => present(omit(webhook, ['secret', 'workspaceId']));

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
	return created({ webhook: { ...withoutSecret(webhook), secret: webhook.secret } });
}

const find = (context: Context) =>
	ofPath(context.service.store.webhooks, context, notFound('There is no such webhook.'));

function list({ service: { store }, workspace, query }: Context) {
	parseQuery(noQuery, query);
	return ok(listOf(store, 'webhooks', ofWorkspace(store.webhooks, workspace).map(withoutSecret)));
}

function remove(context: Context) {
	const { id } = find(context);
	context.service.store.webhooks.delete(id);
	context.service.deliveries.webhookRemoved(id);
	return noContent;
}

function deliveries(context: Context) {
	const { store, deliveries: engine } = context.service;
	const { id } = find(context);
	const { status } = parseQuery(deliveriesQuery, context.query);
	const hidden = store.deliveriesNameEvents ? [] : ['event', 'event_id', 'event_type'];
	return ok(
		listOf(
			store,
			'deliveries',
			engine.list(id, status).map((one) => omit(one, hidden)),
		),
	);
}

/** Spec, "Webhook" and "Webhook delivery". */
export const webhooks: Route[] = [
	{ method: 'POST', path: '/webhooks', scope: 'webhooks:write', handle: create },
	{ method: 'GET', path: '/webhooks', scope: 'webhooks:read', handle: list },
	{ method: 'DELETE', path: '/webhooks/:id', scope: 'webhooks:write', handle: remove },
	{ method: 'GET', path: '/webhooks/:id/deliveries', scope: 'webhooks:read', handle: deliveries },
];
