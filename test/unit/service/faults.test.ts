import fc from 'fast-check';

import { Faults, withUnknownFields, type Fault } from '../../service/faults';
import { runs } from '../../support/property';

/** Which of these requests a fault meets, by number. */
function met(fault: Partial<Fault>, requests: string[]): number[] {
	const faults = new Faults();
	faults.add({ kind: 'empty', ...fault });
	return requests.flatMap((line, i) => (faults.meet(...(line.split(' ') as [string, string])) ? [i] : []));
}

test.each<[Partial<Fault>, string[], number[]]>([
	[{}, ['GET /a', 'GET /a'], [0]],
	[{ times: 2 }, ['GET /a', 'GET /a', 'GET /a'], [0, 1]],
	[{ times: 0 }, ['GET /a', 'POST /b', 'GET /c'], [0, 1, 2]],
	[{ skip: 2 }, ['GET /a', 'GET /a', 'GET /a', 'GET /a'], [2]],
	[{ method: 'post|PATCH', times: 0 }, ['GET /a', 'POST /a', 'PATCH /a', 'DELETE /a'], [1, 2]],
	[{ path: '^/posts/[^/]+$', times: 0 }, ['GET /posts', 'GET /posts/1', 'GET /posts/1/cancel'], [1]],
	[{ path: 'posts', method: 'POST', skip: 1 }, ['GET /posts', 'POST /posts', 'POST /a', 'POST /posts'], [3]],
])('%j meets of %j those numbered %j', (fault, requests, numbers) => {
	expect(met(fault, requests)).toEqual(numbers);
});

test('a rate meets that share of the requests, the same ones with the same seed', () => {
	const of = (rate: number, seed?: number) =>
		met({ times: 0, rate, seed }, Array<string>(1000).fill('GET /'));
	expect([of(0).length, Math.abs(of(0.3, 7).length - 300) < 50, of(1).length]).toEqual([0, true, 1000]);
	expect(of(0.3, 7)).toEqual(of(0.3, 7));
	expect(of(0.3, 7)).not.toEqual(of(0.3, 8));
});

test('a request meets the first fault that fits; one or all are cleared', () => {
	const faults = new Faults();
	const [, any, third] = [{ method: 'POST' }, { times: 0 }, {}].map((more) =>
		faults.add({ kind: 'html', ...more }),
	);
	const met = ['GET', 'POST'].map((method) => faults.meet(method, '/')?.method);
	expect([met, faults.list().map((one) => [one.id, one.met])]).toEqual([
		[undefined, 'POST'],
		[any, third].map((id) => [id, id === any ? 1 : 0]),
	]);
	faults.clear(any);
	expect(faults.list().map(({ id }) => id)).toEqual([third]);
	faults.clear();
	expect(faults.meet('GET', '/')).toBeUndefined();
	expect(() => faults.add({ kind: 'none' as never })).toThrow('Unknown kind of fault: none');
});

test('unknown fields come into every object, and change nothing that is there', () => {
	const shrunk = (value: any): unknown => {
		if (Array.isArray(value)) return value.map(shrunk);
		if (value === null || typeof value !== 'object') return value;
		const { x_new_field: field, x_new_object: object, ...rest } = value;
		expect([field, object]).toEqual(['new', expect.anything()]);
		return Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, shrunk(one)]));
	};
	const named = fc.dictionary(fc.constantFrom('id', 'text', 'items'), fc.jsonValue({ maxDepth: 3 }));
	fc.assert(
		fc.property(fc.oneof(named, fc.array(named)), (data) => {
			expect(JSON.stringify(shrunk(withUnknownFields(data)))).toBe(JSON.stringify(data));
		}),
		runs(50),
	);
});

test.each<object[]>([
	[
		{ status: 'scheduled', plan: 'lowest' },
		{ status: 'scheduled_v2', plan: 'platinum' },
	],
	[
		{ type: 'comment', impact: 7, id: 'a' },
		{ type: 'story_mention', impact: 7, id: 'a' },
	],
	[
		{ platforms: ['x'], events: [] },
		{ platforms: ['x', 'threads'], events: ['post.archived'] },
	],
	[{ platforms: [{ status: 'draft' }] }, { platforms: [{ status: 'draft_v2' }] }],
	[{ by_platform: {} }, { by_platform: { threads: { posts: 0 } } }],
	...['completed', 'failed', 'canceled', 'delivered', 'dead_letter'].map((status) => [
		{ status },
		{ status },
	]),
])('values of lists may be new ones, final states stay: %j → %j', (data, grown) => {
	expect(withUnknownFields(data)).toMatchObject(grown!);
});
