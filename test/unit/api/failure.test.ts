import { refusal, toFailure } from '../../../nodes/api/failure';

describe('what was thrown, as a failure', () => {
	test('a failure is itself; others keep their text', () => {
		const failure = refusal('A', 'no', 'try');
		const details = { code: 'NODE_A', message: 'no', hint: 'try', status: 0, retryable: false };
		expect(failure.details).toEqual(details);
		expect([failure.name, failure.message, failure.notProcessed]).toEqual(['Failure', 'no', false]);
		expect(toFailure(failure)).toBe(failure);
		const other = toFailure(Object.assign(new Error('bad'), { description: 'Do this' }));
		expect(other.details).toMatchObject({ code: 'NODE_UNEXPECTED', message: 'bad', hint: 'Do this' });
		const { message, hint } = toFailure('text').details;
		expect([message, hint]).toEqual(['text', 'Check the parameters of the node.']);
	});

	test('more known of it, the same otherwise', () => {
		const failure = refusal('A', 'no', 'try').withNotProcessed(true).with({ status: 400 });
		expect(failure).toMatchObject({ notProcessed: true, details: { status: 400, code: 'NODE_A' } });
		expect(refusal('A', 'no', 'try').with({}).notProcessed).toBe(false);
		const hidden = refusal('A', 'key sk at https://a.example?sig=1', 'try').withTexts((value) => value);
		expect(hidden.message).toBe('key sk at https://a.example?[hidden]');
	});
});
