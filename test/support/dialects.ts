import fc from 'fast-check';
import { mapValues } from 'lodash';

import { AS_TODAY, bare, type Dialect, differences, parts, today } from '../service/dialect';

/** Dialects between today's and one that shares nothing with it; shrinks to the one difference that matters. */
export const anyDialect = (): fc.Arbitrary<Dialect> =>
	fc.oneof(
		...[16, 4, 2, 1].map((weight) =>
			fc.record(
				mapValues(parts, ([, ...others]) =>
					fc.oneof(
						{ withCrossShrink: true },
						{ weight, arbitrary: fc.constant(AS_TODAY) },
						{ weight: 1, arbitrary: fc.constantFrom(...others) },
					),
				),
			),
		),
	) as fc.Arbitrary<Dialect>;

/** For a failure: the part or parts that differ. */
export const shown = (dialect: Dialect): string =>
	dialect === today ? 'today' : dialect === bare ? 'bare' : JSON.stringify(differences(dialect));
