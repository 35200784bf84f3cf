import { readFileSync } from 'node:fs';

import { textsPage, textsPath } from '../../tools/docs/texts';

/** Labels, descriptions and hints of the panel, one row each. */
const panel = readFileSync(textsPath, 'utf8')
	.split('## Errors, hints and log lines')[0]!
	.split('\n')
	.filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !line.startsWith('| Where'))
	.map((line) => line.slice(2, -2).split(' | '));

describe('docs/texts.md', () => {
	test('is what `npm run docs` writes', () => expect(readFileSync(textsPath, 'utf8')).toBe(textsPage()));

	test('holds the fields of credential, action node and trigger', () => {
		const labels = panel.map(([, label]) => label);
		expect(labels).toEqual(expect.arrayContaining(['Base URL', 'Avoid Duplicates', 'Recover Missed Events']));
	});
});

test.each(panel.filter(([, , , hint]) => hint).map(([where, label, , hint]) => [where, label, hint]))(
	'hint under a field fits into two lines: %s, %s',
	(_where, _label, hint) => expect(hint!.length).toBeLessThanOrEqual(120),
);
