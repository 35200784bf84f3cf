import fc from 'fast-check';

import { isSameAddress } from '../../../nodes/shared/addresses';
import type { RemoteSubscription } from '../../../nodes/shared/webhooks';
import {
	diffSubscription,
	type DesiredSubscription,
	type Stored,
	type StoredSubscription,
} from '../../../nodes/SocialPublishingTrigger/reconcile';
import { runs } from '../../support/property';

/** What is created and what is deleted, for whatever the service lists and n8n keeps. */

const url = 'https://n8n.example.com/webhook/a/webhook';
const elsewhereUrl = 'https://copy.example.com/webhook/a/webhook';
const desired: DesiredSubscription = {
	url,
	serviceUrl: 'https://api.example.com/v1',
	workspaceId: 'ws_1',
	events: ['post.published', 'post.failed'],
	description: 'n8n: A workflow',
	secret: 'derived now',
};
const { serviceUrl, workspaceId, events } = desired;
const current: StoredSubscription = {
	webhookId: '1',
	url,
	serviceUrl,
	workspaceId,
	events,
	secret: 'derived now',
	isDerived: true,
	listedAs: { url, events },
};
const own: RemoteSubscription = { id: '1', url, events, isDisabled: false };
const other = (id: string, at = url): RemoteSubscription => ({ ...own, id, url: at });
const ref = (webhookId: string, more: object = {}) => ({ webhookId, url, serviceUrl, workspaceId, ...more });

const diff = (remote: RemoteSubscription[], stored: Partial<Stored> = { current }) =>
	diffSubscription(remote, { former: [], ...stored }, desired);
const nothing = { obsolete: [], isUnlisted: false, elsewhere: [] };

test.each<[string, RemoteSubscription[], StoredSubscription]>([
	['as it was made', [own], current],
	[
		'among others, with its events in another order',
		[other('2', 'https://x.example'), { ...own, events: [...events].reverse() }],
		current,
	],
	['with nothing shown but its ID', [{ id: '1', isDisabled: false }], current],
	[
		'with an address written its own way',
		[{ ...own, url: 'HTTPS://N8N.example.com.:443/webhook/%61/webhook' }],
		current,
	],
	[
		'with an address of its own, as right after it was made',
		[{ ...own, url: 'https://proxy.example/1' }],
		{ ...current, listedAs: { url: 'https://proxy.example/1', events } },
	],
	[
		'with events of its own, as right after it was made',
		[{ ...own, events: ['all'] }],
		{ ...current, listedAs: { url, events: ['all'] } },
	],
	['with a secret that the service made', [own], { ...current, isDerived: false, secret: 'whsec' }],
])('one in force, listed %s: nothing to do', (_name, remote, stored) => {
	expect(diff(remote, { current: stored })).toEqual(nothing);
});

test.each<[string, RemoteSubscription[], Partial<StoredSubscription> | undefined, string[], string]>([
	['nothing stored', [other('7')], undefined, ['7'], 'none was known'],
	['not there', [], {}, ['1'], 'the service no longer lists it'],
	['replaced by one that nobody knows', [other('7')], {}, ['1', '7'], 'the service no longer lists it'],
	['disabled', [{ ...own, isDisabled: true }], {}, ['1'], 'it was disabled at the service'],
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

test('others of exactly this address go, the stored one stays', () => {
	const remote = [
		other('2'),
		own,
		other('3', 'https://N8N.example.com/webhook/a/webhook'),
		other('4', elsewhereUrl),
	];
	expect(diff(remote)).toEqual({
		obsolete: [ref('2'), ref('3')],
		isUnlisted: false,
		elsewhere: [remote[3]],
	});
	// Without an ID it can't be deleted.
	expect(diff([own, { ...other('2'), id: undefined }])).toEqual(nothing);
});

describe('what is not ours is never deleted', () => {
	test("a copy of n8n at another address: production's is named", () => {
		const { obsolete, create, elsewhere } = diff([other('1', elsewhereUrl)], {
			current: { ...current, url: elsewhereUrl, listedAs: { url: elsewhereUrl, events } },
		});
		expect([obsolete, create]).toEqual([[], 'n8n has another address']);
		expect(elsewhere).toEqual([other('1', elsewhereUrl)]);
	});

	test('the credential points to another service, which uses the same IDs', () => {
		const moved = { ...current, serviceUrl: 'https://former.example.com/v1' };
		expect(diff([other('1', 'https://somebody.example.com')], { current: moved })).toEqual({
			...nothing,
			create: 'the credential is for another service',
		});
	});

	test.each([
		['its ID belongs to somebody else now', { current }],
		['the ID of a former one does', { former: [ref('1')] }],
	])('%s', (_name, stored) => {
		expect(diff([other('1', 'https://somebody.example.com')], stored).obsolete).toEqual([]);
	});

	test('its own ID at another address, as somebody changed it: another one is made', () => {
		const { create, obsolete } = diff([other('1', 'https://somebody.example.com')]);
		expect([create, obsolete]).toEqual(['the service no longer lists it', []]);
	});

	test('the same ID in another workspace is another one', () => {
		const former = [ref('1', { workspaceId: 'ws_0' })];
		expect(diff([own], { current, former })).toEqual({ ...nothing, obsolete: former });
		expect(diff([other('1', 'https://somebody.example.com')], { former }).obsolete).toEqual(former);
	});

	test('the stored one, which the service lists with another host, is not elsewhere', () => {
		const listedAs = { url: elsewhereUrl, events };
		expect(diff([other('1', elsewhereUrl)], { current: { ...current, listedAs } })).toEqual(nothing);
	});

	test('a former one of another address or service', () => {
		const former = [
			ref('5', { url: elsewhereUrl }),
			ref('6', { serviceUrl: 'https://former.example.com' }),
			ref('7'),
		];
		expect(diff([own], { current, former }).obsolete).toEqual([ref('7')]);
	});
});

describe('a list that does not show the stored one', () => {
	test('and never has: nothing is made, and what may be its other name stays', () => {
		for (const remote of [[], [other('numeric')], [{ ...own, id: undefined }]])
			expect(diff(remote, { current: { ...current, listedAs: null } })).toEqual({
				...nothing,
				isUnlisted: true,
			});
	});

	test('but shows it now: that is what it is compared with from now on', () => {
		const url = 'https://proxy.example';
		const listed = (listedAs: null | undefined, shown: string[]) =>
			diff([{ ...own, url, events: shown }], { current: { ...current, listedAs } });
		expect(listed(null, ['all'])).toEqual({ ...nothing, listedAs: { url, events: ['all'] } });
		// Nobody could read the listing when it was made: the address may be the service's own way, the events not.
		expect(listed(undefined, events)).toEqual({ ...nothing, listedAs: { url, events } });
		expect(listed(undefined, ['all']).create).toBe('its events were changed at the service');
	});
});

/** That it ends, and of whole lives: reconcile.model.test.ts. */
test('for any list and any store: only ours is deleted, never what stays', () => {
	const addresses = [url, 'https://N8N.EXAMPLE.com:443/webhook/a/webhook', elsewhereUrl, 'https://x.example'];
	const somewhere = fc.constantFrom(...addresses);
	const shown = fc.record(
		{
			id: fc.constantFrom('1', '2', '3'),
			url: somewhere,
			events: fc.constantFrom(events, ['post.published'], []),
			isDisabled: fc.boolean(),
		},
		{ requiredKeys: ['isDisabled'] },
	);
	const refs = {
		webhookId: fc.constantFrom('1', '2', '3'),
		url: somewhere,
		serviceUrl: fc.constantFrom(serviceUrl, 'https://former.example.com/v1'),
		workspaceId: fc.constantFrom('ws_1', 'ws_0', ''),
	};
	const kept = fc.record({
		...refs,
		events: fc.constantFrom(events, ['post.published']),
		secret: fc.constantFrom('derived now', 'derived then'),
		isDerived: fc.boolean(),
		listedAs: fc.constantFrom(undefined, null, { url: elsewhereUrl }, { url, events }),
	});
	const former = fc.array(fc.record(refs), { maxLength: 3 });
	fc.assert(
		fc.property(fc.array(shown, { maxLength: 5 }), fc.option(kept), former, (remote, one, former) => {
			const { create, obsolete } = diff(remote, { ...(one ? { current: one } : {}), former });
			const made = [...(one ? [one] : []), ...former];
			for (const { webhookId, workspaceId } of obsolete) {
				const isListed = remote.some(({ id, url: at }) => id === webhookId && at && isSameAddress(at, url));
				const isMade = made.some(
					(each) =>
						each.webhookId === webhookId &&
						each.workspaceId === workspaceId &&
						each.serviceUrl === serviceUrl &&
						isSameAddress(each.url, url),
				);
				if (!isListed && !isMade) return false;
				if (create === undefined && webhookId === one!.webhookId && workspaceId === one!.workspaceId)
					return false;
			}
			return create !== undefined || (one?.serviceUrl === serviceUrl && one.workspaceId === workspaceId);
		}),
		runs(500),
	);
});
