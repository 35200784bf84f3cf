import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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
