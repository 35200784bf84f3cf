import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { testsOf } from '../support/collect';
import { table } from '../support/engine';

/** Tests that must be there: of every operation, every class of malformed input. */

const tests = join(__dirname, '..');
const filesIn = (folder: string): string[] =>
	readdirSync(join(tests, folder))
		.filter((name) => name.endsWith('.test.ts'))
		.map((name) => join(tests, folder, name));

/** Each once, in the order in which they come. */
const unique = (names: Array<string | undefined>): string[] => [
	...new Set(names.filter((name) => name !== undefined)),
];

describe('the table of operations', () => {
	const operationsOf = async () =>
		(await table()).flatMap(({ value, operations }) =>
			operations.map((operation: { value: string }) => `${value}.${operation.value}`),
		) as string[];

	test('has tests of every operation by the common frame, in the file of its resource', async () => {
		const framed = filesIn('integration/SocialPublishing/resources').flatMap((file) =>
			testsOf([file])
				.filter((name) => name.endsWith(' › the request as sent'))
				.map((name) => `${basename(file).split('.')[0]!}: ${name.split(' › ')[0]!}`),
		);
		const wanted = (await operationsOf()).map((name) => `${name.split('.')[0]!}: ${name}`);
		expect(framed.sort()).toEqual(wanted.sort());
	});

	test('has the 26 operations that were promised first; later ones may join them', async () => {
		expect(await operationsOf()).toEqual(
			expect.arrayContaining([
				'account.getAll',
				...['getInsights', 'getOverview', 'getSummary', 'getUnified'].map((one) => `analytics.${one}`),
				'approval.getAll',
				...['getAll', 'reply'].map((one) => `inbox.${one}`),
				...['createUploadUrl', 'upload', 'uploadDirect'].map((one) => `media.${one}`),
				...['cancel', 'create', 'delete', 'get', 'getAll', 'getAnalytics', 'update', 'waitForStatus'].map(
					(one) => `post.${one}`,
				),
				'socialConnection.getAll',
				'usage.get',
				...['create', 'delete', 'getAll', 'getDeliveries'].map((one) => `webhook.${one}`),
				'workspace.getAll',
			]),
		);
	});
});

test('every row of the malformed-input table starts the name of a test', () => {
	const files = ['unit/SocialPublishingTrigger/delivery.test.ts', 'e2e/trigger-malformed.test.ts'].map(
		(path) => join(tests, path),
	);
	const numbers = testsOf(files).map((name) => /^(\d+):/.exec(name.split(' › ').at(-1)!)?.[1]);
	const wanted = Array.from({ length: 38 }, (_, i) => String(i + 1));
	expect(unique(numbers).sort((a, b) => Number(a) - Number(b))).toEqual(wanted);
});

describe('tests are found', () => {
	const found = testsOf([join(__dirname, 'fixtures/collected.ts')]);

	test('with the names of their blocks, once a row, and not where they are skipped', () => {
		expect(found).toEqual(['a › one', 'a › two %s', 'a › two %s', '%s › three', '%s › three', 'four']);
	});
});
