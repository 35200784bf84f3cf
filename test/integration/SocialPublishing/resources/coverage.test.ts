import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { table } from '../../../support/engine';

/** Every operation of the built table has its test here: a call of `describeOperation('resource.operation'`. */
describe('the table of operations', () => {
	test('has an integration test for every operation, and none for others', async () => {
		const files = readdirSync(__dirname).filter(
			(file) => /\.test\.ts$/.test(file) && !file.startsWith('coverage'),
		);
		const source = files.map((file) => readFileSync(join(__dirname, file), 'utf8')).join('\n');
		const tested = [...source.matchAll(/describeOperation\(\s*'([\w.]+)'/g)].map(([, name]) => name!);
		const operations = (await table()).flatMap((resource) =>
			resource.operations.map((operation: { value: string }) => `${resource.value}.${operation.value}`),
		);
		expect(tested.sort()).toEqual(operations.sort());
	});

	test('has the 26 operations that were promised first; later ones may join them', async () => {
		const operations = (await table()).flatMap((resource) =>
			resource.operations.map((operation: { value: string }) => `${resource.value}.${operation.value}`),
		);
		expect(operations).toEqual(
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
