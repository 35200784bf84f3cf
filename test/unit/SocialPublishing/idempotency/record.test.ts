import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../nodes/api/errors';
import { keyOf } from '../../../../nodes/SocialPublishing/idempotency/key';
import {
	IdempotencyRecord,
	type KeyChoice,
	type Opened,
	type Sending,
	type Wish,
} from '../../../../nodes/SocialPublishing/idempotency/record';
import {
	transitions,
	type Result,
	type State,
} from '../../../../nodes/SocialPublishing/idempotency/transitions';
import type { FrozenRequest } from '../../../../nodes/SocialPublishing/idempotency/writeRecord';
import { runs } from '../../../support/property';

const wish = (more: Partial<Wish> = {}): Wish => ({
	run: '0',
	item: 'item#0',
	part: '',
	targets: [''],
	place: ['node', 0, 0],
	...more,
});
const request = (more: Partial<FrozenRequest> = {}): FrozenRequest => ({
	method: 'POST',
	path: '/posts',
	workspaceId: 'ws_1',
	body: { text: 'Hello' },
	...more,
});
const choice = (more: Partial<KeyChoice> = {}): KeyChoice => ({
	mode: 'execution',
	custom: '',
	operation: 'create',
	content: ['ws_1', '{"text":"Hello"}'],
	...more,
});

const results = {
	answered: (record: IdempotencyRecord, sending: Sending) => record.answered(sending, { id: 'post_1' }),
	persisted: (record: IdempotencyRecord, sending: Sending) => record.failed(sending, failure(422, true)),
	refused: (record: IdempotencyRecord, sending: Sending) => record.failed(sending, failure(400, true)),
	unclear: (record: IdempotencyRecord, sending: Sending) => record.failed(sending, failure(500)),
};
const failure = (status: number, certain = false) =>
	new Failure({ code: `OF_${status}`, message: 'no', hint: 'try', status }).asCertain(certain);

/** A node in an execution: every `ask` is a try, which reads what n8n stored after the one before. */
class Node {
	memory: IDataObject = {};

	open(one = wish(), asked = request(), chosen = choice()): Opened {
		this.memory = JSON.parse(JSON.stringify(this.memory)) as IDataObject;
		return this.record().open(one, asked, chosen);
	}

	record(): IdempotencyRecord {
		return (this.last = new IdempotencyRecord(this.memory));
	}

	/** What was sent came to this. */
	ask(result: keyof typeof results, one = wish(), asked = request(), chosen = choice()): string {
		const opened = this.open(one, asked, chosen);
		if (!('key' in opened)) throw new Error('nothing was sent');
		this.came(result, opened.sending);
		return opened.key;
	}

	came(result: keyof typeof results, sending: Sending): void {
		results[result](this.last!, sending);
	}

	get writes(): IDataObject[] {
		return (this.memory.writes ?? []) as IDataObject[];
	}

	private last?: IdempotencyRecord;
}

const keyIn = (opened: Opened): string | undefined => ('key' in opened ? opened.key : undefined);

describe('a write', () => {
	test('is frozen before it is sent: what may have gone out is unclear', () => {
		const node = new Node();
		const asked = request();
		const opened = node.open(wish({ part: 'x', targets: ['x'] }), asked);
		const key = keyOf('execution', 'node', 0, 0, 'create', 'posts', 'x');
		expect(opened).toMatchObject({ key, request: asked, sending: { before: 'new', sensitive: false } });
		expect(node.writes).toEqual([
			{
				key,
				state: 'unclear',
				mode: 'execution',
				run: '0',
				item: 'item#0',
				method: 'POST',
				path: '/posts',
				workspaceId: 'ws_1',
				targets: ['x'],
				part: 'x',
				request: asked,
			},
		]);
		expect(node.writes[0]!.request).not.toBe(asked);
	});

	test('without a workspace is stored with an empty one, and found again', () => {
		const node = new Node();
		node.open(wish(), request({ workspaceId: undefined }));
		expect(node.writes[0]!.workspaceId).toBe('');
		expect(node.open(wish(), request({ workspaceId: undefined }))).toMatchObject({
			sending: { before: 'unclear' },
		});
	});

	test('that must not be sent now leaves no trace', () => {
		const node = new Node();
		const check = () => {
			throw new Error('too late');
		};
		expect(() => node.open(wish(), request(), choice({ check }))).toThrow('too late');
		expect(node.writes).toEqual([]);
	});

	test('is checked where it is sent, and not where it is repeated or told again', () => {
		const check = jest.fn();
		const checked = choice({ check });
		const node = new Node();
		node.ask('refused', wish(), request(), checked);
		node.ask('unclear', wish(), request(), checked);
		expect(check).toHaveBeenCalledTimes(2);
		node.ask('answered', wish(), request(), checked);
		node.open(wish(), request(), checked);
		expect(check).toHaveBeenCalledTimes(2);
	});
});

/** The table of docs/idempotency.md. */
describe('the states of a write', () => {
	test('follow the table, with one key: what is sent first is frozen until it was certainly refused', () => {
		const came = fc.array(fc.constantFrom(...(Object.keys(results) as Result[])), { minLength: 1 });
		const property = fc.property(came, fc.boolean(), (all, sensitive) => {
			const node = new Node();
			const keys = new Set<string>();
			let state: State = 'new';
			let frozen = 0;
			for (const [n, result] of all.entries()) {
				const { action, next }: (typeof transitions)[State] = transitions[state];
				const opened = node.open(wish(), request({ body: { n } }), choice({ sensitive }));
				// An answer that may hold a secret is asked for again.
				const isSent = action !== 'giveBack' || (sensitive && state === 'answered');
				expect('sending' in opened).toBe(isSent);
				if (!('sending' in opened)) continue;
				if (action === 'send' || sensitive) frozen = n;
				keys.add(opened.key);
				expect(opened).toMatchObject({ request: { body: { n: frozen } }, sending: { before: state } });
				node.came(result, opened.sending);
				state = next[result];
				const [write] = node.writes;
				expect([node.writes.length, write!.state]).toEqual([1, state]);
				expect('failure' in write!).toBe(state === 'persisted');
				expect('answer' in write!).toBe(state === 'answered' && !sensitive);
			}
			expect(keys.size).toBe(1);
		});
		fc.assert(property, runs(100));
	});

	test('answered: the answer is told again, with what was sent', () => {
		const node = new Node();
		node.ask('answered');
		const told = node.open(wish(), request({ body: { text: 'Other' } })) as { answer: IDataObject };
		expect(told).toEqual({ answer: { id: 'post_1' }, body: { text: 'Hello' } });
		told.answer.id = 'changed by the workflow';
		expect(node.open()).toMatchObject({ answer: { id: 'post_1' } });
	});

	test('the answer is kept as it was when it came', () => {
		const node = new Node();
		const opened = node.open() as { sending: Sending };
		const answer: IDataObject = { id: 'post_1', content: { text: 'Hello' } };
		new IdempotencyRecord(node.memory).answered(opened.sending, answer);
		(answer.content as IDataObject).text = 'changed by the workflow';
		expect(node.open()).toMatchObject({ answer: { content: { text: 'Hello' } } });
	});

	test('persisted: the failure is told again', () => {
		const node = new Node();
		node.ask('persisted');
		const told = node.open() as { failure: { message: string } };
		expect(told).toMatchObject({ failure: { code: 'OF_422', status: 422 } });
		told.failure.message = 'changed by the workflow';
		expect(node.open()).toMatchObject({ failure: { message: 'no' } });
	});

	test('a secret is stored neither as request nor as answer: it is sent again with its key', () => {
		const node = new Node();
		const sensitive = choice({ sensitive: true });
		const key = node.ask('answered', wish(), request(), sensitive);
		expect(JSON.stringify(node.memory)).not.toMatch(/Hello|post_1/);
		expect(node.open(wish(), request(), sensitive)).toEqual({
			key,
			request: request(),
			sending: { record: expect.anything(), before: 'answered', sensitive: true },
		});
	});
});

describe('which write is meant', () => {
	const sentAgain = (first: [Wish?, FrozenRequest?, KeyChoice?], second: typeof first): boolean => {
		const node = new Node();
		const key = node.ask('unclear', ...first);
		const opened = node.open(...second);
		const repeated = 'sending' in opened && opened.sending.before === 'unclear';
		expect(keyIn(opened) === key).toBe(repeated);
		return repeated;
	};

	test.each<[string, Partial<Wish>]>([
		['in another round', { run: '1', place: ['node', 1, 0] }],
		['another item', { item: 'item#1', place: ['node', 0, 1] }],
		['another platform', { part: 'x', targets: ['x'] }],
	])('%s: another one', (_name, more) => {
		expect(sentAgain([], [wish(more)])).toBe(false);
	});

	test.each<[string, Partial<FrozenRequest>]>([
		['another method', { method: 'PATCH' }],
		['another record', { path: '/posts/post_1' }],
		['another workspace', { workspaceId: 'ws_2' }],
	])('%s: another one, also where the place is the same', (_name, more) => {
		expect(sentAgain([], [wish(), request(more)])).toBe(false);
	});

	test('in another position: the same one', () => {
		expect(sentAgain([], [wish({ place: ['node', 0, 5] })])).toBe(true);
	});

	test('found by one of its targets, where platforms shared a request', () => {
		const shared = wish({ part: 'x+y', targets: ['x', 'y'] });
		expect(sentAgain([shared], [wish({ part: 'y+z', targets: ['y', 'z'] })])).toBe(true);
		expect(sentAgain([shared], [wish({ part: 'z', targets: ['z'] })])).toBe(false);
		expect(sentAgain([shared], [wish({ part: 'x+y', targets: ['z'] })])).toBe(false);
	});

	test('one that may have been carried out goes before one that was refused', () => {
		const node = new Node();
		const shared = wish({ part: 'x+y', targets: ['x', 'y'] });
		const refused = node.ask('refused', shared);
		const unclear = node.ask('unclear', wish({ part: 'y', targets: ['y'] }));
		expect(refused).not.toBe(unclear);
		expect(keyIn(node.open(shared))).toBe(unclear);
	});

	test('of refused ones the one with the same parts', () => {
		const node = new Node();
		const x = node.ask('refused', wish({ part: 'x', targets: ['x'] }));
		const y = node.ask('refused', wish({ part: 'y', targets: ['y'] }));
		expect(node.ask('refused', wish({ part: 'y', targets: ['y'] }))).toBe(y);
		expect(node.ask('refused', wish({ part: 'x', targets: ['x'] }))).toBe(x);
		expect(node.writes).toHaveLength(2);
		expect(node.ask('refused', wish({ part: 'x+y', targets: ['x', 'y'] }))).toBe(
			keyOf('execution', 'node', 0, 0, 'create', 'posts', 'x+y'),
		);
		expect(node.writes).toHaveLength(3);
	});

	test('another key of the user: another one; the same key: the same one', () => {
		const custom = (text: string) => choice({ mode: 'custom', custom: text });
		const own = (text: string): [Wish, FrozenRequest, KeyChoice] => [wish(), request(), custom(text)];
		expect(sentAgain(own('one'), own('two'))).toBe(false);
		expect(sentAgain(own('one'), own('one'))).toBe(true);
		const x = wish({ part: 'x', targets: ['x'] });
		expect(sentAgain([x, request(), custom('one')], [x, request(), custom('one')])).toBe(true);
	});

	test.each(['execution', 'content', 'custom'] as const)('another mode than %s: the same one', (mode) => {
		const modes = (['execution', 'content', 'custom'] as const).filter((one) => one !== mode);
		for (const other of modes)
			expect(
				sentAgain(
					[wish(), request(), choice({ mode, custom: 'one' })],
					[wish(), request(), choice({ mode: other, custom: 'two' })],
				),
			).toBe(true);
	});
});

describe('keys', () => {
	const keyFor = (one: Partial<Wish>, asked: Partial<FrozenRequest>, chosen: Partial<KeyChoice>) =>
		keyIn(new Node().open(wish(one), request(asked), choice(chosen)));

	test('of the place', () => {
		const path = '/posts/post_1/cancel';
		expect(keyFor({ place: ['node', 3, 'hash'] }, { path }, { operation: 'cancel' })).toBe(
			keyOf('execution', 'node', 3, 'hash', 'cancel', 'posts', ''),
		);
		expect(keyFor({}, { path: '' }, {})).toBe(keyOf('execution', 'node', 0, 0, 'create', '', ''));
	});

	test('of the content', () => {
		expect(keyFor({ part: 'x', targets: ['x'] }, {}, { mode: 'content', content: ['ws', '{}'] })).toBe(
			keyOf('content', 'ws', 'create', '/posts', 'x', '{}'),
		);
	});

	test('of parts that the operation names, in mode execution alone', () => {
		const parts = ['inb_1', 'Hello'];
		expect(keyFor({}, {}, { parts })).toBe(keyOf('parts', 'inb_1', 'Hello'));
		expect(keyFor({}, {}, { parts, mode: 'custom', custom: 'mine' })).toBe('mine');
	});

	test("the user's own, with the platform", () => {
		expect(keyFor({ part: 'x', targets: ['x'] }, {}, { mode: 'custom', custom: 'mine' })).toBe('mine:x');
	});

	test('where another write has taken the place, of what it is for, too', () => {
		const node = new Node();
		const first = node.ask('unclear', wish({ targets: ['x', 'y'] }));
		const second = node.ask(
			'refused',
			wish({ item: 'other#0', targets: ['x', 'y'] }),
			request({ path: '/posts/post_2', workspaceId: 'ws_2' }),
		);
		expect(second).not.toBe(first);
		expect(second).toBe(
			keyOf(
				'execution',
				'node',
				0,
				0,
				'create',
				'posts',
				'',
				'other#0',
				'POST',
				'/posts/post_2',
				'ws_2',
				'x',
				'y',
			),
		);
	});

	test('a place that was given up is free again', () => {
		const record = new Node().record();
		const refused = (chosen: KeyChoice): string => {
			const opened = record.open(wish(), request(), chosen) as { key: string; sending: Sending };
			results.refused(record, opened.sending);
			return opened.key;
		};
		const first = refused(choice());
		expect(refused(choice({ mode: 'custom', custom: 'mine' }))).toBe('mine');
		expect(refused(choice())).toBe(first);
	});

	test('a place that a write without workspace has taken', () => {
		const node = new Node();
		const nowhere = request({ workspaceId: undefined });
		node.ask('unclear', wish({ targets: ['x'] }), nowhere);
		expect(node.ask('unclear', wish({ item: 'other#0', targets: ['x'] }), nowhere)).toBe(
			keyOf('execution', 'node', 0, 0, 'create', 'posts', '', 'other#0', 'POST', '/posts', '', 'x'),
		);
	});

	test('in the other modes a taken key is the same key: the service tells', () => {
		for (const chosen of [
			{ mode: 'content' },
			{ mode: 'custom', custom: 'mine' },
			{ parts: ['a'] },
		] as const) {
			const node = new Node();
			const one = choice(chosen as Partial<KeyChoice>);
			expect(node.ask('unclear', wish({ item: 'other#0' }), request(), one)).toBe(
				node.ask('unclear', wish(), request(), one),
			);
		}
	});

	test.each([
		['', 'ws_1'],
		['ws_1', ''],
	])('workspace "%s", then "%s": it may be the same one, so the key stays', (first, second) => {
		for (const result of ['unclear', 'refused'] as const) {
			const node = new Node();
			const before = wish({ place: ['place before'] });
			const key = node.ask(result, before, request({ workspaceId: first }));
			expect(node.ask('answered', wish(), request({ workspaceId: second }))).toBe(key);
			expect(node.writes).toHaveLength(2);
		}
	});

	test.each<[string, Partial<Wish>, Partial<FrozenRequest>]>([
		['another method', {}, { method: 'DELETE' }],
		['another record', {}, { path: '/posts/post_2' }],
		['another platform', { targets: ['y'] }, {}],
		['another item', { item: 'other#0' }, {}],
	])('… but not for %s', (_name, more, asked) => {
		const node = new Node();
		const before = wish({ place: ['place before'] });
		const key = node.ask('unclear', before, request({ workspaceId: '' }));
		expect(node.ask('unclear', wish(more), request(asked))).not.toBe(key);
	});

	test('other writes of the item stay known where one is sent anew', () => {
		const node = new Node();
		const x = wish({ part: 'x', targets: ['x'] });
		const y = wish({ part: 'y', targets: ['y'] });
		const first = node.ask('answered', x);
		const record = node.record();
		for (let i = 0; i < 3; i++) {
			const opened = record.open(y, request(), choice()) as { sending: Sending };
			results.refused(record, opened.sending);
		}
		expect(record.open(x, request(), choice())).toHaveProperty('answer');
		expect(node.writes.map(({ key }) => key)).toEqual([
			first,
			keyOf('execution', 'node', 0, 0, 'create', 'posts', 'y'),
		]);
	});
});

describe('what was sent before', () => {
	test('nothing, or only what was refused', () => {
		const node = new Node();
		expect(node.record().hasSent).toBe(false);
		node.ask('refused');
		expect(node.record().hasSent).toBe(false);
		expect(node.record().sentBefore(wish(), request(), choice())).toEqual([]);
		node.ask('unclear', wish({ item: 'other#0' }));
		expect(node.record().hasSent).toBe(true);
	});

	test('the targets of an item, those that shared a request together', () => {
		const node = new Node();
		node.ask('unclear', wish({ part: 'x+y', targets: ['x', 'y'] }));
		node.ask('answered', wish({ part: 'z', targets: ['z'] }));
		node.ask('refused', wish({ part: 'w', targets: ['w'] }));
		expect(node.record().sentBefore(wish({ targets: ['v'] }), request(), choice())).toEqual([
			['x', 'y'],
			['z'],
		]);
		expect(node.record().sentBefore(wish(), request({ path: '/media' }), choice())).toEqual([]);
	});
});

describe('what a failed run by hand had sent', () => {
	test.each(['answered', 'persisted', 'refused', 'unclear'] as const)(
		'%s: the record of the wish is there, and of no other one',
		(result) => {
			const node = new Node();
			expect(node.record().has(wish(), request(), choice())).toBe(false);
			node.ask(result);
			const record = node.record();
			expect(record.has(wish(), request(), choice())).toBe(true);
			expect(record.has(wish({ item: 'other#0' }), request(), choice())).toBe(false);
			expect(record.has(wish(), request({ path: '/media' }), choice())).toBe(false);
			expect(record.has(wish(), request({ workspaceId: 'ws_2' }), choice())).toBe(false);
		},
	);

	test('is taken over at the place where it is asked for: told again, with its key, and the first one stays as it is', () => {
		const failed = new Node();
		failed.ask('answered', wish({ item: 'first#0', part: 'x', targets: ['x'] }));
		const [before] = failed.writes;
		const kept = JSON.stringify(before);
		const node = new Node();
		const here = wish({ run: '1', item: 'second#0', part: 'y', targets: ['y'] });
		const own = node.record().adopt(here, before as never);
		expect(own).toEqual({ ...before, run: '1', item: 'second#0', part: 'y', targets: ['y'] });
		expect(node.record().has(here, request(), choice())).toBe(true);
		expect(node.record().has(wish({ item: 'first#0' }), request(), choice())).toBe(false);
		const told = node.open(here) as { answer: IDataObject };
		expect(told.answer).toEqual({ id: 'post_1' });
		(own.answer as IDataObject).id = 'changed';
		expect(JSON.stringify(before)).toBe(kept);
	});

	test('and whose fate is not known goes out again with its own key', () => {
		const failed = new Node();
		const key = failed.ask('unclear');
		const node = new Node();
		const elsewhere = wish({ run: '1', place: ['elsewhere', 1, 0] });
		node.record().adopt(elsewhere, failed.writes[0] as never);
		const opened = node.open(elsewhere);
		expect(keyIn(opened)).toBe(key);
	});
});
