import { map } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../../service';
import type { RunResult } from '../../../support/engine';
import { asked, createPost, retryOf, run, useService } from '../../../support/service';

/**
 * The table of states of design.md ("Writes"): what a first try has left × how the service answers the next one. Each try has
 * another text, so that what is sent shows whether the first request went out again or what the row says by then.
 */

const service = useService();

const error = (code: string): Fault => ({ kind: 'error', code });
const done: Fault = { kind: 'headers' };
const kept: Fault = { kind: 'errorAfter', code: 'PUBLIC_API_PUBLISH_FAILED' };
const rejected = error('PUBLIC_API_BODY_INVALID');
const lost: Fault = { kind: 'dropBefore' };

const NOT_SENT = /Nothing was sent\./;
const DOUBT = /^Not confirmed as sent(?!.*nothing was sent)/is;
const EARLIER = /earlier try may have been carried out(?!.*nothing was sent).*run the workflow again/is;
const FAILED = /^The platform rejected the post(?!.*nothing was sent)/is;
const OTHERS = /^This idempotency key was used before .*Nothing was sent\..*give it another ID/is;
/** It comes out as an item. */
const DONE = 'done';

/** What the second try sends, what it says, and what the third one sends; '-': no request. */
type Next = [second: string, told: RegExp | typeof DONE, third: string];

const answers: Record<string, Fault> = {
	'2xx': done,
	'422 kept': kept,
	'400': rejected,
	'401': error('PUBLIC_API_KEY_INVALID'),
	'403': error('PUBLIC_API_SCOPE_FORBIDDEN'),
	'404': error('PUBLIC_API_POST_NOT_FOUND'),
	'429': error('PUBLIC_API_RATE_LIMITED'),
	'408': { kind: 'status', status: 408 },
	'409': error('PUBLIC_API_IDEMPOTENCY_CONFLICT'),
	'500': error('PUBLIC_API_POST_CREATE_FAILED'),
	'409 without a code': { kind: 'status', status: 409 },
	'503 without a body': { kind: 'status', status: 503 },
	'a 201 that is no JSON': { kind: 'malformed' },
	'the connection breaks off': lost,
};
const certainlyNot = ['400', '401', '403', '404', '429'];
const unknown = [
	'408',
	'409 without a code',
	'500',
	'503 without a body',
	'a 201 that is no JSON',
	'the connection breaks off',
];

const each = (names: readonly string[], next: Next): Record<string, Next> =>
	Object.fromEntries(names.map((name) => [name, next]));

const states: Record<string, [first: Fault, next: Record<string, Next>]> = {
	nothing: [
		rejected,
		{
			'2xx': ['second', DONE, '-'],
			'422 kept': ['second', FAILED, '-'],
			...each(certainlyNot, ['second', NOT_SENT, 'third']),
			...each(unknown, ['second', DOUBT, 'second']),
			'409': ['second', /run the workflow again/i, 'second'],
		},
	],
	inDoubt: [
		lost,
		{
			'2xx': ['first', DONE, '-'],
			'422 kept': ['first', FAILED, '-'],
			...each(certainlyNot, ['first', DOUBT, 'first']),
			...each(['400'], ['first', EARLIER, 'first']),
			...each([...unknown, '409'], ['first', DOUBT, 'first']),
		},
	],
	keptAsFailed: [kept, each(Object.keys(answers), ['-', FAILED, '-'])],
	succeeded: [done, each(Object.keys(answers), ['-', DONE, '-'])],
};

/** Where an ID makes the key, another execution may have used it. */
const inCustom: Record<string, Record<string, Next>> = { nothing: { '409': ['second', OTHERS, 'third'] } };

const table = ['execution', 'custom'].flatMap((mode) =>
	Object.entries(states).flatMap(([state, [first, next]]) =>
		Object.entries({ ...next, ...(mode === 'custom' ? inCustom[state] : {}) }).map(([answer, expected]) => ({
			...{ mode, state, answer, first, expected },
		})),
	),
);

test.each(table)('in mode $mode: $state, then $answer', async ({ mode, first, answer, expected }) => {
	const options = { maxRetryWait: 0, avoidDuplicates: { by: { mode, id: 'own' } } };
	const next = async (text: string, fault: Fault, before?: RunResult): Promise<[RunResult, string]> => {
		service().faults.clear();
		service().faults.add({ ...fault, method: 'POST' });
		const from = asked(service(), 'POST').length;
		const parameters = createPost({ text, options });
		const result = await run(service(), parameters, before ? retryOf(before) : {});
		const sent = map(asked(service(), 'POST').slice(from), 'body.content.text');
		return [result, sent.join() || '-'];
	};
	const toldBy = ({ error, json }: RunResult): string =>
		error
			? `${error.message} ${error.description}`
			: json.map((one: IDataObject) => (one.id ? DONE : '')).join();
	const [begun] = await next('first', first);
	const [retried, second] = await next('second', answers[answer]!, begun);
	const [, third] = await next('third', done, retried);
	const [wantedSecond, told, wantedThird] = expected;
	expect([second, third]).toEqual([wantedSecond, wantedThird]);
	expect(toldBy(retried)).toMatch(told);
});

test('an answer has one key in all tries', async () => {
	for (const fault of [rejected, lost]) {
		service().reset();
		let last: RunResult | undefined;
		for (const text of ['first', 'second', 'third']) {
			if (text !== 'third') service().faults.add({ ...fault, method: 'POST' });
			last = await run(
				service(),
				createPost({ text, options: { maxRetryWait: 0 } }),
				last ? retryOf(last) : {},
			);
		}
		expect(new Set(map(map(asked(service(), 'POST'), 'headers'), 'idempotency-key')).size).toBe(1);
	}
});
