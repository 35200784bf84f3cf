import { topLevelDomains } from '../../../../../nodes/SocialPublishing/resources/post/networkTlds';

const theirs = ['validGTLD', 'validCCTLD'].flatMap((name) => {
	const { source } = jest.requireActual<RegExp>(`twitter-text/dist/regexp/${name}`);
	return source.split(/\(\?:|[|)]/).filter((one) => /^[^(?[$]+$/.test(one));
});

test('has the domains of twitter-text, and the longer of two that begin alike first', () => {
	expect([...topLevelDomains].sort()).toEqual([...theirs].sort());
	for (const [i, one] of topLevelDomains.entries())
		expect(topLevelDomains.slice(i + 1).filter((later) => later.startsWith(one) && !/^\w/.test(one))).toEqual(
			[],
		);
});
