import { inboxItems } from '../../../../nodes/SocialPublishing/lookups/inboxItems';

test.each([
	[
		{ author: { name: 'Ann', username: 'ann' }, text: 'Nice\njam', platform: 'x' },
		'Ann · Nice jam · X',
		['Ann', 'ann'],
	],
	[{ author: { username: 'ann' }, text: 'Nice' }, 'ann · Nice', ['ann']],
	[{ author: 'Ann' }, 'Ann', ['Ann']],
	[{ author: null, platform: 'linkedin' }, 'LinkedIn', []],
])('%j is shown by author, text and platform, and called by its author', (item, label, names) => {
	expect([inboxItems.path, inboxItems.label(item), inboxItems.names(item)]).toEqual(['/inbox', label, names]);
});
