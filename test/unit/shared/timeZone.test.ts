import { getGlobalState, setGlobalState } from 'n8n-workflow';

import { timeZoneOf } from '../../../nodes/shared/timeZone';

const before = getGlobalState();
afterAll(() => setGlobalState(before));

test.each([
	['Europe/Berlin', 'Europe/Berlin'],
	['DEFAULT', 'Asia/Tokyo'],
])('the time zone of a workflow whose settings say %s, in an n8n in Tokyo, is %s', (own, zone) => {
	setGlobalState({ defaultTimezone: 'Asia/Tokyo' });
	expect(timeZoneOf({ getTimezone: () => own })).toBe(zone);
});
