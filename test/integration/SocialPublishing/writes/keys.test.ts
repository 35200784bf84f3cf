import type { IDataObject } from 'n8n-workflow';

import { asked, createPost, item, run, useService } from '../../../support/service';

/** Executions that are stored, and the service, hold these keys: they must not change. */

const service = useService();

const post: IDataObject = { text: 'Hello', scheduledAt: '2126-01-01T10:00' };
const by = (mode: string, id = '') => ({ avoidDuplicates: { by: { mode, id } } });
const keysOf = async (parameters: IDataObject, more: object = {}) => {
	service().reset();
	await run(service(), createPost({ ...post, ...parameters }), {
		resumeToken: 'token',
		...structuredClone(more),
	});
	return asked(service(), 'POST').map(({ headers }) => headers['idempotency-key']);
};

test.each<[string, IDataObject, object, string[]]>([
	['When I Retry', {}, {}, ['n8n-tXFivgfSTST_TLmyYnEFyoAvbKPWNgdY4lZ-3hrwRWg']],
	[
		'two rows',
		{},
		{ items: [item({}), item({})] },
		['n8n-tXFivgfSTST_TLmyYnEFyoAvbKPWNgdY4lZ-3hrwRWg', 'n8n-m6zmMsuuTwdZrm9lSoMBXUFLSGbE848-PBseyNw4cIQ'],
	],
	['an account', { platforms: ['x:acc_main_x'] }, {}, ['n8n-eigkuLu_2n0APlQHeMeOTqQq5wyuTgEqwqQQE1k7860']],
	[
		'a second round',
		{},
		{ runIndex: 1, contextData: { 'node:Node': { firstRun: 0 } } },
		['n8n-v7JfrzfQolcqyAqwXSFLqauBUpjecjAh0N-4Tch6_EQ'],
	],
	['a sub-workflow', {}, { callersToken: 'caller' }, ['n8n-qJgHZit9FdXoeBCtIoQ5UB4jswxWjtKovjB35ZB6dpA']],
	['Same Text and Time', { options: by('content') }, {}, ['n8n-socGLxo6gZqJ6q1vc_lSAGY8MyL_k4jhr7hiv6STF6Y']],
	['My Own ID', { options: by('custom', 'row-7') }, {}, ['row-7:x']],
])('%s', async (_what, parameters, more, keys) => expect(await keysOf(parameters, more)).toEqual(keys));
