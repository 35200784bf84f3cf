import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { errorsPage } from './errors';
import { examplesPage } from './examples';
import { root } from './sources';
import { surfacePage } from './surface';

/** What is made from the code: `npm run docs` writes it anew, a test compares. */

/** Path of a document → as it should be, given what it is now. */
export const pages: Record<string, (now: string) => string> = {
	'examples/README.md': examplesPage,
	'docs/errors.md': errorsPage,
	'tools/docs/surface.txt': surfacePage,
};

if (require.main === module)
	for (const [path, page] of Object.entries(pages))
		writeFileSync(join(root, path), page(readFileSync(join(root, path), 'utf8')));
