import { DeliveryTracker } from '../../../nodes/SocialPublishingTrigger/tracker';

it('remembers the last 20,000 taken events of a node', () => {
	const tracker = new DeliveryTracker();
	for (let i = 0; i <= 20_000; i++) tracker.reserve(`evt_${i}`)!('taken');
	expect([tracker.reserve('evt_1'), tracker.reserve('evt_0')]).toEqual([undefined, expect.anything()]);
});
