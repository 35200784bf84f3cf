import fc from 'fast-check';
import { map } from 'lodash';

import { AS_TODAY, bare, parts, today } from '../../service/dialect';
import { keepToTheRule } from '../../support/dialectChecks';
import { anyDialect, shown } from '../../support/dialects';
import { runs } from '../../support/property';
import { useService } from '../../support/service';

/** Services that keep to the specification and chose otherwise where it shows nothing; 1,000 of them: `npm run soak -- dialects`. */

const service = useService({ inlineDelaysMs: [0], speed: 0 });

test.each([
	['as today', today],
	['bare: nothing that is not shown exists', bare],
])(
	'each operation and the trigger keep to the rule where the service speaks %s',
	async (_name, dialect) => await keepToTheRule(service(), dialect),
);

const { DIALECT_RUNS = '20' } = process.env;
/** Of the single differences: one in so many, all in the long run. */
const nth = DIALECT_RUNS === '20' ? 8 : 1;

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
			runs(Number(DIALECT_RUNS)),
		);
	},
	4 * 3_600_000,
);
