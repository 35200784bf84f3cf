import fc from 'fast-check';
import { isEqual } from 'lodash';

import { ApiError } from '../../service/errors';
import { canonical, checkKey, fingerprintOf, Idempotency, type Answer } from '../../service/idempotency';
import { anyText, runs } from '../../support/property';

const codeOf = (key: string | undefined, required: boolean): string | undefined => {
	try {
		checkKey(key, required);
		return undefined;
	} catch (error) {
		return (error as ApiError).code;
	}
};

test('a key has 1 to 255 printable characters of ASCII and no space', () => {
	const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
	const keys = fc.oneof(fc.string({ unit: printable, minLength: 250, maxLength: 260 }), anyText(10));
	fc.assert(
		fc.property(keys, (key) => {
			const good = key !== '' && key.length <= 255 && [...key].every((one) => one > ' ' && one < '\x7f');
			expect(codeOf(key, true)).toBe(good ? undefined : 'PUBLIC_API_IDEMPOTENCY_KEY_INVALID');
		}),
		runs(200),
	);
	for (const key of ['', 'a\n', 'a b']) expect(codeOf(key, false)).toBe('PUBLIC_API_IDEMPOTENCY_KEY_INVALID');
	expect(codeOf(undefined, true)).toBe('PUBLIC_API_IDEMPOTENCY_REQUIRED');
	expect(codeOf(undefined, false)).toBeUndefined();
});

test('two requests are the same when method, path and body are, in whatever order of fields', () => {
	const fields = fc.uniqueArray(fc.tuple(fc.string(), fc.jsonValue()), { selector: ([name]) => name });
	fc.assert(
		fc.property(fields, fc.jsonValue(), (list, other) => {
			const [body, turned] = [list, [...list].reverse()].map((each) => ({ a: [Object.fromEntries(each)] }));
			expect(canonical(turned)).toBe(canonical(body));
			expect(canonical(body) === canonical(other)).toBe(isEqual(body, other));
		}),
		runs(100),
	);
	const requests = ['POST /posts 1', 'POST /posts 2', 'PATCH /posts 1', 'POST /webhooks 1'];
	const prints = requests.map((one) => fingerprintOf(...(one.split(' ') as [string, string, string])));
	expect(new Set([...prints, fingerprintOf('POST', '/posts', undefined)]).size).toBe(5);
});

describe('requests with one key', () => {
	const answer: Answer = { status: 201, data: { id: 'post_1' } };
	const failure = new ApiError('PUBLIC_API_POST_CREATE_FAILED', 'no');
	/** Sends requests at once, of which so many fail to act. */
	async function send(failures: number, prints: string[]) {
		const idempotency = new Idempotency();
		let acted = 0;
		const act = async () => {
			const isFailing = acted++ < failures;
			await Promise.resolve();
			if (isFailing) throw failure;
			return answer;
		};
		const run = async (print: string) =>
			await idempotency.run('scope', print, act).catch((error: Error) => error);
		return { outcomes: await Promise.all(prints.map(run)), acted: () => acted, size: idempotency.size };
	}

	test('act once, and all get its answer, however many failed before it', async () => {
		await fc.assert(
			fc.asyncProperty(fc.nat(4), fc.integer({ min: 1, max: 4 }), async (failures, more) => {
				const { outcomes, acted, size } = await send(failures, Array(failures + more).fill('same'));
				const replays = Array.from({ length: more }, (_, i) => ({ answer, replayed: i > 0 }));
				expect(outcomes).toEqual([...Array(failures).fill(failure), ...replays]);
				expect([acted(), size]).toEqual([failures + 1, 1]);
			}),
			runs(40),
		);
	});

	test('and another body are a conflict, also while the first one is on its way', async () => {
		const conflict = expect.objectContaining({ code: 'PUBLIC_API_IDEMPOTENCY_CONFLICT', status: 409 });
		const { outcomes } = await send(0, ['one', 'other', 'one']);
		expect(outcomes).toEqual([{ answer, replayed: false }, conflict, { answer, replayed: true }]);
	});
});
