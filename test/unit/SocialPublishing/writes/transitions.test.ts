import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	transitions,
	type Action,
	type Result,
	type State,
} from '../../../../nodes/SocialPublishing/writes/transitions';

const results: Result[] = ['succeeded', 'keptAsFailed', 'rejected', 'inDoubt'];
const rows = Object.entries(transitions) as Array<[State, (typeof transitions)[State]]>;

test('they are the table of docs/idempotency.md', () => {
	const text = readFileSync(join(__dirname, '../../../../docs/idempotency.md'), 'utf8');
	const [, table = ''] = /### States of a write([^]*?)\n\n\*/.exec(text)!;
	const words: Record<Action, RegExp> = {
		send: /^is sent/,
		resend: /^the first request/,
		replay: /^nothing/,
	};
	const lines = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
	for (const [state, { action, next }] of rows) {
		const [, , asked, ...then] = lines.find(([, name]) => name === state)!;
		expect({ [state]: asked }).toEqual({ [state]: expect.stringMatching(words[action]) });
		expect({ [state]: then.slice(0, 4) }).toEqual({ [state]: results.map((result) => next[result]) });
	}
	expect(lines.filter(([, state = '']) => state in transitions)).toHaveLength(rows.length);
});

test('what may have been carried out is never sent anew, and stays so; what succeeded stays so', () => {
	for (const [state, { action, next }] of rows) {
		expect([state, action === 'send', next.succeeded]).toEqual([state, state === 'new', 'succeeded']);
		if (state !== 'new') expect(Object.values(next)).not.toContain('new');
	}
	expect(new Set(Object.values(transitions.succeeded.next))).toEqual(new Set(['succeeded']));
});
