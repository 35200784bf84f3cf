import { newEvent, Response, anewForEachTest, n8n, service } from './fakes';
import { signed, timestampAt } from '../../support/signing';

/** What a delivery is answered with, and what it starts. */

anewForEachTest(async () => await n8n.publish());

const answer = (status: number, body?: object, headers = {}) => ({ status, body, headers });
const duplicate = answer(200, { status: 'duplicate' });
const ignored = answer(200, { status: 'ignored' });
const inProgress = answer(503, { status: 'in_progress' }, { 'Retry-After': '1' });
const notGenuine = answer(401, { error: 'The signature or the timestamp is not valid' });
/** n8n's own. */
const accepted = answer(200);

/** Parts of a request whose signature fits its body. */
const requestOf = (body: string, secret = service.hooks[0]!.secret) => {
	const { body: rawBody, signature, timestamp } = signed(body, timestampAt(Date.now()), secret);
	return { rawBody, headers: { 'x-service-signature': signature, 'x-service-timestamp': timestamp } };
};

describe('a genuine delivery', () => {
	it('starts one execution with the event as it was delivered; another one of the same ID is a duplicate', async () => {
		const event = newEvent({ x_new: { deep: [1, null] } });
		expect(await n8n.deliver(event)).toEqual(accepted);
		expect(await n8n.deliver(event, { at: Date.now() + 60_000 })).toEqual(duplicate);
		const request = requestOf(JSON.stringify(event));
		Object.assign(request.headers, { 'x-service-event': 'post.failed', 'x-service-event-id': 'another' });
		expect(await n8n.receive(request)).toEqual(duplicate);
		expect(n8n.executions).toEqual([[event]]);
		expect(n8n.behind).toEqual([event]);
	});

	it.each<[number | undefined, object]>([
		[200, duplicate],
		[300, accepted],
		[102, accepted],
		[undefined, accepted],
	])('that comes again after n8n has answered %p, or the connection was cut', async (status, expected) => {
		const event = newEvent();
		n8n.answerWith = () => status;
		expect((await n8n.deliver(event)).status).toBe(status ?? 0);
		n8n.answerWith = () => 200;
		expect(await n8n.deliver(event)).toEqual(expected);
		expect(n8n.behind).toEqual([event]);
	});

	it('that comes while another is being accepted waits ten seconds, and is to be sent again', async () => {
		let finish!: (status: number) => void;
		n8n.answerWith = async () => await new Promise((resolve) => (finish = resolve));
		const event = newEvent();
		const first = n8n.deliver(event);
		expect(await n8n.deliver(event)).toEqual(inProgress);
		finish(200);
		await first;
		expect(await n8n.deliver(event)).toEqual(duplicate);
	});

	it('whose sender has hung up is not waited for', async () => {
		const event = newEvent();
		const request = requestOf(JSON.stringify(event));
		await n8n.receive(request, { response: Object.assign(new Response(), { closed: true }) });
		expect(await n8n.deliver(event)).toEqual(accepted);
	});

	it('of an event or a brand that was not asked for is ignored', async () => {
		n8n.parameters.options = { brandIds: 'br_1, br_2' };
		expect(await n8n.deliver(newEvent({ type: 'post.created' }))).toEqual(ignored);
		expect(await n8n.deliver(newEvent({ brand_id: 'br_3' }))).toEqual(ignored);
		expect([n8n.executions, n8n.warnings]).toEqual([[], []]);
	});

	it('that names no brand, where some were chosen, is ignored', async () => {
		n8n.parameters.options = { brandIds: 'br_1' };
		expect(await n8n.deliver(newEvent({ type: 'post.created', brand_id: null }))).toEqual(ignored);
		expect(n8n.warnings).toEqual([]);
		for (const brand_id of [null, '', undefined])
			expect(await n8n.deliver(newEvent({ brand_id }))).toEqual(ignored);
	});

	it('with no event in it: 400 with the reason', async () => {
		const expected = answer(400, { error: "The body is not a JSON object with 'id' and 'type'" });
		expect(await n8n.receive(requestOf('[]'))).toEqual(expected);
		expect(n8n.executions).toEqual([]);
	});

	it('may be as late as the user says', async () => {
		const late = { at: Date.now() - 301_000 };
		expect(await n8n.deliver(newEvent(), late)).toEqual(notGenuine);
		n8n.parameters.options = { tolerance: 301 };
		expect(await n8n.deliver(newEvent(), late)).toEqual(accepted);
	});

	it('of a test starts a test each time, beside the live one', async () => {
		await n8n.hook('create', { test: true });
		const { secret } = service.hooks[1]!;
		const event = newEvent();
		await n8n.deliver(event);
		for (let i = 0; i < 2; i++)
			expect(await n8n.deliver(event, { secret, mode: 'manual' })).toEqual(accepted);
		expect(n8n.behind).toEqual([event, event, event]);
		// Signed for the other address, it is forged.
		expect(await n8n.deliver(newEvent(), { secret })).toEqual(notGenuine);
	});
});

test('the body is read where n8n has not done so; one that it cannot give back, or has none of, is no delivery', async () => {
	const event = newEvent();
	const { rawBody, headers } = requestOf(JSON.stringify(event));
	const request = { headers, readRawBody: async () => void Object.assign(request, { rawBody }) };
	expect(await n8n.receive(request)).toEqual(accepted);
	expect(n8n.behind).toEqual([event]);
	const readRawBody = async () => await Promise.reject(new Error('the stream was consumed'));
	expect(await n8n.receive({ headers, readRawBody })).toEqual(notGenuine);
	expect(await n8n.receive({ headers })).toEqual(notGenuine);
	const again = jest.fn();
	await n8n.receive({ rawBody, headers, readRawBody: again });
	expect(again).not.toHaveBeenCalled();
});

it('a delivery whose form is wrong is not looked at further: the credential is not even read', async () => {
	n8n.credentialReads = 0;
	const request = requestOf('{}');
	request.headers['x-service-signature'] = 'sha256=';
	expect(await n8n.receive(request)).toEqual(notGenuine);
	expect(n8n.credentialReads).toBe(0);
});

it('a refused delivery is a line in the log with the reason, once a minute for each reason, without a word of the sender', async () => {
	const event = newEvent();
	const requests = [
		requestOf(JSON.stringify(event), 'whsec of a stranger'),
		{ ...requestOf('{}'), headers: {} },
		requestOf('[]'),
	];
	const refuse = async () => {
		for (const request of requests) await n8n.receive(request);
		for (const seconds of [301, 400]) await n8n.deliver(event, { at: Date.now() - seconds * 1000 });
	};
	for (let i = 0; i < 3; i++) await refuse();
	const lines = [
		"its signature doesn't fit the secret of the subscription",
		'it has no signature, time or body, or one of another form',
		"The body is not a JSON object with 'id' and 'type'",
		"its time is too far from this computer's clock (301 s)",
	].map((reason) => `Trigger: a delivery was refused: ${reason}`);
	expect(n8n.warnings).toEqual(lines);
	jest.advanceTimersByTime(60_000);
	await refuse();
	expect(n8n.warnings).toEqual([...lines, ...lines]);
});

describe('trouble of our own', () => {
	it('no secret is known: 503, and a line in the log once a minute that says what to do and names no secret', async () => {
		n8n.loseData();
		const lost = { secret: 'whsec_that_the_service_made' };
		const deliver = async () => await n8n.deliver(newEvent(), lost);
		const line =
			'Trigger: a delivery was refused: n8n has lost the secret of the subscription. Unpublish the workflow and publish it again';
		for (const [after, lines] of [
			[0, 1],
			[59_999, 1],
			[1, 2],
		] as const) {
			jest.advanceTimersByTime(after);
			expect(await deliver()).toEqual(answer(503, { error: 'This receiver has no secret yet' }));
			expect(n8n.warnings).toEqual(Array(lines).fill(line));
		}
		// The one that is made from key and address is known anyway.
		expect(await n8n.deliver(newEvent())).toEqual(accepted);
	});

	it('never throws: 503 and a line in the log', async () => {
		n8n.parameters.options = { tolerance: 'soon' };
		expect(await n8n.deliver(newEvent())).toEqual(answer(503, { error: 'Temporarily unavailable' }));
		const reason = expect.stringContaining('Max Clock Difference');
		const message = 'Trigger: a delivery was not accepted';
		expect(n8n.logged).toEqual([{ level: 'error', message, meta: { reason } }]);
	});
});
