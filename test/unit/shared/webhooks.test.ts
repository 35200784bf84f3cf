import type { IDataObject } from 'n8n-workflow';

import { readSubscription } from '../../../nodes/shared/webhooks';

test.each<[IDataObject, object]>([
	[
		{ id: 'wh_1', url: 'https://a.example', events: ['x', 7], status: 'superb', y: {} },
		{ id: 'wh_1', url: 'https://a.example', events: ['x', '7'], isDisabled: false },
	],
	[
		{ id: 7, active: true, enabled: true, disabled: false },
		{ id: '7', isDisabled: false },
	],
	[{ id: '', url: null, events: 'x' }, { isDisabled: false }],
	[{ webhook_id: 'wh_1' }, { isDisabled: false }],
	...[
		{ status: 'disabled' },
		{ status: 'inactive' },
		{ active: false },
		{ enabled: false },
		{ disabled: true },
	].map((record): [IDataObject, object] => [record, { isDisabled: true }]),
])('a subscription as it is listed: %j', (record, expected) => {
	expect(readSubscription(record)).toEqual(expected);
});
