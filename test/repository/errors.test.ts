import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { errorsPage, errorsPath } from '../../tools/docs/errors';
import { errors } from '../support/specification';

const root = join(__dirname, '..', '..');

describe('docs/errors.md', () => {
	const page = readFileSync(errorsPath, 'utf8');
	const codes = [...page.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);

	test('is what `npm run docs` writes', () => expect(page).toBe(errorsPage()));

	test('has every code of the specification', () => {
		for (const group of [errors.auth, errors.request, ...Object.values(errors.endpoint)])
			expect(codes).toEqual(expect.arrayContaining(Object.keys(group)));
	});

	test('has every code of ours that stands in the code, each with words of its own', () => {
		const sources = readdirSync(join(root, 'nodes'), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => readFileSync(join(root, 'nodes', file), 'utf8'))
			.join('\n');
		const written = [
			...[...sources.matchAll(/\bNODE_[A-Z_]*[A-Z]\b/g)].map(([code]) => code),
			...[...sources.matchAll(/\brefusal\(\s*'([A-Z_]+)'/g)].map(([, code]) => `NODE_${code}`),
		];
		expect([...new Set(written)].filter((code) => !codes.includes(code))).toEqual([]);
		for (const line of page.split('\n').filter((one) => one.startsWith('| `NODE_')))
			expect(line.split(' | ')[1]).toMatch(/[a-z]{3}/);
	});
});
