import { Faults, type Fault } from '../../service/faults';

/** Which of these requests a fault meets, by number. */
function met(fault: Partial<Fault>, requests: string[]): number[] {
	const faults = new Faults();
	faults.add({ kind: 'empty', ...fault });
	return requests.flatMap((line, i) => (faults.meet(...(line.split(' ') as [string, string])) ? [i] : []));
}

test.each<[Partial<Fault>, string[], number[]]>([
	[{}, ['GET /a', 'GET /a'], [0]],
	[{ times: 2, skip: 1 }, ['GET /a', 'GET /a', 'GET /a', 'GET /a'], [1, 2]],
	[{ times: 0 }, ['GET /a', 'POST /b', 'GET /c'], [0, 1, 2]],
	[{ method: 'POST|PATCH', times: 0 }, ['GET /a', 'POST /a', 'PATCH /a', 'DELETE /a'], [1, 2]],
	[{ path: '^/posts/[^/]+$', times: 0 }, ['GET /posts', 'GET /posts/1', 'GET /posts/1/cancel'], [1]],
	[{ path: 'posts', method: 'POST', skip: 1 }, ['GET /posts', 'POST /posts', 'POST /a', 'POST /posts'], [3]],
])('%j meets of %j those numbered %j', (fault, requests, numbers) => {
	expect(met(fault, requests)).toEqual(numbers);
});

test('a rate meets that share of the requests, the same ones with the same seed', () => {
	const of = (rate: number, seed?: number) =>
		met({ times: 0, rate, seed }, Array<string>(1000).fill('GET /'));
	expect(Math.abs(of(0.3, 7).length - 300)).toBeLessThan(50);
	expect(of(0.3, 7)).toEqual(of(0.3, 7));
	expect(of(0.3, 7)).not.toEqual(of(0.3, 8));
});
