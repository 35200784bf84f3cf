import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../nodes/api/failure';
import { isToolRun, Run } from '../../../../nodes/SocialPublishing/engine/run';
import { words } from '../../../../nodes/SocialPublishing/resources/post/words';
import { fakeN8n } from './fakeRun';

const coded = (code: string, more: object = {}) => new Failure({ code, message: 'no', hint: '', ...more });

/** A run of an operation of this method, and what n8n keeps of it. */
async function opened(method: 'GET' | 'POST') {
	const memory: IDataObject = {};
	const n8n = fakeN8n([], { getContext: () => memory });
	const run = await Run.open(n8n as never, { value: 'get', method }, words);
	return { run, memory, n8n };
}

test('a read builds no writer: nothing is loaded of a calling execution, nothing is kept', async () => {
	const { run, memory, n8n } = await opened('GET');
	expect([run.writer, memory]).toEqual([undefined, {}]);
	expect(n8n.getExecutionContext).not.toHaveBeenCalled();
	run.endRound([coded('NO')]);
	const write = await opened('POST');
	expect(Object.keys(write.memory)).toEqual(['executionScope', 'isByHand', 'firstRun', 'writes']);
	expect(write.run.writer).toBeDefined();
});

test.each([
	['a node', {}, false],
	['a tool of n8n', { isToolExecution: () => true }, true],
	['a node of n8n 2', { isToolExecution: () => false }, false],
	['a tool of an older n8n', { getNode: () => ({ type: 'socialPublishingTool' }) }, true],
])('%s: %j is a tool: %s', (_what, more, isTool) =>
	expect(isToolRun({ getNode: () => ({ type: 'socialPublishing' }), ...more } as never)).toBe(isTool),
);

const inPart = {
	status: 'completed',
	platforms: [{ platform: 'x' }, { platform: 'twitter', status: 'failed' }],
};
test.each<[Array<Failure | IDataObject>, boolean, Record<string, unknown>]>([
	[[{}], false, {}],
	[[{}, coded('NO', { idempotency_key: 'a' })], true, { a: [] }],
	[[coded('NODE_POST_FAILED', { idempotency_key: 'a' })], true, { a: 'all' }],
	[[coded('NODE_POST_FAILED', { idempotency_key: 'a', post: inPart })], true, { a: ['x'] }],
	[
		[coded('NODE_POST_CANCELED', { idempotency_key: 'a' }), coded('NODE_POST_FAILED')],
		true,
		{ a: 'all', '': 'all' },
	],
])('%# a round ends: %j', async (outcomes, hasFailed, unpublished) => {
	const { run } = await opened('POST');
	const endRound = jest.fn();
	Object.assign(run, { writer: { endRound } });
	run.endRound(outcomes);
	expect(endRound).toHaveBeenCalledWith(hasFailed, new Map(Object.entries(unpublished)));
});

test("an expression in the credential that gives a row another workspace than the first row: refused, since n8n's requests have the first", async () => {
	const of = (row: number) => ({ apiKey: 'secret-key', workspaceId: ['ws_1', 'ws_2', 'ws_1'][row] });
	const getCredentials = jest.fn(async (_name: string, row = 0) => ({
		baseUrl: 'https://a.example',
		...of(row),
	}));
	const n8n = fakeN8n([{}, {}, {}], { getCredentials });
	const run = await Run.open(n8n as never, { value: 'get', method: 'GET' }, words);
	for (const row of [0, 2]) await expect(run.refuseOtherCredential(row)).resolves.toBeUndefined();
	const refused = expect.objectContaining({ code: 'NODE_CREDENTIAL_DIFFERS' });
	await expect(run.refuseOtherCredential(1)).rejects.toMatchObject({ details: refused });
	expect(getCredentials.mock.calls.slice(1).map(([, row]) => row)).toEqual([0, 2, 1]);
});

test('no failure holds the API key', async () => {
	const { run } = await opened('GET');
	const { message } = run.withoutKey(new Failure({ code: 'NO', message: 'is secret-key', hint: '' }));
	expect(message).not.toContain('secret-key');
	const item = { text: 'secret-key' };
	expect(run.withoutKey(item)).toBe(item);
});
