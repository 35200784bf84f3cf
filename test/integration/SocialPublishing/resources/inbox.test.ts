import { runOperation, useService } from '../../../support/service';

const service = useService();

const reply = async (inboxItemId: string, text: string, more: object = {}) =>
	await runOperation(
		service(),
		'inbox:reply',
		{ inboxItemId: { mode: 'id', value: inboxItemId }, text },
		more,
	);

test('one item is never answered twice with the same text: not by other items, executions or tries', async () => {
	const first = await reply('inb_seed_1', 'Thanks', { items: [{ json: {} }, { json: {} }] });
	const second = await reply('inb_seed_1', 'Thanks', { executionId: '2' });
	expect([first.error, second.error]).toEqual([undefined, undefined]);
	const { replies } = service().store.inbox.get('inb_seed_1')!;
	expect(replies.map(({ text }) => text)).toEqual(['Thanks']);
	const keys = [...first.json, ...second.json].map(({ idempotency_key }) => idempotency_key);
	expect(new Set(keys).size).toBe(1);
});
