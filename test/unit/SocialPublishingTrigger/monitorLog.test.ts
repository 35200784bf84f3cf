import { MonitorLog } from '../../../nodes/SocialPublishingTrigger/monitorLog';
import { FakeN8n, FakeService } from './fakes';

test('names node and workflow; what stays as it is is said once', () => {
	const n8n = new FakeN8n(new FakeService());
	const log = new MonitorLog(n8n.context('trigger'));
	log.warn('a', { webhook_id: 'wh_1' });
	for (const message of ['b', 'b', 'c']) log.warnOnce(message);
	log.warn('a');
	expect(n8n.warnings).toEqual(['a', 'b', 'c', 'a'].map((message) => `Trigger: ${message}`));
	expect(n8n.logged[0]!.meta).toEqual({ workflow: 'A workflow', webhook_id: 'wh_1' });
});
