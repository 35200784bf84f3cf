import { Stryker } from '@stryker-mutator/core';
import lodash from 'lodash';
import { relative } from 'node:path';

/** `npm run mutants [-- files]`: mutation testing over the unit tests, with the scores that have to be reached. */

/** Percent of what unit tests reach in all files; of everything where a wrong write or delivery starts. */
const least = 85;
const leastOfGuards = 95;
const guards = [
	/^nodes\/shared\/signature\.ts$/,
	/^nodes\/SocialPublishingTrigger\/delivery\.ts$/,
	/^nodes\/SocialPublishing\/writes\//,
];

const percent = (part, whole) => (whole === 0 ? 100 : Math.round((1000 * part) / whole) / 10);

/** @param {import('@stryker-mutator/api/core').MutantResult[]} mutants */
function scoreOf(mutants) {
	const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
	const [killed, survived, unreached] = [count('Killed', 'Timeout'), count('Survived'), count('NoCoverage')];
	const ofReached = percent(killed, killed + survived);
	return { killed, survived, unreached, ofReached, ofAll: percent(killed, killed + survived + unreached) };
}

const mutate = process.argv.slice(2);
// What an earlier run has found counts for a whole run only: results of other files would be mixed in.
const chosen = mutate.length > 0 ? { mutate, incremental: false } : {};
const mutants = await new Stryker(chosen).runMutationTest();

const files = lodash.mapValues(
	lodash.groupBy(mutants, ({ fileName }) => relative('.', fileName)),
	scoreOf,
);
const reached = lodash.pickBy(files, ({ killed, survived }) => killed + survived > 0);
console.table(reached);
const { ofReached } = scoreOf(mutants.filter(({ fileName }) => relative('.', fileName) in reached));
console.log(`Of what unit tests reach ${ofReached} % of the mutants are killed (at least ${least} %)`);

const tooLow = Object.entries(files).filter(
	([file, { ofAll }]) => guards.some((guard) => guard.test(file)) && ofAll < leastOfGuards,
);
for (const [file, { ofAll }] of tooLow) console.error(`${file}: ${ofAll} % instead of ${leastOfGuards} %`);
process.exitCode = ofReached < least || tooLow.length > 0 ? 1 : 0;
