import { NOON } from './fakes';
import { live, named, World, type Kind } from './lives';

/**
 * Named lives, in the words of the random ones: services, copies and credentials that once cost a subscription, or made one
 * more with every check. All begin with a publication (at ` | `), and end as the random ones do: exactly the one that is
 * wanted, which stays, nobody else's deleted, no event lost, and none left behind.
 */

/** What there is then: our IDs (the first is 1001), how many were created in all, and the log's warnings. */
interface Expected {
	has?: string[];
	made?: number;
	says?: RegExp[];
}

type Story = [
	title: string,
	kind: Partial<Omit<Kind, 'dialect'>> & { answer?: string },
	life: string,
	expected: Expected,
];

const plain: Kind = {
	takesSecret: true,
	ignoresSecret: false,
	dialect: { list: 'webhooks', hook: 'plain', answer: 'whole', delivery: 'event' },
	rewrite: 'nothing',
	foreign: 1,
	pageSize: 1_000_000,
	keepsHistory: false,
	givesIdsAgain: false,
	isOnePerAddress: false,
	updates: undefined,
	inactiveMs: 0,
	failing: 0,
};
const unnamed = { answer: 'only the secret' };
const ownSecrets = { takesSecret: false };
const limit = { isOnePerAddress: true };
const failed = /could not complete the check/;

// prettier-ignore
const settings: Story[] = [
	['other events are chosen, and the request is lost: the one in force stays', {},
		'other events → POST fails: a dropped connection → check → an event', { has: ['1001'] }],
	['… and refused: it stays, and the request was not lost', {},
		'other events → POST fails: 422 → check → heal → first events → check', { has: ['1001'], made: 3 }],
	['other events are chosen, twice within an hour: the log says why others are created', {},
		'other events → check → first events → check', { has: ['1003'], made: 3, says: [/created again: other events were chosen/, /created again: other events were chosen/] }],
	['… and the answer is lost, and they are chosen no longer: what came of it goes, and another one is created', {},
		'other events → POST fails once: a 500 for good after acting → check → first events → check', { has: ['1003'], says: [failed, /created again: the answer to the last request was lost/] }],
	['the workspace is changed, seen by a check', {},
		'other workspace → check', { has: ['1002'], made: 2 }],
	['… by publishing', {},
		'other workspace → publish → check', { has: ['1002'], made: 2 }],
	['… by a start', {},
		'other workspace → restart → check', { has: ['1002'], made: 2 }],
	["… and the key doesn't reach the former one: told once, no trouble", {},
		'other workspace → workspace ws_own fails: a forbidden scope → check ×4', { has: ['1001', '1002'], says: [/the workspace was changed/, /can't delete the subscription 1001: if/] }],
	["… and the key doesn't reach the new one: unpublishing deletes it", {},
		'other workspace → workspace ws_2 fails: a forbidden scope → unpublish', { has: [] }],
	['… and the new one has trouble: nothing is created there', {},
		'other workspace → workspace ws_2 fails: 403 → check', { has: ['1001'], made: 1 }],
	['… and the former one is gone', {},
		'other workspace → workspace ws_own fails: 410 → publish → check ×2', { made: 2 }],
	['… and the former one has trouble for a while', {},
		'other workspace → workspace ws_own fails: 500 → check ×2 → heal → check ×2', { has: ['1002'] }],
	['… after it was deleted there and its ID given to another tool: that one stays', { givesIdsAgain: true },
		'delete by hand → another tool subscribes → other workspace → check ×2 → unpublish', { has: [] }],
	["the key's own workspace is entered while nothing can be deleted: the new one is never deleted", {},
		'DELETE fails: 500 → own workspace by its ID → check → heal → check ×3', { has: ['1002'], made: 2 }],
	['… at a service that updates in place', { updates: 'repeats' },
		'own workspace by its ID → check ×2 → publish → check ×2', { has: ['1001'], made: 2 }],
	['… after it was deleted, and the ID is given again', { givesIdsAgain: true },
		'delete by hand → own workspace by its ID → check ×3', { has: ['2'], made: 2 }],
	['… with one subscription an address, an ID that is given again and not in the answer', { ...limit, ...unnamed, givesIdsAgain: true },
		'own workspace by its ID → check', { has: ['2'], says: [/created again: the workspace was changed/] }],
	["a copied database at another address can't subscribe and is unpublished: the other n8n keeps its own", {},
		'does not subscribe (410) → copy the database → unpublish the copy', { has: ['1001'] }],
	['n8n moves: what delivers to the former address is named and stays', {},
		'n8n moves → check ×3', { has: ['1001', '1002'], says: [/still delivers to https.*delete the subscription 1001 there/] }],
	['… at a service that makes the secret', ownSecrets,
		'n8n moves → check', { has: ['1001', '1002'] }],
	['the credential is for another service: what the former one has is named and stays', {},
		'other service → the service gives 7 next → check ×2', { has: ['1001', '7'], says: [/still delivers to.*delete the subscription 1001 there/, /created again: the credential is for another service/] }],
	['… also where both give the same ID', {},
		'other service → check', { says: [/still delivers to.*delete the subscription 1001 there/, /created again: the credential is for another service/] }],
	['another n8n has the same key and address: each takes one turn, then one leaves the other alone', {},
		'check → the copy has our address → publish the copy → check of the copy → check → check of the copy → check → check of the copy ×2 → check ×2', { has: ['1004'], made: 4, says: [/created again: the service no longer lists it/, /another n8n, or a copy of this node,.*WEBHOOK_URL.*copied node/] }],
	['… and again, where there is more than an hour between the turns', {},
		'check → the copy has our address → publish the copy → check of the copy → check → check of the copy → after 2 hours → check', { made: 5 }],
	['a key of another account: what it does not know is named once', { givesIdsAgain: true },
		'another account → check ×3', { says: [/API key was replaced/, /can't delete the subscription 2/] }],
	['… and a change published there: what the first account still delivers is refused', {},
		'another account → a change is published → first service → an event', {}],
	['… and of another workspace, where the new one has the ID of the former one', unnamed,
		'another account → other workspace → check ×3', { has: ['1001', '1001'] }],
	['the key is replaced at a service that updates in place: nothing is deleted', { updates: 'repeats' },
		'replace the key → check ×2 → an event', { has: ['1001'] }],
	["a proxy's page in place of the answer to a deletion: the next check deletes it", {},
		'replace the key → DELETE fails: a page (404) → check → heal → check ×2', { has: ['1002'] }],
	['… of the deliveries of an obsolete one: it stays until they are recovered', {},
		'check → an event, n8n away → replace the key → GET deliveries fails: a page (404) → check ×2 → heal → check ×3', { has: ['1002'] }],
	['the clock jumps: the next check comes as soon', {},
		'check → the clock jumps ahead → delete by hand → check', { has: ['1002'] }],
	['… back', {},
		'check → the clock is set back → delete by hand → check', { has: ['1002'] }],
];

// prettier-ignore
const lists: Story[] = [
	...['null', '{}', '"x"', '{"webhooks":null}', '{"webhooks":{}}'].map((json): Story => [
		`a list that can't be read (${json}): nothing is created or deleted`,
		{},
		`the list is: ${json} → check ×2`,
		{ has: ['1001'], made: 1, says: [failed, failed] },
	]),
	['a list that lacks it, and says that there is more', {},
		'check → the list lacks it, and says that there is more → check ×3', { has: ['1001'], made: 1 }],
	['a list that is empty for a moment', {},
		'empty once → check', { made: 1, says: [] }],
	['a list that shows the oldest alone, as ever: told once by each process', {},
		'the list shows the first one alone | check ×5 → restart → check ×5', { made: 1, says: [/doesn't list the subscription 1001/, /doesn't list the subscription 1001/] }],
	['a list with other IDs, as ever', {},
		'the list has other IDs | check ×5 → restart → check ×5 → unpublish', { has: [], made: 1 }],
	['a service that lists all as not active, as ever', { inactiveMs: Infinity },
		'check ×5 → restart → check ×5', { made: 1, says: [] }],
	['a list that never had it, and deliveries are answered', {},
		'list: late | check', { made: 1 }],
	['… and the key may not read them', {},
		'list: late | GET deliveries fails: a forbidden scope → check', { made: 1 }],
	['… and the service does not know it', {},
		'list: late | GET deliveries fails: 404 → check', { made: 2, says: [/created again: the service doesn't know it/, /doesn't list the subscription 1002/] }],
	['a list with IDs alone, as ever', {},
		'the list has nothing but IDs | check ×3 → unpublish', { has: [], made: 1, says: [] }],
	["a list that can't be read once it is created: what was listed before counts", {},
		'check → disable → the list fails after each subscription → check → heal → check', { has: ['1002'], says: [/created again: it was disabled at the service/, /doesn't list the subscription 1002/] }],
	['a double: deleted and told, also where another one of them can not be deleted', {},
		'check → double → double → DELETE 1001-8-2 fails: a forbidden scope → check → heal → double → check', { has: ['1001'], made: 1, says: [/deleted other subscriptions of .*: 1001-8-3$/, failed, /deleted other/] }],
	['an earlier one that can not be deleted: told, and deleted by the next check', {},
		'n8n dies → lose static data → DELETE fails: a forbidden scope → publish → check → heal → check', { has: ['1002'], says: [/could not complete.*not allowed/, /deleted other/] }],
	['n8n has lost its data, and can not subscribe as it starts: told, and a check subscribes', {},
		'n8n dies → lose static data → does not subscribe (500) → restart → subscribes at once → check', { has: ['1002'], says: [/could not subscribe at the start/, /created again: none was known/] }],
	['its events are changed at the service: another one is created', {},
		'check → its events become post.published → check', { has: ['1002'], says: [/created again: its events were changed at the service/] }],
	['a list with addresses of its own, and later with IDs alone', { rewrite: 'addresses of its own' },
		'check ×2 → the list has nothing but IDs → check ×2', { made: 1, says: [] }],
	['a list that is late when it is created, and it is deleted by hand: seen by the next check', {},
		'the list is late by a minute | heal → n8n dies → delete by hand → restart → check', { has: ['1002'] }],
	['… and its ID is given to another tool: that one is neither adopted nor deleted', { givesIdsAgain: true },
		'the list is late by a minute | delete by hand → another tool subscribes → check ×2 → unpublish', {}],
	['… and it writes events in its own way', { rewrite: 'events' },
		'the list is late by a minute | check ×4', { made: 1, says: [] }],
	['a list of three pages: ours, on the last one, is repaired', { foreign: 60, pageSize: 25 },
		'check ×2 → disable → check', { has: ['1002'] }],
	['one that was listed is deleted by hand, at a service that knows its deliveries', { keepsHistory: true, ...ownSecrets },
		'check → delete by hand → check', { has: ['1002'] }],
	['… or has trouble with them', ownSecrets,
		'check → GET deliveries fails: a 500 → delete by hand → check', { has: ['1002'] }],
	['deleted by hand at each check, while there is a disabled one here: created again each time', {},
		'DELETE fails: 500 → disable one at each check, and delete ours by hand ×3', { made: 4 }],
];

// prettier-ignore
const answers: Story[] = [
	['an answer without an ID: repaired and unpublished', unnamed,
		'restart → check ×3 → disable → check ×2', { has: ['1002'], made: 2 }],
	['… and the list is late', unnamed,
		'the list is late by a minute | restart → check ×3 → disable → check ×2', { has: ['1002'], made: 2 }],
	['… and the key is replaced', unnamed,
		'the list is late by a minute | check ×2 → replace the key → check ×4', { has: ['1002'], made: 2 }],
	['… and a double turns up: nobody can tell which it is, so another one is created', { ...unnamed, ...ownSecrets },
		'the list is late by a minute | double → check ×2', { has: ['1002'], says: [/created again: the service's list has several, and its answer named none/, /doesn't list/, /deleted other/] }],
	['… but once the list has named it, a double is deleted', unnamed,
		'check → double → check', { has: ['1001'], made: 1 }],
	['… and the list has no IDs: never created again, and told', unnamed,
		'list: without IDs | check ×5 → restart → check → unpublish', { made: 1, says: [/doesn't list the subscription of this workflow/, /doesn't list/] }],
	['… or no addresses', unnamed,
		'list: without addresses | check ×5 → restart → check → unpublish', { made: 1, says: [/doesn't list the subscription of this workflow/, /doesn't list/] }],
	['the answer is lost, the service makes the secret and gives the ID again: another one is created', { ...ownSecrets, givesIdsAgain: true },
		'delete all by hand → POST fails once: a 500 for good after acting → check ×2', {}],
	['a service that subscribes in 20 s: a check waits for it', {},
		'delete by hand → subscribes in 20 s → check', { has: ['1002'], made: 2 }],
	['… in 40 s: never more than one extra', {},
		'disable → subscribes in 40 s → check ×6', { has: ['1001'], made: 7 }],
	['… in 40 s, after n8n has lost its data', { ...unnamed, ...ownSecrets },
		'subscribes in 40 s → lose static data → restart → check ×3 → list: paged, oldest first → check', {}],
];

// prettier-ignore
const deliveries: Story[] = [
	["deliveries of an obsolete one that can't be read hold back its own deletion alone", {},
		'check → an event, n8n away → disable → GET 1001/deliveries fails: a 500 → check ×2', { has: ['1001', '1002'] }],
	['… but where the key may not read them, it goes', {},
		'check → disable → GET 1001/deliveries fails: a forbidden scope → check', { has: ['1002'] }],
	['what an obsolete one has not delivered is recovered by the check, and the next one deletes it', {},
		'an event, n8n away → other events → publish → check', { has: ['1001', '1002'] }],
	['… without recovery, it goes at once', {},
		'other events → turn recovery off → publish → check', { has: ['1002'] }],
	["… and it stays while n8n can't store the execution", {},
		'an event, n8n away → disable → executions fail → check ×3', { has: ['1001', '1002'] }],
	['… also what is on its way', {},
		'an event, on its way → other events → publish → check', { has: ['1001', '1002'] }],
	['n8n deletes before a change is published: what was not delivered is passed on', {},
		'an event, n8n away → an event, on its way → a change is published', { has: ['1002'] }],
];

// prettier-ignore
const limits: Story[] = [
	['one subscription an address: the disabled one goes first, and what it had not delivered is passed on', limit,
		'an event, n8n away → disable → check', { has: ['1002'] }],
	['… and other events are refused: the former ones are subscribed again, and the others tried after a day', {},
		'check → other events → the service has room for one (409), and refuses post.created → check ×3 → heal → check → after 24 hours → check', { has: ['1003'], made: 6, says: [failed, /created again: other events were chosen/] }],
	['… and n8n has lost its data', limit,
		'an event, n8n away → n8n dies → lose static data → publish → check', { has: ['1002'] }],
	['… and the list is late', limit,
		'n8n dies → lose static data → list: late → restart → empty once → check ×3 → heal → check ×2', {}],
	['… and it can be neither deleted nor doubled: it stays', limit,
		'DELETE fails: 500 → other events → check ×2', { has: ['1001'], made: 3 }],
	['a limit of the plan (402) while there is none: told', {},
		'delete by hand → POST fails: 402 → check', { has: [], says: [/could not complete.*says no/] }],
	['a limit of the plan (402): what is in force is not given up', {},
		'POST fails: 402 → other events → check ×3 → an event', { has: ['1001'] }],
	['… but a double goes first; if that is not enough, the one in force stays', {},
		'check → double → other events → POST fails: 402 → check → heal → first events → check', { has: ['1001'], made: 3 }],
	['… and what is not goes first', {},
		'disable → does not subscribe (402) → check → subscribes at once → check', {}],
	['… and other events are refused: the former ones are subscribed again, and the others tried after a day', {},
		'check → disable → other events → the service has room for one (402), and refuses post.created → check ×3 → heal → check → after 24 hours → check', { has: ['1003'], made: 6, says: [failed, /created again: other events were chosen/] }],
	["a refusal for the key's scope: nothing is deleted", {},
		'POST fails: a forbidden scope → disable → check', { has: ['1001'] }],
	["… or a firewall's page", {},
		'POST fails: a page (403) → disable → check', { has: ['1001'] }],
	...[400, 401, 404, 405, 408, 422, 429, 500].map((status): Story => [
		`no limit (${status}): nothing is deleted`,
		{},
		`POST fails: ${status} → disable → check ×2`,
		{ has: ['1001'] },
	]),
];

describe.each(Object.entries({ settings, lists, answers, deliveries, limits }))('%s', (_name, stories) => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	it.each(stories)('%s', async (_title, { answer = 'whole', ...odd }, story, { has, made, says }) => {
		jest.clearAllTimers();
		jest.setSystemTime(NOON);
		const kind: Kind = { ...plain, ...odd, dialect: { ...plain.dialect, answer } };
		const world = new World(kind, () => undefined);
		const [after = '', before = ''] = story.split(' | ').reverse();
		await named([story], kind, async () => {
			await live(world, before);
			await world.publish(world.n8n);
			await live(world, after);
			const { services, n8n } = world;
			const hooks = services.flatMap((service) =>
				service.hooks.filter(({ madeFor }) => madeFor !== undefined),
			);
			const posts = services.flatMap(({ sent }) => sent.filter(({ method }) => method === 'POST'));
			if (has) expect(hooks.map(({ id }) => id)).toEqual(has);
			if (made) expect(posts).toHaveLength(made);
			if (says) expect(n8n.warnings).toEqual(says.map((one) => expect.stringMatching(one)));
			await world.end([story]);
		});
	});
});
