import { failureOf } from '../../../support/failure';
import { operationOf, requestOf, shapeOf } from './operations';

const getAll = operationOf('account.getAll');

test('an account begins with what people look for, and passes the rest on as it is', () => {
	const accounts = [
		{ status: 'expired', id: 7, platform: 'Twitter' },
		{ name: 'Plum Ltd', id: 'acc_2', platform: 'linkedin', brand_id: 'b' },
	];
	const rows = shapeOf(getAll, {}, { accounts }) as object[];
	expect(rows).toEqual([
		{ platform: 'Twitter', name: null, id: 7, status: 'expired', brand_id: null },
		{ platform: 'linkedin', name: 'Plum Ltd', id: 'acc_2', status: null, brand_id: 'b' },
	]);
	expect(Object.keys(rows[0]!).slice(0, 3)).toEqual(['platform', 'name', 'id']);
});

test.each(['x', 'twitter', ' Twitter '])('of %j: x and twitter are one platform', (platform) => {
	const accounts = [{ platform: 'Twitter' }, { platform: 'x' }, { platform: 'linkedin' }, {}];
	expect(shapeOf(getAll, { filters: { platform } }, { accounts })).toHaveLength(2);
});

test('an unknown platform is an error that lists the seven, not an empty list', () => {
	const failure = failureOf(() => requestOf(getAll, { filters: { platform: 'linkedn' } }));
	expect(failure.details).toMatchObject({
		message: "'linkedn' isn't a platform",
		hint: expect.stringMatching(/^Platforms are: instagram, .*, bluesky\.$/),
	});
});
