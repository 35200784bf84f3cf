import { Failure } from '../../../nodes/api/failure';
import { answerFailure, notConfirmed, wordsOf } from '../../../nodes/api/failureTexts';

describe('the failure of an answer', () => {
	test.each(Object.entries(wordsOf))('%s: our words, then those of the service', (code, [message, hint]) => {
		const error = { code, message: `Said by the service of ${code}.` };
		const { details } = answerFailure(400, error);
		expect(details).toMatchObject({ code, status: 400 });
		expect(details.hint).toContain(hint.slice(0, 30));
		expect(details.message.startsWith(message)).toBe(true);
		expect(details.service_message ?? details.message).toContain(`Said by the service of ${code}`);
	});

	test('what the service says stands once', () => {
		const code = 'PUBLIC_API_AUTH_ERROR';
		const [words] = wordsOf[code]!;
		const saying = (message?: string) => answerFailure(500, { code, message }).details;
		for (const said of [undefined, '', words, `${words}.`]) expect(saying(said).message).toBe(words);
		expect(saying('Down.').message).toBe(`${words}: Down.`);
		expect(saying()).not.toHaveProperty('service_message');
	});

	test.each<[number, RegExp]>([
		[401, /rejected the API key$/],
		[403, /not allowed to do this$/],
		[404, /doesn't have this endpoint or record$/],
		[408, /timed out$/],
		[409, /current status$/],
		[413, /too large for the service$/],
		[429, /rate limit is exceeded/],
		[500, /an error \(HTTP 500\)$/],
		...[300, 302, 399].map((status): [number, RegExp] => [status, /redirects to another address$/]),
		...[299, 400].map((status): [number, RegExp] => [status, /^The service rejected the request$/]),
	])('%d without words of its own', (status, message) => {
		const { details } = answerFailure(status);
		expect(details).toMatchObject({ code: `HTTP_${status}`, status });
		expect(details.message).toMatch(message);
		expect(answerFailure(status, { code: 'NEW', message: 'Said' }).message).toBe(`${details.message}: Said`);
	});

	test.each(['constructor', 'toString', '__proto__'])('a code named like something of Object: %s', (code) =>
		expect(answerFailure(500, { code, message: 'Down' }).details).toMatchObject({
			code,
			message: 'The service answered with an error (HTTP 500): Down',
		}),
	);

	test.each<[number, string | undefined]>([
		[500, undefined],
		[503, undefined],
		[500, 'NEW_FAILED'],
	])('%d with code %s: that the node tried again is said only where it does', (status, code) => {
		const { hint, retryable } = answerFailure(status, code ? { code } : undefined).details;
		expect(hint).toContain('Run the workflow again');
		if (!retryable) expect(hint).not.toContain('already tried again');
	});
});

describe('a write that failed', () => {
	const base = { code: 'CODE', message: 'The service is away', hint: 'Wait.' };
	const after = (details: object, certain = false) =>
		notConfirmed(new Failure({ ...base, ...details }).withNotProcessed(certain)).details;

	test.each([0, 500, 503, 408, 401])(
		'with status %d: whether it was sent is not known, and what to do makes sure that it is sent once',
		(status) => {
			const { message, hint } = after({ status });
			expect(message).toBe('Not confirmed as sent: the service is away');
			// An earlier attempt may have been carried out: what to do about the last one is said, too.
			const start = status === 401 ? 'Wait. Retry' : 'Retry';
			expect(hint).toMatch(new RegExp(`^${start} this execution .* nothing is sent twice`));
		},
	);

	test.each<[object, boolean]>([
		[{ status: 500 }, true],
		[{ status: 400 }, true],
		[{ status: 409 }, false],
		[{ status: 422 }, false],
		[{ status: 201, code: 'NODE_UNEXPECTED_DATA' }, false],
	])('with %j, certainly not carried out: %s, it is told as it is', (details, certain) => {
		expect(after(details, certain)).toMatchObject({ message: 'The service is away', hint: 'Wait.' });
	});
});
