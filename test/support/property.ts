import fc, { type Parameters } from 'fast-check';

const { PROPERTY_SEED = '1', PROPERTY_SHARE = '1', STRYKER_MUTATOR_WORKER } = process.env;
// `npm test` tries all cases; Stryker runs them again for every mutant.
const isShort = PROPERTY_SHARE !== '1' || STRYKER_MUTATOR_WORKER !== undefined;

/** The same in each run, so that a commit is judged by what it changed; the soak and the nightly run draw others. */
export const seed = Number(PROPERTY_SEED);

/**
 * How often a property is tried, for `fc.assert(property, runs(1000))`. `PROPERTY_SEED=<seed>` tries other cases.
 * `npm run test:unit` tries a share of them (`PROPERTY_SHARE`), `npm test` all.
 * For every mutant Stryker runs a property again: `mutantRuns` times.
 */
export function runs(count: number, mutantRuns = 10): Pick<Parameters, 'numRuns' | 'seed'> {
	const numRuns = STRYKER_MUTATOR_WORKER
		? Math.min(count, mutantRuns)
		: Math.ceil(count * Number(PROPERTY_SHARE));
	return { numRuns, seed };
}

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
