import { operationOf, shapeOf } from './operations';

const getAll = operationOf('account.getAll');

test('an account begins with what people look for, and all have the same columns', () => {
	const accounts = [
		{ id: 7, username: 'plum', status: 'expired', expires_at: '2026-01-01', platform: 'Twitter' },
		{ name: 'Plum Ltd', id: 'acc_2', platform: 'linkedin', brand_id: 'b' },
		{ platform: 'linkedin_page', status: 'connected' },
	];
	const rows = shapeOf(getAll, {}, { accounts }) as object[];
	const first = { platform: 'x', name: null, handle: 'plum', connected: false, id: 7 };
	const others = { username: 'plum', status: 'expired', expires_at: '2026-01-01', brand_id: null };
	expect(rows[0]).toEqual({ ...first, ...others });
	expect(rows[1]).toMatchObject({ platform: 'linkedin', name: 'Plum Ltd', handle: null, connected: null });
	expect(rows[2]).toMatchObject({ platform: 'linkedin_page', connected: true });
	for (const row of rows) expect(Object.keys(row)).toEqual(Object.keys({ ...first, ...others }));
	expect(JSON.stringify(rows)).not.toContain('undefined');
});

test('an ID, and a platform that is none of the seven, are as the service writes them', () => {
	const given = ['Threads', 'Linkedin_Page ', ' LinkedIn', 'TWITTER'];
	const accounts = given.map((platform, id) => ({ id, platform }));
	const shown = ['Threads', 'Linkedin_Page ', 'linkedin', 'x'].map((platform, id) => ({ id, platform }));
	expect(shapeOf(getAll, {}, { accounts })).toMatchObject(shown);
});

test('the platform as the output shows it finds its accounts, and so does the network that it may be', () => {
	const accounts = [{ platform: 'linkedin_page' }, { platform: 'LinkedIn' }, { platform: 'x' }];
	const found = (platform: string) => shapeOf(getAll, { filters: { platform } }, { accounts });
	expect(found('linkedin_page')).toMatchObject([{ platform: 'linkedin_page' }]);
	expect(found('linkedin')).toHaveLength(2);
});

test.each(['x', 'twitter', ' Twitter '])('of %j: x and twitter are one platform', (platform) => {
	const accounts = [{ platform: 'Twitter' }, { platform: 'x' }, { platform: 'linkedin' }, {}];
	expect(shapeOf(getAll, { filters: { platform } }, { accounts })).toMatchObject([
		{ platform: 'x' },
		{ platform: 'x' },
	]);
	const platforms = ['x', 'x', 'linkedin', null].map((one) => ({ platform: one }));
	expect(shapeOf(getAll, {}, { accounts })).toMatchObject(platforms);
});
