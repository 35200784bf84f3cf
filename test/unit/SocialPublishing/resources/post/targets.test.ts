import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../../nodes/api/errors';
import type { ItemContext } from '../../../../../nodes/SocialPublishing/engine/operation';
import {
	accountTargets,
	checkPlatforms,
	notConnected,
	refuseUnclear,
} from '../../../../../nodes/SocialPublishing/resources/post/targets';

const itemWith = (accounts: IDataObject[] | undefined): ItemContext =>
	({
		list: async () => {
			if (!accounts) throw new Error('no answer');
			return await Promise.resolve(accounts);
		},
	}) as unknown as ItemContext;

const failureOf = async (work: () => unknown): Promise<Failure> => {
	try {
		await work();
	} catch (error) {
		return error as Failure;
	}
	throw new Error('It was taken');
};

test('a typo of a platform is refused by its field, with all platforms; another name may be a new one', async () => {
	const { message, details } = await failureOf(() =>
		checkPlatforms(['x', 'instgram'], 'Platform Names or IDs'),
	);
	expect([details.code, message, details.hint]).toEqual([
		'NODE_PLATFORM',
		"'instgram' is no platform. Did you mean instagram?",
		expect.stringMatching(/^Correct it in 'Platform Names or IDs'\. Platforms are: (\w+, ){6}\w+\.$/),
	]);
	expect(() => checkPlatforms(['Twitter', 'pinterest'], 'Platform Names or IDs')).not.toThrow();
});

test.each([undefined, '', null, 7])('an account whose platform is %j', async (platform) => {
	const accounts = [
		{ id: 'acc_0', platform: 'x' },
		{ id: 'acc_1', platform },
	] as IDataObject[];
	const { message, details } = await failureOf(() => accountTargets(itemWith(accounts), ['acc_1']));
	expect([details.code, message, details.hint]).toEqual([
		'NODE_ACCOUNT_PLATFORM',
		'The service does not say on which platform the account acc_1 is',
		expect.stringMatching(/'Post To' to 'Platforms'/),
	]);
	expect(await accountTargets(itemWith(accounts), ['acc_0', 'acc_0'])).toEqual([
		{ platform: 'x', accountId: 'acc_0' },
	]);
});

test('several connected accounts of a platform are named, with what to do; one, or no answer, is no matter', async () => {
	const accounts = [
		{ id: 'acc_1', platform: 'twitter', name: 'Plum' },
		{ id: 'acc_2', platform: 'x' },
		{ id: 'acc_3', platform: 'x', name: 'Gone', status: 'disconnected' },
		{ id: 'acc_4', platform: 'facebook', name: 'Plum' },
	];
	const { message, details } = await failureOf(() => refuseUnclear(itemWith(accounts), ['facebook', 'x']));
	expect([details.code, message, details.hint]).toEqual([
		'NODE_ACCOUNT_UNCLEAR',
		'2 X accounts are connected: Plum (acc_1), acc_2 (acc_2)',
		expect.stringMatching(/'Post To' to 'Accounts'.*Nothing was sent/),
	]);
	await expect(refuseUnclear(itemWith(accounts), ['facebook'])).resolves.toBeUndefined();
	await expect(refuseUnclear(itemWith(undefined), ['x'])).resolves.toBeUndefined();
});

test('a refused body is put down to a platform that is not connected, and to nothing else', async () => {
	const refused = (code: string) =>
		new Failure({ code, message: 'platform is wrong', hint: 'Check it.', status: 400 });
	const body = refused('PUBLIC_API_BODY_INVALID');
	const accounts = [{ id: 'acc_1', platform: 'x' }];
	expect((await notConnected(itemWith(accounts), body, ['x', 'facebook'])).details).toMatchObject({
		code: 'PUBLIC_API_BODY_INVALID',
		message: 'Facebook is not connected to this workspace',
		hint: 'Connect it in the service or remove it here.',
		service_message: 'platform is wrong',
	});
	expect(await notConnected(itemWith(accounts), body, ['x'])).toBe(body);
	expect(await notConnected(itemWith(undefined), body, ['facebook'])).toBe(body);
	const other = refused('PUBLIC_API_SCOPE_REQUIRED');
	expect(await notConnected(itemWith(accounts), other, ['facebook'])).toBe(other);
});
