import {
	continued,
	placesOf,
	type NamedDestination,
} from '../../../../nodes/SocialPublishing/writes/continued';
import type { Sent } from '../../../../nodes/SocialPublishing/writes/journal';
import { failureOf } from '../../../support/failure';

/** `name=platform:account`; without a platform it could not be found, without an account it may be any. */
const placeOf = (text: string): NamedDestination => {
	const [name = '', place = name] = text.split('=');
	const [platform = '', accountId] = place.split(':');
	return { name, platform, accountId };
};
/** `platforms | names | account_id`, each in a list. */
const sentOf = (text: string): Sent => {
	const [platforms = '', names = platforms, account_id] = text.split(' | ');
	const record = { platforms: platforms.split(','), account_id, scheduled_at: '2030-01-01T10:00:00Z' };
	return { key: text, names: names.split(','), record } as never;
};
const none: string[] = [];

describe('what was begun of a row', () => {
	test.each<[string, string[], string[], string, string]>([
		['nothing', ['x', 'linkedin=linkedin:acc_2'], none, '', 'x,linkedin'],
		[
			'by its words, whatever they mean by now',
			['Plum=facebook:7', 'tiktok'],
			['x | Plum'],
			'Plum',
			'tiktok',
		],
		['by its words, though nothing is found by them', ['Plum='], ['x | Plum'], 'Plum', ''],
		['by the ID of its account', ['@plum=x:2'], ['x | x,account:x:2'], '@plum', ''],
		['not by the ID of another platform', ['y=linkedin:2'], ['x | x,account:x:2'], '', 'y'],
		[
			'a shared request, in whatever order',
			['linkedin', 'x', 'tiktok'],
			['x,linkedin | x,linkedin'],
			'linkedin+x',
			'tiktok',
		],
		['in two requests', ['x', 'linkedin'], ['x', 'linkedin'], 'x,linkedin', ''],
		['one account in two ways, once', ['x=x:2', 'x:2=x:2'], none, '', 'x'],
		[
			'one account in two ways, of which one was begun',
			['x=x:2', 'x:2=x:2'],
			['x | x,account:x:2'],
			'x+x:2',
			'',
		],
		['the same name on two platforms is two', ['a=x:1', 'b=linkedin:1'], none, '', 'a,b'],
		['two accounts of a platform', ['a=x:1', 'b=x:2'], none, '', 'a,b'],
		['what could not be found, beside what was begun', ['x', 'nowhere='], ['x'], 'x', 'nowhere'],
		['another platform than what was begun', ['tiktok'], ['x'], '', 'tiktok'],
	])('%s', (_what, asked, begun, found, left) => {
		for (const isByContent of [false, true]) {
			const met = continued(asked.map(placeOf), begun.map(sentOf), isByContent);
			const groups = [...met.begun.values()].map((all) => all.map(({ name }) => name).join('+'));
			expect([groups.join(','), met.left.map(({ name }) => name).join(',')]).toEqual([found, left]);
		}
	});

	const may =
		"An earlier try sent this post to X as 'a, c', scheduled for 2030-01-01T10:00:00Z, or may have sent it; 'b' may be the same account";
	const inOne = 'An earlier try sent this post to X and LinkedIn in one request, or may have sent it';
	const hints: Record<string, string> = {
		[inOne]:
			'To continue, choose all of these platforms. To post elsewhere, run the workflow again with only that.',
		[may]: "To continue, name it 'a, c' again. To post elsewhere, run the workflow again with only that.",
	};
	test.each<[string, string[], string[], string, string, boolean | undefined]>([
		// For calls: whether it is refused, too.
		['a part of a shared request', ['x'], ['x,linkedin | x,linkedin'], 'PLAN_CHANGED', inOne, true],
		['another account of its platform', ['b=x:2'], ['x | a,c,account:x:1'], 'PLAN_CHANGED', may, false],
		['an unknown account of its platform', ['b=x'], ['x | a,c,account:x:1'], 'PLAN_CHANGED', may, true],
		['an account beside one that nobody knows', ['b=x:2'], ['x | a,c'], 'PLAN_CHANGED', may, true],
		[
			'an unknown account beside the one that was begun',
			['a=x', 'b=x'],
			['x | a,c,account:x:1'],
			'PLAN_CHANGED',
			may,
			true,
		],
		[
			'two that may be one',
			['x', 'x:2=x:2'],
			none,
			'TARGET_UNCLEAR',
			"'x' and 'x:2' may be the same account",
			true,
		],
	])('refused is %s', (_what, asked, begun, code, message, ofCalls) => {
		const meet = (isByContent: boolean) => continued(asked.map(placeOf), begun.map(sentOf), isByContent);
		expect(failureOf(() => meet(false)).details).toMatchObject({
			...{ code: `NODE_${code}`, message },
			hint: hints[message] ?? 'Keep one of them, or choose accounts by their ID.',
		});
		if (ofCalls) expect(failureOf(() => meet(true)).details).toMatchObject({ message });
		else expect(meet(true).left.map(({ name }) => name)).toEqual(['b']);
	});

	test('a refusal names no time of a post that has none', () => {
		const sent = { ...sentOf('x | a'), record: { platforms: ['x'] } };
		expect(() => continued([placeOf('b=x')], [sent], false)).toThrow(
			"to X as 'a', or may have sent it; 'b' may",
		);
	});

	test('another account goes out beside the one that was begun, if both are known', () => {
		const sent = sentOf('x | a,account:x:1');
		const { begun, left } = continued(['a=x:1', 'b=x:2'].map(placeOf), [sent], false);
		expect([[...begun.keys()], left]).toEqual([[sent], [placeOf('b=x:2')]]);
	});
});

test.each([
	[
		'x,linkedin | x:2,linkedin,account:x:2',
		[
			['x', '2'],
			['linkedin', undefined],
		],
	],
	['Twitter | Plum | 7', [['x', '7']]],
])('a request of %s went to these places', (text, places) =>
	expect(placesOf(sentOf(text))).toEqual(places.map(([platform, accountId]) => ({ platform, accountId }))),
);
