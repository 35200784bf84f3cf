import fc from 'fast-check';
import { map } from 'lodash';

import { AS_TODAY, bare, parts, today } from '../../service/dialect';
import { keepToTheRule } from '../../support/dialectChecks';
import { anyDialect, shown } from '../../support/dialects';
import { nightly, runsUnless } from '../../support/property';
import { useService } from '../../support/service';

/** Services that keep to the specification and chose otherwise where it shows nothing; `DIALECT_RUNS=1000 PROPERTY_SEED=…` tries more and others. */

const service = useService({ inlineDelaysMs: [0], speed: 0 });

test.each([
	['as today', today],
	['bare: nothing that is not shown exists', bare],
])(
	'each operation and the trigger keep to the rule where the service speaks %s',
	async (_name, dialect) => await keepToTheRule(service(), dialect),
);

const { DIALECT_RUNS } = process.env;
/** Of the single differences: one in so many, all at night. */
const nth = nightly ? 1 : 8;

const single = Object.entries(parts).flatMap(([part, choices]) =>
	map(choices, (choice) => ({ ...today, [part]: choice })).filter((one) => one[part as 'more'] !== AS_TODAY),
);
test.each(single.filter((_, i) => i % nth === 0).map((one) => [shown(one), one]))(
	'each alone: %s',
	async (_name, dialect) => await keepToTheRule(service(), dialect as typeof today),
);

test(
	'facts act, guesses warn, in any dialect',
	async () => {
		await fc.assert(
			fc.asyncProperty(
				anyDialect(),
				async (dialect) =>
					await keepToTheRule(service(), dialect).catch((error: Error) => {
						throw new Error(`${shown(dialect)}: ${error.message}`, { cause: error });
					}),
			),
			runsUnless(DIALECT_RUNS, 20),
		);
	},
	4 * 3_600_000,
);
