import type { IDataObject } from 'n8n-workflow';

import { platformsOf, scheduledTimeOf, textOf } from '../../../nodes/api/posts';

test.each([
	[{ platform: 'x', platforms: ['linkedin'] }, ['x']],
	[{ platforms: ['x', { platform: 'linkedin' }, null, { name: 'y' }, { platform: 7 }] }, ['x', 'linkedin']],
	[{ platform: null }, []],
	[{}, []],
])('the platforms of %j: %j', (post, platforms) => expect(platformsOf(post)).toEqual(platforms));

test.each([
	[{ text: 'a', content: 'b' }, 'a'],
	[{ content: 'b' }, 'b'],
	[{ content: { text: 'c' } }, 'c'],
	[{ content: null }, undefined],
	[{ text: 7 }, undefined],
	[{}, undefined],
])('what %j says: %j', (post, text) => expect(textOf(post)).toBe(text));

test.each<[IDataObject, unknown]>([
	[{ scheduled_at: 'a', schedule_at: 'b' }, 'a'],
	[{ scheduled_at: null, schedule_at: 'b' }, 'b'],
	[{ scheduled_at: null }, null],
	[{ schedule_at: null }, null],
	[{}, undefined],
])('the time in %j is %j', (post, time) => expect(scheduledTimeOf(post)).toBe(time));
