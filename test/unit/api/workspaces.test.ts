import { workspaceCalled } from '../../../nodes/api/workspaces';

const list = [
	{ id: 'w1', name: 'Bakery' },
	{ id: 2, name: ' Lake  side ' },
	{ id: 'w3', name: 'Twice' },
	{ id: 'w4', name: 'twice' },
	{ id: 'w5' },
	{ id: 'w6', name: 7 },
	{ id: 'Shop', name: 'Bakery 2' },
	{ id: 'w8', name: 'Shop' },
];

test.each([
	['w1', 'w1'],
	['Bakery', 'w1'],
	[' bAKERY ', 'w1'],
	['2', '2'],
	['lake  side', '2'],
	// The ID wins over another one's name.
	['Shop', 'Shop'],
	['shop', 'w8'],
	['Twice', undefined],
	['7', undefined],
	['undefined', undefined],
	['Baker', undefined],
])('the workspace that is called %j is %j', (wanted, id) => {
	expect(workspaceCalled(list, wanted)).toBe(id);
});

test('of none there is none', () => expect(workspaceCalled([], 'w1')).toBeUndefined());
