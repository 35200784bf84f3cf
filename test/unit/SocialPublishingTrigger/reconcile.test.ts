import { omit } from 'lodash';

import type { Connection } from '../../../nodes/SocialPublishingTrigger/connection';
import { diffSubscription } from '../../../nodes/SocialPublishingTrigger/reconcile';
import type {
	Desired,
	Ref,
	RemoteSubscription,
	Stored,
} from '../../../nodes/SocialPublishingTrigger/subscription';

/** What is created and what is deleted, for what the service lists and n8n keeps; whole lives are in reconcile.model.test.ts. */

const url = 'https://n8n.example.com/webhook/a/webhook';
const elsewhereUrl = 'https://copy.example.com/webhook/a/webhook';
const somebodysUrl = 'https://somebody.example.com';
const place = { url, serviceUrl: 'https://api.example.com/v1', workspaceId: 'ws_1' };
const { workspaceId } = place;
const events = ['post.published', 'post.failed'];
const connection = { ...place, ownSecret: 'derived now' } as Connection;
const desired: Desired = { events, description: 'n8n: A workflow' };
const ref = (webhookId: string, more: Partial<Ref> = {}): Ref => ({ webhookId, ...place, ...more });
type Current = NonNullable<Stored['current']>;
const listedAs = { url, events, isDisabled: false };
const current: Current = { ...ref('1', { listedAs }), events, secret: 'derived now', isDerived: true };
const own: RemoteSubscription = { webhookId: '1', url, events, isDisabled: false, workspaceId };
const other = (id: string, at = url): RemoteSubscription => ({ ...own, webhookId: id, url: at });

const diff = (remote: RemoteSubscription[], stored: Partial<Stored> = { current }, isKnown = false) =>
	omit(diffSubscription(remote, { connection, desired, remembered: { former: [], ...stored } }, isKnown), [
		'current',
		'made',
		'others',
	]);
const nothing = { obsolete: [], isUnlisted: false, elsewhere: [] };

test.each<[string, RemoteSubscription[], Partial<Current>?]>([
	['as it was made', [own]],
	[
		'among others, its events in another order',
		[other('2', somebodysUrl), { ...own, events: [...events].reverse() }],
	],
	['with nothing shown but its ID', [{ webhookId: '1', isDisabled: false, workspaceId }]],
	['with an address written its own way', [other('1', 'HTTPS://N8N.example.com.:443/webhook/%61/webhook')]],
	['with an address of its own', [other('1', elsewhereUrl)], { listedAs: { url: elsewhereUrl, events } }],
	['with events of its own', [{ ...own, events: ['all'] }], { listedAs: { url, events: ['all'] } }],
	['with a secret that the service made', [own], { isDerived: false, secret: 'whsec' }],
	['as not active yet', [{ ...own, isDisabled: true }], { listedAs: { url, events, isDisabled: true } }],
])('one in force, listed %s, as right after it was made: nothing to do', (_name, remote, stored = {}) => {
	expect(diff(remote, { current: { ...current, ...stored } })).toEqual(nothing);
});

test.each<[string, RemoteSubscription[], Partial<Current> | undefined, string[], string]>([
	['nothing stored', [other('7')], undefined, ['7'], 'none was known'],
	['not there', [], {}, ['1'], 'the service no longer lists it'],
	['replaced by one that nobody knows', [other('7')], {}, ['1', '7'], 'the service no longer lists it'],
	['disabled', [{ ...own, isDisabled: true }], {}, ['1'], 'it was disabled at the service'],
	[
		'deleted, and was never active',
		[{ ...own, url: undefined, isDisabled: true, isDeleted: true }],
		{ listedAs: { isDisabled: true } },
		['1'],
		'it was deleted at the service',
	],
	['of other events', [{ ...own, events: ['x'] }], {}, ['1'], 'its events were changed at the service'],
	['of events chosen before', [own], { events: ['x'] }, ['1'], 'other events were chosen'],
	['made with a key that was replaced', [own], { secret: 'derived then' }, ['1'], 'the API key was replaced'],
	['in another workspace', [], { workspaceId: 'ws_0' }, ['1'], 'the workspace was changed'],
])('one that is %s: another one, then the old one goes', (_name, remote, stored, ids, create) => {
	const { obsolete, ...rest } = diff(remote, stored ? { current: { ...current, ...stored } } : {});
	expect(rest).toEqual({ create, isUnlisted: false, elsewhere: [] });
	expect(obsolete.map(({ webhookId }) => webhookId)).toEqual(ids);
	// Where it was made, not where the trigger is now.
	expect(obsolete[0]!.workspaceId).toBe(stored?.workspaceId ?? workspaceId);
});

test('one that the list lacked at first is compared with how it is listed from then on', () => {
	const unlisted = { current: { ...current, listedAs: undefined }, former: [] };
	for (const shown of [
		[...events, 'ping'],
		['POST_PUBLISHED', 'POST_FAILED'],
	]) {
		const task = { connection, desired, remembered: unlisted };
		const found = diffSubscription([{ ...own, events: shown }], task);
		expect([found.create, found.current?.listedAs]).toEqual([undefined, { ...listedAs, events: shown }]);
	}
	// An event that is missing is no way of writing it.
	for (const shown of [['post.failed'], ['post.created']]) {
		const { create } = diff([{ ...own, events: shown }], unlisted);
		expect(create).toBe('its events were changed at the service');
	}
	// An ID alone is never ours.
	const elsewhere = { ...own, url: 'https://proxy.example' };
	expect(diff([elsewhere], unlisted)).toEqual({ ...nothing, create: 'the service no longer lists it' });
});

test.each<[string, Partial<Current>]>([
	['the credential is for another service', { serviceUrl: 'https://former.example.com/v1' }],
	['n8n has another address', { url: 'https://former.example.com/webhook/a/webhook' }],
])('%s: another one is made, and what is there stays', (create, made) => {
	expect(diff([], { current: { ...current, ...made } })).toEqual({ ...nothing, create });
});

test('without an ID, the one at its address that is not disabled is it', () => {
	const unnamed = { current: { ...current, webhookId: '', listedAs: undefined }, former: [] };
	const off = { ...other('8'), isDisabled: true };
	const found = diffSubscription([off, own], { connection, desired, remembered: unnamed });
	expect([found.create, found.current?.webhookId]).toEqual([undefined, '1']);
	expect(diff([off], unnamed).create).toBe('it was disabled at the service');
});
