import { platformsOf, textOf } from '../../../nodes/api/posts';

test.each([
	[{ platform: 'x', platforms: ['linkedin'] }, ['x']],
	[{ platforms: ['x', { platform: 'linkedin' }, null, { name: 'y' }] }, ['x', 'linkedin']],
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
