import type { IDataObject } from 'n8n-workflow';

import { runTool } from '../../../support/engine';
import {
	asked,
	continuesOnFail,
	createPost,
	credentialOf,
	posts,
	usePosting,
} from '../../../support/service';

const { service, create } = usePosting({ speed: 0 });
const byRow = { text: '={{ $json.text }}', options: {} };
const expectNothingSent = () => expect(asked(service(), 'POST')).toEqual([]);

test('an expression that fails in an option fails its row, with Continue On Fail, too', async () => {
	const failing = {
		text: 'Hi',
		options: { maxRetryWait: '={{ $json.size ?? $("Nowhere").first().json.size }}' },
	};
	const given = [{ size: 2 }, {}];
	const { error } = await create(failing, given);
	expect(error.message).toMatch(/^Row 2 of 2: .+ Nothing was sent\.$/);
	expectNothingSent();
	const { json, error: none } = await create(failing, given, continuesOnFail);
	expect(none).toBeUndefined();
	expect((json[1]!.error as IDataObject).message).toMatch(/This row was not sent\.$/);
	expect(posts(service())).toHaveLength(1);
});

describe('a list that can not be read is asked for once a run', () => {
	const twenty = Array.from({ length: 20 }, (_, index) => ({ text: `Post ${index}` }));
	const slots = { ...byRow, when: 'nextSlot', slotTimes: '09:00' };
	const refused = { kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN' } as const;

	test.each([
		['fails', refused, byRow, 1],
		['hangs', { kind: 'hang', ms: 100 }, { ...byRow, options: { maxRetryWait: 0 } }, 5],
	] as const)('/accounts, which %s: 20 posts go out all the same', async (_what, fault, parameters, most) => {
		service().faults.add({ ...fault, method: 'GET', path: '^/accounts', times: 0 });
		const { error } = await create(parameters, twenty);
		expect([error, posts(service()).length]).toEqual([undefined, 20]);
		expect(asked(service(), 'GET', /\/accounts/).length).toBeLessThanOrEqual(most);
	});

	test('/posts, for slots: no post goes out', async () => {
		service().faults.add({ ...refused, method: 'GET', path: 'posts', times: 0 });
		const { error } = await create(slots, twenty);
		expect(error.message).toMatch(/^None of the 20 rows can be sent: .+ Nothing was sent\.$/);
		expect(asked(service(), 'GET', /posts/)).toHaveLength(1);
		expectNothingSent();
	});
});

test('Max Posts per Execution holds for calls that an agent makes at the same time', async () => {
	const shared = { credential: credentialOf(service()), contextData: {} };
	const make = async (text: string, runIndex: number) => {
		const parameters = createPost({ text, options: { maxPosts: 2 } });
		return await runTool({ ...shared, calls: [{ parameters, runIndex }] });
	};
	const results = (await Promise.all(['One', 'Two', 'Three'].map(make))).flat();
	expect(results.map((one) => Array.isArray(one))).toEqual([true, true, false]);
	expect((await make('Four', 3))[0].message).toMatch(
		/^'Max Posts per Execution' is 2: this execution has sent 2 and asks for 1 more/,
	);
	expect(posts(service())).toHaveLength(2);
});
