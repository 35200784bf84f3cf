import { homedir, tmpdir } from 'node:os';
import { resolve } from 'node:path';

import { cacheFolder } from '../../test/n8n/install';

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
