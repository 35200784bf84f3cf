import { homedir, tmpdir } from 'node:os';
import { resolve } from 'node:path';

import { cacheFolder } from '../../test/n8n/install';
import type { N8n } from '../../test/n8n/instance';
import type { Field } from '../../test/support/e2e/field';

export type Stage = Field<N8n>;

/** Rows that share a service, by name: each throws what it finds where that is less than wanted. */
export type Scene = Record<string, (stage: Stage) => Promise<void>>;

/** A row fails with `what` unless `condition` holds. */
export function demand(condition: unknown, what: string): asserts condition {
	if (!condition) throw new Error(what);
}

/** Fine exactly if what was found is what was wanted. */
export const demandCount = (found: number, wanted: number, what: string): void =>
	demand(found === wanted, `${found} ${what} of ${wanted}`);

/** The lines of a log that are about the package: n8n has printed them as warnings or errors. */
export const problems = (log: string, packageName: string): string[] =>
	// The folder that n8n is installed in has the package's name, too.
	withoutFolders(log)
		.split('\n')
		.filter((line) => line.includes(packageName));

/** A text without the folders of the machine it was made on; the longest first, since one may hold another. */
export const withoutFolders = (text: string): string =>
	[cacheFolder(), tmpdir(), homedir(), resolve(__dirname, '../..')]
		.sort((one, other) => other.length - one.length)
		.reduce((rest, folder) => rest.replaceAll(folder, '…'), text);
