import { warn, warnOnce } from '../../../nodes/SocialPublishingTrigger/log';
import { FakeN8n, FakeService } from './fakes';

test('names node and workflow; a line that would be repeated is written once, or once in a while', () => {
	jest.useFakeTimers({ now: 0 });
	const n8n = new FakeN8n(new FakeService());
	const context = n8n.context('trigger');
	warn(context, 'a', { webhook_id: 'wh_1' });
	for (const message of ['b', 'b', 'c']) warnOnce(context, message);
	warn(context, 'a');
	for (const ms of [0, 999, 1]) {
		jest.advanceTimersByTime(ms);
		warnOnce(context, 'd', 1000);
	}
	jest.useRealTimers();
	expect(n8n.warnings).toEqual(['a', 'b', 'c', 'a', 'd', 'd'].map((message) => `Trigger: ${message}`));
	expect(n8n.logged[0]!.meta).toEqual({ workflow: 'A workflow', webhook_id: 'wh_1' });
});
