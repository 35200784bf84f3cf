import { type Service, startService } from '../../../service';
import { describeOperation, runOperation } from './frame';

describeOperation('inbox.getAll', {
	endpoint: 'GET /inbox',
	parameters: () => ({ returnAll: true, options: { query: '{ "status": "open" }' } }),
	sent: { query: { status: 'open' } },
	answer: ({ json }) => {
		expect(json.map(({ id }) => id)).toEqual(['inb_seed_3', 'inb_seed_2', 'inb_seed_1']);
		expect(json[0]).toHaveProperty('author.username');
	},
	empty: {
		prepare: (service) => service.store.inbox.clear(),
		check: ({ json }) => expect(json).toEqual([]),
	},
});

describeOperation('inbox.reply', {
	endpoint: 'POST /inbox/{id}/reply',
	parameters: () => ({ inboxItemId: { mode: 'id', value: 'inb_seed_1' }, text: 'Thank you!' }),
	sent: { body: { text: 'Thank you!' } },
	answer: ({ json }, service) => {
		expect(json).toEqual([
			expect.objectContaining({
				inbox_item_id: 'inb_seed_1',
				text: 'Thank you!',
				request_id: expect.any(String),
			}),
		]);
		expect(service.store.inbox.get('inb_seed_1')!.replies.map(({ text }) => text)).toEqual(['Thank you!']);
	},
});

describe('replies', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService();
	});
	afterEach(async () => await service.close());

	const reply = async (inboxItemId: string, text: string, more: object = {}) =>
		await runOperation(
			service,
			'inbox.reply',
			{ inboxItemId: { mode: 'id', value: inboxItemId }, text },
			more,
		);
	const repliesTo = (id: string) => service.store.inbox.get(id)!.replies.map(({ text }) => text);

	test('one item is never answered twice with the same text: not by other items, executions or tries', async () => {
		const first = await reply('inb_seed_1', 'Thanks', { items: [{ json: {} }, { json: {} }] });
		const second = await reply('inb_seed_1', 'Thanks', { executionId: '2' });
		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(repliesTo('inb_seed_1')).toEqual(['Thanks']);
		const keys = [...first.json, ...second.json].map(({ idempotency_key }) => idempotency_key);
		expect(new Set(keys).size).toBe(1);
	});

	test('an item that is not there', async () => {
		const { error } = await reply('inb_seed_9', 'Thanks');
		expect(error.message).toBe("The comment or message doesn't exist");
	});
});
