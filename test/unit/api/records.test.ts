import {
	accountNames,
	readAccount,
	readAccounts,
	platformNames,
	readBatch,
	readDelivery,
	readInboxItem,
	readPost,
	readSecret,
	readSubscription,
	timeIn,
} from '../../../nodes/api/records';

const JANUARY = '2026-01-02T00:00:00Z';
const at = (day: number) => Date.UTC(2026, 0, day);
const day = (n: number) => new Date(at(n)).toISOString();

test.each([
	[JANUARY, at(2)],
	['2000-01-01T00:00:00Z', Date.UTC(2000, 0)],
	// What Go writes for "none".
	['0001-01-01T00:00:00Z', undefined],
	['1999-12-31T23:59:59Z', undefined],
	// Spec: times are in UTC, also where they don't say so.
	['2026-01-02T00:00:00', at(2)],
	['2026-01-02T00:00', at(2)],
	['2026-01-02T01:30', at(2) + 5_400_000],
	['2026-01-02 00:00:00.000', at(2)],
	['2026-01-02', at(2)],
	['2026-01-02T01:00:00+01:00', at(2)],
	['2026-01-01T20:00:00-04:00', at(2)],
	['soon', undefined],
	['', undefined],
	[at(2), undefined],
	[null, undefined],
])('a time: %j is %j', (value, ms) => expect(timeIn(value)).toBe(ms));

describe('a post', () => {
	const reads = (record: object, post: object) => expect(readPost(record as never)).toMatchObject(post);

	test('is read from whatever fields there are', () => {
		reads({ id: 7, status: 'scheduled' }, { id: '7', status: 'scheduled', isOpen: true, isFinal: false });
		reads({ id: '', status: 5 }, { id: undefined, status: 'unknown', isOpen: true });
		reads({ text: 'Hi', content: 'no', account_id: 7 }, { text: 'Hi', accountId: '7' });
		reads({ text: '', content: 'Hi' }, { text: 'Hi' });
		reads({ content: { text: 'Hi' } }, { text: 'Hi' });
		reads({ platform: 'Twitter', platforms: ['tiktok'] }, { platforms: ['x'] });
		reads({ platforms: ['linkedin', { platform: 'X' }, 7, {}, ''] }, { platforms: ['linkedin', 'x'] });
		// What is called length makes no array of it.
		reads({ length: 280, due: day(2) }, { allTimes: [at(2)] });
		reads({ length: 5e9 }, { allTimes: [] });
		reads({ platforms: { length: 2, x: 'failed' } }, { failures: [{ platform: 'x' }] });
		reads(
			{ platforms: [{ name: 'Twitter', id: 3 }, { platform: { id: 'tiktok' } }, { name: 'Lakeside' }] },
			{
				...{ platforms: ['x', 'tiktok'], hasNoPlatform: false },
			},
		);
		reads({ platform: null, platforms: 'x', content: 7 }, { platforms: [], text: undefined });
		const due = { scheduledAt: day(4), dueAt: at(4), listedAt: at(4) };
		reads({ scheduled_at: day(4), schedule_at: day(3) }, due);
		reads({ scheduled_at: null, schedule_at: day(3) }, { scheduledAt: day(3) });
		const undue = { scheduledAt: null, dueAt: undefined, listedAt: at(2) };
		reads({ scheduled_at: null, published_at: day(2) }, undue);
		reads({ schedule_at: null }, { scheduledAt: null });
		reads({ scheduled_at: 7, created_at: day(1) }, { scheduledAt: undefined, listedAt: at(1) });
		reads({ scheduled_at: '0001-01-01', created_at: day(1) }, { dueAt: undefined, listedAt: at(1) });
		reads({ published_at: day(2), updated_at: day(3) }, { endedAt: day(2) });
		reads({ updated_at: day(3) }, { endedAt: day(3) });
		reads({ status: 'draft' }, { isOpen: false, isFinal: false });
		reads({ status: 'completed' }, { isOpen: false, isFinal: true, hasProviderId: false });
		reads({ provider_post_id: 'p' }, { isOpen: false, hasProviderId: true });
		reads({ platforms: [{ platform: 'x', provider_post_id: 'p' }] }, { hasProviderId: true });
		reads({ platforms: [{ platform: 'x', provider_post_id: '' }, null, 'x'] }, { hasProviderId: false });
		reads({ error: 'Too long.' }, { failureReason: 'Too long' });
		reads({ error: { message: 'Too long', code: 'A' } }, { failureReason: 'Too long' });
		reads({ error: { code: 'A' }, error_message: 'no' }, { failureReason: 'A' });
		reads({ error: {}, error_message: '', failure_reason: 'no' }, { failureReason: 'no' });
		reads({ error_message: 'no', failure_reason: 'other' }, { failureReason: 'no' });
		reads({ platforms: [{ platform: 'x' }, { platform: 'y', error: 'no' }] }, { failureReason: 'no' });
		reads({ permalink: 'x.example', url: 'HTTPS://x.example/1' }, { link: 'HTTPS://x.example/1' });
		reads({ platforms: [{ platform: 'x', post_url: 'http://x.example' }] }, { link: 'http://x.example' });
		reads({ error: 7, url: 'javascript:https://x' }, { failureReason: undefined, link: undefined });
		reads({ url: ['https://x.example'] }, { link: undefined });
		// The first second of 2000 is a time; that of 2100 counts something else.
		reads({ made: 946_684_800, size: 4_102_444_800 }, { allTimes: [Date.UTC(2000, 0)] });
	});

	test('has failed on a platform whose status says so; a reason beside another status, or none, is a doubt', () => {
		const of = (status: string | undefined, more: object) => {
			const { failures, doubts } = readPost({ platforms: [{ platform: 'x', status, ...more }] });
			return [
				...failures.map(({ reason = '' }) => `failed: ${reason}`),
				...doubts.map(({ reason }) => reason),
			];
		};
		for (const status of ['failed', 'ERROR']) {
			expect(of(status, {})).toEqual(['failed: ']);
			expect(of(status, { error: 'no' })).toEqual(['failed: no']);
		}
		for (const status of ['success', 'not published', undefined])
			expect(of(status, { error_message: 'timed out' })).toEqual(['timed out']);
		expect(of(undefined, { state: 'live', error: { code: 0, message: 'OK' } })).toEqual(['OK']);
		expect(of('published with errors', {})).toEqual(["its status is 'published with errors'"]);
		for (const status of ['rejected', 'publishing_error'])
			expect(of(status, { error: 'no' })).toEqual(['failed: no']);
		// Of a post that failed, a reason says which platform is meant.
		const { failures } = readPost({ status: 'failed', platforms: [{ platform: 'x', error: 'no' }] });
		expect(failures).toEqual([{ platform: 'x', reason: 'no' }]);
		// But not one that says otherwise itself: a new post would be its second.
		const said = [{ platform: 'x', status: 'success', error: 'timed out' }];
		expect(readPost({ status: 'failed', platforms: said }).failures).toEqual([]);
		for (const status of ['deferred', 'transferring']) expect(of(status, {})).toEqual([]);
		for (const status of ['published', 'completed']) expect(of(status, { error: 'slow' })).toEqual([]);
		for (const status of ['success', 'failed'])
			expect(of(status, { provider_post_id: '77', error: 'slow' })).toEqual([]);
	});

	test('is out where one part says so, by its status or by the ID that the network gave it', () => {
		const [x, tiktok] = [
			{ platform: 'x', status: 'published' },
			{ platform: 'tiktok', status: 'failed' },
		];
		reads({ status: 'failed', platforms: [x, tiktok] }, { isOut: true, published: ['x'] });
		const known = { ...tiktok, provider_post_id: '77' };
		reads({ platforms: [known, tiktok] }, { isOut: true, published: ['tiktok'] });
		for (const more of [{ status: 'completed' }, { provider_post_id: '77' }])
			reads({ ...more, platforms: [tiktok] }, { isOut: true, published: [] });
		reads({ status: 'failed', platforms: [tiktok, 'x'] }, { isOut: false, published: [] });
	});

	// What says that an approval was given, or isn't needed, is no post that waits for one.
	test.each([
		['status', false, 'approved, pending, uphold'],
		['status', true, 'pending_approval, In-Review, held, on_hold'],
		['approval_status', false, 'approved, not_required'],
		['approval_status', true, 'pending'],
		['approval_state', false, 'rejected'],
		['approval_state', true, 'waiting'],
		['hold_reason', false, 'no hold, none'],
		['hold_reason', true, 'awaiting approval, under review'],
	])('whose %s waits for approval: %s, says %s', (field, waits, words) => {
		for (const word of words.split(', '))
			expect([word, readPost({ status: 'scheduled', [field]: word }).awaitsApproval]).toEqual([word, waits]);
	});

	test.each([
		{ status: 'completed', approval_status: 'pending' },
		{ status: 'draft', approval_status: 'pending' },
		{ status: 'scheduled', approval_status: 'approved', approval_state: 'pending' },
	])('%j waits for none', (record) => expect(readPost(record).awaitsApproval).toBe(false));
});

describe('an account', () => {
	const reads = (record: object, account: object) =>
		expect(readAccount(record as never)).toMatchObject(account);

	test('is read from whatever fields there are', () => {
		const plum = { name: 'Plum', username: 'plum', handle: '@plum' };
		reads({ id: 7, ...plum }, { id: '7', title: 'Plum', handle: '@plum' });
		reads({ id: 'a', username: 'plum' }, { title: 'plum', handle: 'plum' });
		reads({ id: 'a', name: '', platform: '' }, { title: 'a', platform: { unclear: '' }, name: undefined });
		reads({}, { title: '' });
		reads({ platform: 'Twitter' }, { id: undefined, platform: { is: 'x' }, connected: { unclear: '' } });
	});

	test.each([
		[true, 'connected active OK valid enabled healthy live authorized ready'],
		[
			false,
			'disconnected not_connected notconnected inactive expired revoked invalid error failed unauthorized suspended disabled removed Deleted needs_reauth re-auth reconnect_required token-expired needs_reconnection',
		],
		[undefined, 'syncing limited not_expired unexpired reconnect_recommended error_rate_ok expires_soon'],
	])('is said to be connected (%s): %s', (is, states) => {
		for (const status of states.split(' '))
			expect([status, readAccount({ status }).connected]).toEqual([
				status,
				is === undefined ? { unclear: status } : { is },
			]);
	});

	test.each([{ toString: 'expired' }, 3, false, ['expired']])(
		'a status that is no text is not known: %j',
		(status) =>
			expect(readAccount({ status } as never).connected).toEqual({ unclear: JSON.stringify(status) }),
	);

	test.each([null, undefined, ''])('a status of %j says nothing of the connection', (status) =>
		expect(readAccount({ status } as never).connected).toEqual({ unclear: '' }),
	);

	test.each(['connected', 'is_connected', 'active'])('%s false says so, whatever the status', (name) => {
		expect(readAccount({ status: 'ok', [name]: false }).connected).toEqual({ is: false });
		expect(readAccount({ status: 'expired', [name]: true }).connected).toEqual({ is: false });
		expect(readAccount({ [name]: true }).connected).toEqual({ is: true });
		expect(readAccount({ [name]: 'false' }).connected).toEqual({ unclear: '' });
		const others = { connected: true, is_connected: true, active: true };
		expect(readAccount({ ...others, [name]: false }).connected).toEqual({ is: false });
		expect(readAccount({ connected: false, is_connected: false, active: false, [name]: true })).toMatchObject(
			{
				connected: { is: false },
			},
		);
	});

	test.each([{ deleted_at: '2026-05-01T00:00:00Z' }, { deleted: true }, { status: 'removed' }])(
		'that is gone is not connected, whatever else it says: %j',
		(said) =>
			expect(readAccount({ status: 'connected', connected: true, ...said }).connected).toEqual({ is: false }),
	);

	test.each([{ deleted_at: null }, { deleted: false }, { deleted_at: '0001-01-01T00:00:00Z' }])(
		'is not gone where it says %j',
		(said) => expect(readAccount({ status: 'connected', ...said }).connected).toEqual({ is: true }),
	);

	test.each([
		['LINKEDIN', { is: 'linkedin' }, 'linkedin'],
		['linkedin_page', { unclear: 'linkedin_page' }, 'linkedin'],
		['Instagram Business', { unclear: 'Instagram Business' }, 'instagram'],
		['x-profile', { unclear: 'x-profile' }, 'x'],
		['Twitter / X', { unclear: 'Twitter / X' }, 'x'],
		['my-x', { unclear: 'my-x' }, 'x'],
		[' ', { unclear: '' }, undefined],
		// Others, whatever letters they have.
		['pinterest', { is: 'pinterest' }, undefined],
		['xing', { is: 'xing' }, undefined],
		[{ name: 'linkedin' }, { unclear: '' }, undefined],
		[undefined, { unclear: '' }, undefined],
	])('the platform %j is %j, and may be %s', (given, platform, mayBe) =>
		expect(readAccount({ platform: given } as never)).toMatchObject({ platform, ...(mayBe && { mayBe }) }),
	);

	test('accounts say what of them can not be read', () => {
		const unclearOf = (records: object[], isComplete = true) =>
			readAccounts({ records: records as never, hasMore: false, isComplete }).unclear;
		const known = { id: 'a', platform: 'x', status: 'ok' };
		expect(unclearOf([known, { ...known, id: 'b' }])).toEqual([]);
		expect(unclearOf([known, { ...known, id: 'b', status: undefined }])).toEqual([
			'1 of 2 accounts has no status that this node can read',
		]);
		expect(unclearOf([known], false)).toEqual(['the service may have more accounts than it listed']);
		const words = { status: 'not_expired' };
		expect(unclearOf([known, { ...known, ...words, id: 'b' }, { ...known, ...words, id: 'c' }])).toEqual([
			"2 of 3 accounts have a status that this node doesn't know ('not_expired')",
		]);
		expect(unclearOf([known, { platform: 'x_page', status: 'ok' }])).toEqual([
			'1 of 2 accounts has no ID that this node can read',
			"1 of 2 accounts has a platform that this node doesn't know ('x_page')",
		]);
		const long = ['a', 'b', 'c', 'd'].map((id) => ({ ...known, id, status: `${id} ${'x'.repeat(60)}` }));
		expect(unclearOf(long)).toEqual([
			`4 of 4 accounts have a status that this node doesn't know (${['a', 'b', 'c'].map((id) => `'${id} ${'x'.repeat(48)}'`).join(', ')})`,
		]);
	});

	const accounts = [
		{ id: 'a', platform: 'x', name: 'Plum' },
		{ id: 'b', platform: 'linkedin', name: 'Pear' },
		{ id: 'c', platform: 'linkedin', name: 'Fig' },
		{ id: 'd', platform: 'tiktok', name: 'Quince' },
	];
	const [plum, pear] = accounts;
	test.each<[object, string, object[]?]>([
		[{ account_id: 'b' }, 'Pear'],
		[{ account_id: 'b', platforms: ['x', 'linkedin'] }, 'Pear'],
		// Its account is no longer listed: no other one may take its place.
		[{ account_id: 'gone', platforms: ['x'] }, 'gone'],
		[{ platforms: ['x', 'linkedin', 'tiktok'] }, 'Plum, Quince'],
		[{ platforms: ['x'], status: 'completed' }, ''],
		// An ID that two accounts share: the platform tells which.
		[{ account_id: 'a', platforms: ['x'], status: 'completed' }, 'Plum', [plum!, { ...pear, id: 'a' }]],
		[{ platforms: ['x'] }, '', [{ platform: 'x', name: 'Without an ID' }]],
	])(
		'the accounts that the post %j goes to, as far as that is certain: %j',
		(post, names, records = accounts) => {
			const listed = { records: records as never, hasMore: false, isComplete: true };
			expect(accountNames(post as never, readAccounts(listed))).toBe(names);
		},
	);
});

test('a number that is too large to be exact is no ID: another record may have the same', () => {
	const idOf = (id: string) => readSubscription(JSON.parse(`{"id":${id}}`)).id;
	expect(['9007199254740993', '1e300', '9007199254740991', '"9007199254740993"'].map(idOf)).toEqual([
		...[undefined, undefined, '9007199254740991', '9007199254740993'],
	]);
});

test.each([
	...['whsec_9fK2aXb---Lq0ZtR7u', 'whsec_a___b-----c', 'pQxxxx91', 'Ab1Xxxxx9', 'sk_1', 'sk_x9'],
	...['aaB1', 'B1aa', '[a]b', 'b[a]', 'hidden_B1', 'B1hidden'],
])('a secret that a service made counts, though some of it looks like a mask: %s', (secret) =>
	expect(readSecret({ secret })).toBe(secret),
);

test.each(['xxxx1234', 'sk_xxxx', '<see dashboard>', '*hidden*', 'null', 'aaaa', 'whsec_•••', 'a…'])(
	'what stands in place of a secret is none: %s',
	(secret) => expect(readSecret({ secret })).toBeUndefined(),
);

test('a subscription', () => {
	const reads = (record: object, one: object) => expect(readSubscription(record as never)).toMatchObject(one);
	reads({ id: 7, url: 'u', events: ['a', 7], description: 'd' }, { id: '7', url: 'u', events: ['a', '7'] });
	reads({ id: {}, events: 'a' }, { id: undefined, events: undefined, isDisabled: false });
	for (const status of ['disabled', 'inactive', 'paused', 'DISABLED'])
		reads({ status }, { isDisabled: true });
	for (const status of ['not disabled', 'disabled soon', 'not deleted', 'deleted posts'])
		reads({ status }, { isDisabled: false });
	reads({ status: 'active', active: true, enabled: true, disabled: false }, { isDisabled: false });
	for (const on of [{ active: true }, { enabled: true }, { disabled: false }, { status: 'Enabled' }])
		expect(readSubscription(on)).not.toHaveProperty('isStateUnknown');
	reads({ status: 'active soon' }, { isDisabled: false, isStateUnknown: true });
	for (const off of [{ active: false }, { enabled: false }, { disabled: true }])
		reads(off, { isDisabled: true });
	reads({ active: 'false', deleted: false, deleted_at: null }, { isDisabled: false });
	const gone = [{ status: 'removed' }, { status: 'Deleted' }, { deleted: true }, { deleted_at: day(1) }];
	for (const one of gone) reads({ ...one, url: 'u' }, { isDisabled: true, isDeleted: true, url: undefined });
});

const event = { id: 'evt', type: 'post.failed', occurred_at: day(1), data: {} };
test('a delivery', () => {
	const reads = (record: object, read: object) => expect(readDelivery(record as never)).toMatchObject(read);
	reads({}, { status: 'unknown', eventId: undefined, at: undefined });
	reads({ event }, { eventId: 'evt', eventType: 'post.failed', event, at: at(1) });
	reads({ payload: JSON.stringify(event), event_id: 'no', event_type: 'no' }, { eventId: 'evt', event });
	reads({ event: { id: 'evt' }, body: event }, { event });
	const summary = { id: 'evt', type: 'post.failed', occurred_at: day(1) };
	for (const data of [undefined, null, 'p', ['p']]) {
		const known = { eventId: 'evt', eventType: 'post.failed', event: undefined, at: at(1) };
		reads({ event: { ...summary, data }, event_id: 'no', event_type: 'no', type: 'no' }, known);
		reads({ payload: { ...summary, data }, created_at: day(2) }, { ...known, occurredAt: day(1), at: at(2) });
	}
	reads({ event: summary, body: { ...event, id: 'whole' } }, { eventId: 'whole' });
	for (const one of [
		{ id: 'p', type: 'image' },
		{ type: 'post.failed' },
		{ id: 'p', type: 7.5 },
		{ id: 'p', type: '.x' },
		{ id: 'p', type: 'x.' },
	])
		reads(
			{ payload: one, event_id: 'evt', event_type: 'x' },
			{ eventId: 'evt', eventType: 'x', event: undefined },
		);
	reads({ payload: { id: 'p', type: 'image' } }, { eventId: undefined, eventType: undefined });
	reads({ event: { ...summary, brand_id: 'br' } }, { brandId: 'br' });
	reads(
		{ event: { ...summary, brand_id: 'br' }, brand_id: null },
		{ brandId: 'br', summary: { brand_id: 'br' } },
	);
	reads({ event: { ...summary, brand_id: 'br' }, brand_id: 'own' }, { brandId: 'own' });
	reads({ event: { ...summary, brand_id: null }, brand_id: undefined }, { brandId: null });
	reads({ event }, { summary: undefined });
	reads({ event: 'post.failed', type: 'no', event_id: 7 }, { eventType: 'post.failed', eventId: '7' });
	reads({ type: 'post.failed', eventId: 'e' }, { eventType: 'post.failed', eventId: 'e' });
	reads({ payload: '{' }, { eventId: undefined });
	reads({ status: 'delivered', delivered_at: day(5), updated_at: day(4) }, { at: at(5) });
	// A zero time, as Go writes it, and a time of delivery of what was not delivered.
	reads({ status: 'delivered', delivered_at: '0001-01-01T00:00:00Z', updated_at: day(4) }, { at: at(4) });
	reads({ status: 'failed', delivered_at: day(5), created_at: day(3) }, { at: at(3) });
	reads({ last_error: 'HTTP 500' }, { lastError: 'HTTP 500' });
});

test.each([
	[{ x: {}, length: {} }, ['x', 'length']],
	[{ x: {}, length: 2 }, [{ x: {}, length: 2 }]],
])('of %j, the platforms are named %j', (given, names) => expect(platformNames(given)).toEqual(names));

test('a batch', () => {
	const reads = (record: object, read: object) => expect(readBatch(record as never)).toMatchObject(read);
	reads({ id: 1, status: 'Pending' }, { id: '1', isPending: true, pendingPostIds: [] });
	const posts = [{ id: 'p', status: 'pending' }];
	reads({ status: 'approved', posts }, { isPending: false, pendingPostIds: ['p'] });
	const entries = ['a', 7, { post_id: 'b', id: 'i' }, { id: 'c', status: 'approved' }];
	reads({ status: 'pending', posts: entries }, { isPending: true, pendingPostIds: ['a', '7', 'b'] });
	reads({ status: 'pending', items: 'x', post_ids: ['a'] }, { pendingPostIds: ['a'] });
	reads({ items: [{ status: 'approved' }, { status: 3 }] }, { isPending: undefined });
	for (const status of ['unapproved', 'not_approved', 'undone', 'approved by one'])
		reads({ status }, { isPending: undefined });
	for (const status of ['approval_required', 'Requested', 'review requested'])
		reads({ status }, { isPending: true });
	for (const status of ['not_required', 'notRequired', 'Changes requested', 'changes_requested'])
		reads({ status, items: [{ id: 'a', status }] }, { isPending: undefined, pendingPostIds: [] });
	for (const status of ['Cancelled', 'canceled', 'done']) reads({ status }, { isPending: false });
	reads({ items: [{ id: 'a', status: 'approved' }] }, { isPending: false, pendingPostIds: [] });
	reads({}, { isPending: undefined, pendingPostIds: [] });
});

test("the ID of a batch's item isn't taken for a post's: only post_id, or the ID in a list of posts", () => {
	const idsIn = (record: object) =>
		readBatch({ status: 'pending', ...record } as never).posts.map(({ id }) => id);
	const entry = { id: 7, content_id: 99 };
	expect(idsIn({ items: [entry, 'a', { ...entry, post_id: 'p' }] })).toEqual([undefined, undefined, 'p']);
	expect(idsIn({ posts: [entry, 'a', { ...entry, post_id: 'p' }] })).toEqual(['7', 'a', 'p']);
	expect(idsIn({ post_ids: [7, 'a'] })).toEqual(['7', 'a']);
});

test('what says nothing of its decision is unknown, not pending; a post has the state of a batch that is pending as a whole', () => {
	const of = (record: object) => {
		const { isPending, pendingPostIds } = readBatch(record as never);
		return [isPending, pendingPostIds];
	};
	const posts = [{ id: 'a' }, { id: 'b', status: 'pending' }, { id: 'c', status: 'approved' }];
	expect(of({ state: 'approved', post_ids: ['p1', 'p2'] })).toEqual([undefined, []]);
	expect(of({ posts: [{ id: 'a', status: null }] })).toEqual([undefined, []]);
	expect(of({ posts })).toEqual([true, ['b']]);
	expect(of({ status: 'pending', posts })).toEqual([true, ['a', 'b']]);
	for (const status of ['partially_approved', 'in_progress', 'In Progress'])
		expect(of({ status, posts })).toEqual([true, ['b']]);
});

test('an inbox item', () => {
	const reads = (record: object, read: object) => expect(readInboxItem(record as never)).toMatchObject(read);
	const shown = { text: 'Hi', author: 'Ann' };
	reads({ id: 7, platform: 'twitter', ...shown }, { id: '7', platform: 'x', ...shown });
	reads({ author: { name: 'Ann', username: 'a' } }, { author: 'Ann' });
	reads({ author: { name: 7, username: 'a' } }, { author: 'a' });
	reads({ author: '' }, { author: undefined });
	reads({ type: 'new_comment' }, { kind: 'comment' });
	reads({ kind: 'Direct Message' }, { kind: 'message' });
	reads({ type: 'dm' }, { kind: 'message' });
	reads({ received_at: day(2), created_at: day(1) }, { at: at(2) });
	reads({ created_at: day(1) }, { at: at(1) });
});
