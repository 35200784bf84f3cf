import { Stryker } from '@stryker-mutator/core';
import lodash from 'lodash';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';

/** `npm run mutants [-- files]`: mutation testing over the unit tests, with the scores that have to be reached. */

/** Percent of what unit tests reach in all files; of everything where a wrong write or delivery starts. */
const least = 94;
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

const fileOf = ({ fileName }) => relative('.', fileName);
/** Scores of groups of mutants that unit tests reach. */
const scoresBy = (nameOf) =>
	lodash.pickBy(
		lodash.mapValues(lodash.groupBy(mutants, nameOf), scoreOf),
		({ killed, survived }) => killed + survived > 0,
	);
const files = scoresBy(fileOf);
console.table(files);
const total = scoreOf(mutants.filter((mutant) => fileOf(mutant) in files));
console.log(`Of what unit tests reach ${total.ofReached} % of the mutants are killed (at least ${least} %)`);

const ofGuards = lodash.pickBy(files, (_score, file) => guards.some((guard) => guard.test(file)));
if (mutate.length === 0) writePage();

const tooLow = Object.entries(ofGuards).filter(([, { ofAll }]) => ofAll < leastOfGuards);
for (const [file, { ofAll }] of tooLow) console.error(`${file}: ${ofAll} % instead of ${leastOfGuards} %`);
process.exitCode = total.ofReached < least || tooLow.length > 0 ? 1 : 0;

/** Puts the scores of a whole run into docs/development/mutants.md. */
function writePage() {
	const row = ([name, { killed, survived, unreached, ofReached }]) =>
		`| ${name} | ${killed} | ${survived} | ${unreached} | ${ofReached} % |`;
	const named = (scores) =>
		lodash.sortBy(Object.entries(scores), 0).map(([name, score]) => [`\`${name}\``, score]);
	const folders = scoresBy((mutant) => `${dirname(fileOf(mutant)).replace(/(resources)\/.*/, '$1')}/`);
	const table = [
		'| | noticed | not noticed | not reached | of what is reached |',
		'|---|--:|--:|--:|--:|',
		...[...named(folders), ['together', total], ...named(ofGuards)].map(row),
	];
	const page = 'docs/development/mutants.md';
	const [begin, end] = ['<!-- scores: written by `npm run mutants` -->', '<!-- end of scores -->'];
	const [before, rest] = readFileSync(page, 'utf8').split(begin);
	writeFileSync(page, [before, begin, '\n\n', table.join('\n'), '\n\n', end, rest.split(end)[1]].join(''));
}
