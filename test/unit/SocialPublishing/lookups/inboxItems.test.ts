import { inboxItems } from '../../../../nodes/SocialPublishing/lookups/inboxItems';

test.each([
	[{ author: { name: 'Ann', username: 'ann' }, text: 'Nice\njam', platform: 'x' }, 'Ann · Nice jam · X'],
	[{ author: { username: 'ann' }, text: 'Nice' }, 'ann · Nice'],
	[{ author: 'Ann' }, 'Ann'],
	[{ author: null, platform: 'linkedin' }, 'LinkedIn'],
])('%j is shown by author, text and platform', (item, label) =>
	expect([inboxItems.path, inboxItems.label(item)]).toEqual(['/inbox', label]),
);
