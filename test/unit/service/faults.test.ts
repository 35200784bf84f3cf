import { Faults, withUnknownFields, type Fault } from '../../service/faults';

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

test('of several the first that fits; one or all are cleared', () => {
	const faults = new Faults();
	const [, any] = [{ method: 'POST' }, { times: 0 }, {}].map((more) => faults.add({ kind: 'html', ...more }));
	expect([faults.meet('GET', '/')?.id, faults.meet('POST', '/')?.method]).toEqual([any, 'POST']);
	faults.clear(any);
	expect(faults.list().map(({ met: count }) => count)).toEqual([0]);
	faults.clear();
	expect(faults.meet('GET', '/')).toBeUndefined();
});

test('unknown fields and values, but a final status stays: a client waits for it', () => {
	const data = {
		status: 'scheduled',
		plan: 'lowest',
		platforms: ['x'],
		by_platform: {},
		none: null,
		type: 7,
	};
	expect(withUnknownFields(data)).toMatchObject({
		...{ status: 'scheduled_v2', plan: 'platinum', platforms: ['x', 'threads'], x_new_field: 'new' },
		...{ by_platform: { threads: { posts: 0 } }, none: null, type: 7 },
	});
	for (const status of ['completed', 'failed', 'canceled', 'delivered', 'dead_letter'])
		expect(withUnknownFields({ status })).toMatchObject({ status });
});
