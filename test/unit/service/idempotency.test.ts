import fc from 'fast-check';
import { isEqual } from 'lodash';

import { ApiError } from '../../service/errors';
import { canonical, checkKey, fingerprintOf, Idempotency, type Answer } from '../../service/idempotency';
import { anyText, runs } from '../../support/property';

const codeOf = (act: () => unknown): string | undefined => {
	try {
		act();
		return undefined;
	} catch (error) {
		return (error as ApiError).code;
	}
};

describe('a key', () => {
	test('has 1 to 255 printable characters of ASCII and no space', () => {
		const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
		const keys = fc.oneof(fc.string({ unit: printable, maxLength: 300 }), anyText(300));
		fc.assert(
			fc.property(keys, (key) => {
				const good =
					key.length >= 1 && key.length <= 255 && [...key].every((one) => one > ' ' && one < '\x7f');
				expect(codeOf(() => checkKey(key, true))).toBe(
					good ? undefined : 'PUBLIC_API_IDEMPOTENCY_KEY_INVALID',
				);
			}),
			runs(300),
		);
		for (const length of [255, 256])
			expect(codeOf(() => checkKey('x'.repeat(length), true)) === undefined).toBe(length === 255);
		expect(codeOf(() => checkKey('a\n', true))).toBe('PUBLIC_API_IDEMPOTENCY_KEY_INVALID');
	});

	test('may be missing only where none is required', () => {
		expect(codeOf(() => checkKey(undefined, true))).toBe('PUBLIC_API_IDEMPOTENCY_REQUIRED');
		expect(codeOf(() => checkKey(undefined, false))).toBeUndefined();
	});
});

describe('two requests are the same', () => {
	test('when their bodies are, in whatever order of fields', () => {
		const reversed = (value: unknown): unknown => {
			if (Array.isArray(value)) return value.map(reversed);
			if (value === null || typeof value !== 'object') return value;
			return Object.fromEntries(
				Object.entries(value)
					.reverse()
					.map(([name, one]) => [name, reversed(one)]),
			);
		};
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
				expect(canonical(reversed(a))).toBe(canonical(a));
				expect(canonical(a) === canonical(b)).toBe(isEqual(a, b));
			}),
			runs(300),
		);
		expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
		expect(canonical(undefined)).toBe('null');
	});

	test('when method and path are, too', () => {
		const prints = [
			['POST', '/posts'],
			['PATCH', '/posts'],
			['POST', '/webhooks'],
		].map(([method, path]) => fingerprintOf(method!, path!, { a: 1 }));
		expect(new Set(prints).size).toBe(3);
		expect(fingerprintOf('POST', '/posts', { a: 2 })).not.toBe(prints[0]);
	});
});

describe('requests with one key', () => {
	/** Sends requests at once; each acts as told, in turn. */
	async function send(acts: Array<Answer | Error>, prints = acts.map(() => 'same')) {
		const idempotency = new Idempotency();
		let acted = 0;
		const outcomes = await Promise.all(
			prints.map(
				async (print) =>
					await idempotency
						.run('scope', print, async () => {
							const outcome = acts[acted++]!;
							await Promise.resolve();
							if (outcome instanceof Error) throw outcome;
							return outcome;
						})
						.catch((error: Error) => error),
			),
		);
		return { acted, outcomes, idempotency };
	}
	const answer = { status: 201, data: { id: 'post_1' } };
	const failure = new ApiError('PUBLIC_API_POST_CREATE_FAILED', 'no');

	test('act once, and all get its answer, however many failed before it', async () => {
		await fc.assert(
			fc.asyncProperty(fc.nat(4), fc.integer({ min: 1, max: 4 }), async (failures, more) => {
				const acts = [...Array<Error>(failures).fill(failure), ...Array<Answer>(more).fill(answer)];
				const { acted, outcomes, idempotency } = await send(acts);
				expect(acted).toBe(failures + 1);
				expect(outcomes.slice(0, failures)).toEqual(Array(failures).fill(failure));
				expect(outcomes.slice(failures)).toEqual(
					Array.from({ length: more }, (_, i) => ({ answer, replayed: i > 0 })),
				);
				expect(idempotency.size).toBe(1);
			}),
			runs(40),
		);
	});

	test('and another body are a conflict, also while the first one is on its way', async () => {
		const { outcomes, idempotency } = await send([answer, answer], ['one', 'other']);
		expect(outcomes).toEqual([
			{ answer, replayed: false },
			expect.objectContaining({ code: 'PUBLIC_API_IDEMPOTENCY_CONFLICT', status: 409 }),
		]);
		idempotency.reset();
		expect(idempotency.size).toBe(0);
	});
});
