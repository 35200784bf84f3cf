import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(__dirname, '../../../shared/spec/public-api-specification.md');

/** A test that compares with the spec, which lies beside some clones; elsewhere it is skipped, and its name says why. */
export function testWithSpec(name: string, compare: (spec: string) => void): void {
	if (existsSync(file)) test(name, () => compare(readFileSync(file, 'utf8')));
	else test.skip(`${name} (not compared: no ../shared/spec beside this clone)`, () => undefined);
}
