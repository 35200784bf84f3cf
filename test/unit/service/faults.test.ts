import fc from 'fast-check';

import { Faults, generator, withUnknownFields, type Fault } from '../../service/faults';
import { runs } from '../../support/property';

/** Which of so many requests a fault meets, by number. */
function met(fault: Partial<Fault>, requests: string[]): number[] {
	const faults = new Faults();
	faults.add({ kind: 'empty', ...fault });
	return requests.flatMap((line, i) => (faults.meet(...(line.split(' ') as [string, string])) ? [i] : []));
}
const five = Array<string>(5).fill('GET /posts');

test.each<[Partial<Fault>, string[], number[]]>([
	[{}, five, [0]],
	[{ times: 2 }, five, [0, 1]],
	[{ times: 0 }, five, [0, 1, 2, 3, 4]],
	[{ skip: 2 }, five, [2]],
	[{ times: 0, rate: 0 }, five, []],
	[{ times: 0, rate: 1 }, five, [0, 1, 2, 3, 4]],
	[{ method: 'post|PATCH', times: 0 }, ['GET /a', 'POST /a', 'PATCH /a', 'DELETE /a'], [1, 2]],
	[{ path: '^/posts/[^/]+$', times: 0 }, ['GET /posts', 'GET /posts/1', 'GET /posts/1/cancel'], [1]],
	[{ path: 'posts', method: 'POST', skip: 1 }, ['GET /posts', 'POST /posts', 'POST /a', 'POST /posts'], [3]],
])('%j meets of %j those numbered %j', (fault, requests, numbers) => {
	expect(met(fault, requests)).toEqual(numbers);
});

test('a rate meets that share of the requests, the same ones with the same seed', () => {
	const many = Array<string>(1000).fill('GET /');
	const ones = met({ times: 0, rate: 0.3, seed: 7 }, many);
	expect(ones.length).toBeGreaterThan(250);
	expect(ones.length).toBeLessThan(350);
	expect(met({ times: 0, rate: 0.3, seed: 7 }, many)).toEqual(ones);
	expect(met({ times: 0, rate: 0.3, seed: 8 }, many)).not.toEqual(ones);
	expect([generator(1)(), generator(1)()]).toEqual([generator(1)(), expect.closeTo(0.627, 3)]);
});

test('a request meets the first fault that fits; faults are listed and cleared', () => {
	const faults = new Faults();
	const [post, any] = [faults.add({ kind: 'empty', method: 'POST' }), faults.add({ kind: 'html', times: 0 })];
	expect(faults.list()).toMatchObject([
		{ id: post, met: 0 },
		{ id: any, met: 0 },
	]);
	expect([faults.meet('GET', '/')!.kind, faults.meet('POST', '/')!.kind]).toEqual(['html', 'empty']);
	expect(faults.list()).toMatchObject([{ id: any, met: 1 }]);
	const third = faults.add({ kind: 'html' });
	faults.clear(any);
	expect(faults.list()).toMatchObject([{ id: third }]);
	faults.clear();
	expect(faults.meet('GET', '/')).toBeUndefined();
	expect(() => faults.add({ kind: 'none' as never })).toThrow('Unknown kind of fault: none');
});

describe('unknown fields and values', () => {
	test('are in every object; all else is as before', () => {
		const shrunk = (value: any): unknown => {
			if (Array.isArray(value)) return value.map(shrunk);
			if (value === null || typeof value !== 'object') return value;
			const { x_new_field, x_new_object, ...rest } = value;
			expect([x_new_field, x_new_object]).toEqual(['new', expect.anything()]);
			return Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, shrunk(one)]));
		};
		const named = fc.dictionary(fc.constantFrom('id', 'text', 'items'), fc.jsonValue());
		fc.assert(
			fc.property(fc.oneof(named, fc.array(named)), (data) => {
				expect(JSON.stringify(shrunk(withUnknownFields(data)))).toBe(JSON.stringify(data));
			}),
			runs(100),
		);
	});

	test('what is one of a list gets a new value, final states stay', () => {
		const data = {
			status: 'scheduled',
			plan: 'lowest',
			type: 'comment',
			platforms: ['x'],
			events: [],
			id: 'a',
		};
		expect(withUnknownFields(data)).toMatchObject({
			...{ status: 'scheduled_v2', plan: 'platinum', type: 'story_mention', id: 'a' },
			...{ platforms: ['x', 'threads'], events: ['post.archived'] },
		});
		for (const status of ['completed', 'failed', 'canceled', 'delivered', 'dead_letter'])
			expect(withUnknownFields({ status })).toMatchObject({ status });
		expect(withUnknownFields({ platforms: [{ status: 'x' }] })).toMatchObject({
			platforms: [{ status: 'x_v2' }],
		});
		expect(withUnknownFields({ by_platform: {} })).toMatchObject({ by_platform: { threads: { posts: 0 } } });
	});
});
