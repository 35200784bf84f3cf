import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from '../n8n/chromium';
import { commandsIn, documents, readDocument, root } from '../support/documents';

/** Commands that documents and workflows give are there, and all that are there are explained. */

const { scripts } = jest.requireActual<{ scripts: Record<string, string> }>('../../package.json');

const scriptOf = (command: string): string | undefined => /\bnpm (?:run )?([\w:]+)/.exec(command)?.[1];

test.each(documents)('%s: its commands are scripts of the package', (path) => {
	const named = commandsIn(readDocument(path)).filter((one) => /\bnpm (run|start|test)\b/.test(one));
	expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named.map(scriptOf)));
});

test('so are those of the GitHub workflows', () => {
	const folder = '.github/workflows';
	const workflows = readdirSync(join(root, folder)).map((name) => readDocument(join(folder, name)));
	const named = [...workflows.join('\n').matchAll(/npm run [\w:]+/g)].map(([command]) => scriptOf(command));
	expect(named).toContain('build');
	expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
});

test('CONTRIBUTING.md explains every script', () => {
	const explained = commandsIn(readDocument('CONTRIBUTING.md')).map(scriptOf);
	expect(explained).toEqual(expect.arrayContaining(Object.keys(scripts)));
});

test('npm test goes on without a browser where none is installed and none can be fetched, and says so', async () => {
	const { env } = process;
	// A file is no cache folder.
	process.env = { ...env, CHROMIUM_PATH: '', SOCIAL_PUBLISHING_N8N_CACHE: __filename };
	const said = jest.spyOn(console, 'log').mockImplementation();
	try {
		expect(await findChromium()).toBeUndefined();
		const isTried = process.platform === 'linux' && process.arch === 'x64';
		expect(said.mock.calls.join('\n')).toMatch(isTried ? /could not be installed/ : /^$/);
	} finally {
		process.env = env;
		said.mockRestore();
	}
});
