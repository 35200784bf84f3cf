import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Tests that must be there: of every class of malformed input. Of every operation: test/integration/SocialPublishing/resources.test.ts. */

const tests = join(__dirname, '..');
const read = (path: string): string => readFileSync(join(tests, path), 'utf8');

test('every row of the malformed-input table starts the name of a test', () => {
	const source = [
		'unit/SocialPublishingTrigger/delivery.test.ts',
		'unit/SocialPublishingTrigger/webhook.test.ts',
		'e2e/trigger-malformed.test.ts',
	]
		.map(read)
		.join('\n');
	expect(source).not.toMatch(/\.(skip|only)\b|\bx(it|test|describe)\b/);
	const numbers = [...source.matchAll(/(?:^|[([])\s*['"](\d+): /gm)].map(([, number]) => Number(number));
	const wanted = Array.from({ length: 38 }, (_, i) => i + 1);
	expect([...new Set(numbers)].sort((a, b) => a - b)).toEqual(wanted);
});

test('no end-to-end test has a pause or a time limit of its own: it would not hold on a busy machine', () => {
	const own = /timers\/promises|waitForTimeout|setTimeout|retryTimes|\}, [\d_]{4,}\);|^\t+\d[\d_]{4,},$/gm;
	const found = readdirSync(join(tests, 'e2e'))
		.filter((name) => name.endsWith('.test.ts'))
		.map((name) => [name, read(`e2e/${name}`).match(own)]);
	expect(found.filter(([, places]) => places)).toEqual([]);
});
