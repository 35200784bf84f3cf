import { homedir, tmpdir } from 'node:os';
import { resolve } from 'node:path';

import { cacheFolder } from '../../test/n8n/install';

/** What n8n printed, and how much of it may be written down. */

/** n8n's own on a machine without Python, licence and registry. */
const ownSubjects = /python|license|DeprecationWarning|registry|vetted|community node types/i;
/** n8n's own look-ups on a machine without network; the code may stand in the error's fields, below its first line. */
const noNetwork = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|fetch failed/;

const isStack = (line: string) => /^\s+at /.test(line);
const goesOn = (line: string) => /^(\s+\S|[{}\])])/.test(line);

/** The first lines of what a log says about the package, or about an error that is not n8n's own. */
export function problems(log: string, packageName: string): string[] {
	const entries: string[][] = [];
	// The folder that n8n is installed in has the package's name, too.
	for (const line of withoutFolders(log).split('\n')) {
		if (goesOn(line) && entries.length > 0) entries.at(-1)!.push(line);
		else entries.push([line]);
	}
	return entries
		.filter((lines) => {
			const said = lines.filter((line) => !isStack(line));
			if (lines.some((line) => isStack(line) && line.includes(packageName))) return true;
			if (!said.some((line) => line.includes(packageName) || /cannot find module|error/i.test(line)))
				return false;
			return !ownSubjects.test(lines[0]!) && !said.some((line) => noNetwork.test(line));
		})
		.map(([first]) => first!.trim());
}

/** A text without the folders of the machine it was made on; the longest first, since one may hold another. */
export const withoutFolders = (text: string): string =>
	[cacheFolder(), tmpdir(), homedir(), resolve(__dirname, '../..')]
		.sort((one, other) => other.length - one.length)
		.reduce((rest, folder) => rest.replaceAll(folder, '…'), text);
