import fc, { type Parameters } from 'fast-check';

const { NIGHTLY, PROPERTY_SEED = '1', STRYKER_MUTATOR_WORKER } = process.env;
/** `NIGHTLY=1`: what takes long is tried, too. */
export const nightly = Boolean(NIGHTLY);
/** A fifth of the random cases in `npm test`, all of them at night (`NIGHTLY=1`). */
const share = nightly ? 1 : 0.2;
// For every mutant Stryker runs the tests again.
const isShort = share < 1 || STRYKER_MUTATOR_WORKER !== undefined;

/** The same in each run, so that a commit is judged by what it changed; the nightly run draws others. */
export const seed = Number(PROPERTY_SEED);

/**
 * How often a property is tried, for `fc.assert(property, runs(1000))`. `PROPERTY_SEED=<seed>` tries other cases. For every
 * mutant Stryker runs a property again: `mutantRuns` times.
 */
export function runs(count: number, mutantRuns = 10): Pick<Required<Parameters>, 'numRuns' | 'seed'> {
	const numRuns = STRYKER_MUTATOR_WORKER ? Math.min(count, mutantRuns) : Math.ceil(count * share);
	return { numRuns, seed };
}

/** `runs(count)`, or as many as an environment variable says. */
export const runsUnless = (
	given: string | undefined,
	count: number,
): Pick<Required<Parameters>, 'numRuns' | 'seed'> =>
	given === undefined ? runs(count) : { numRuns: Number(given), seed };

/** How many triggers, rows, … a slow simulation has; a fifth of them where a share is enough. */
export const many = (count: number): number => (isShort ? Math.ceil(count / 5) : count);

/** All of a list of cases; one in `nth` where a share is enough. */
export const sample = <T>(cases: readonly T[], nth: number, first = 0): T[] =>
	cases.filter((_, i) => !isShort || (i + first) % nth === 0);

/** Any code points, half surrogates too; `fc.string({ unit: 'binary' })` makes a table of a million of them first. */
export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
	fc
		.array(fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0x10ffff })), { maxLength })
		.map((points) => String.fromCodePoint(...points));
