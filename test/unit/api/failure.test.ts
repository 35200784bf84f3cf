import fc from 'fast-check';
import { ManualExecutionCancelledError, NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import {
	Failure,
	redacted,
	refusal,
	serviceSays,
	toErrorItem,
	toFailure,
	toNodeError,
} from '../../../nodes/api/failure';
import { redactor } from '../../../nodes/api/redaction';
import { anyText, runs } from '../../support/property';

const node: INode = {
	...{ id: 'n', name: 'Node', type: 't', typeVersion: 1, position: [0, 0], parameters: {} },
};

describe('what was thrown, as a failure', () => {
	test('a failure is itself; others keep their text', () => {
		const failure = refusal('A', 'no', 'try');
		const details = { code: 'NODE_A', message: 'no', hint: 'try', status: 0, retryable: false };
		expect(failure.details).toEqual(details);
		expect([failure.name, failure.message, failure.processed]).toEqual(['Failure', 'no', 'no']);
		expect(toFailure(failure)).toBe(failure);
		const other = toFailure(Object.assign(new Error('bad'), { description: 'Do this' }));
		expect(other.details).toMatchObject({ code: 'NODE_UNEXPECTED', message: 'bad', hint: 'Do this' });
		const { message, hint } = toFailure('text').details;
		expect([message, hint]).toEqual(['text', 'Check the parameters of the node.']);
	});

	test('more known of it, the same otherwise; the failure itself never changes', () => {
		const failure = refusal('A', 'no', 'try');
		const ofService = failure.with({ status: 400 }, { isOfService: true });
		expect(ofService).toMatchObject({ processed: 'no', isOfService: true, details: { status: 400 } });
		expect(ofService.with({}, { processed: 'maybe' })).toMatchObject({
			processed: 'maybe',
			isOfService: true,
		});
		expect(failure).toMatchObject({ processed: 'no', isOfService: false, details: { status: 0 } });
		const redact = redactor(['sk_test_1']);
		const hidden = redacted(refusal('A', 'key sk_test_1 at https://a.example?sig=1', 'try'), redact);
		expect([hidden.message, hidden.processed]).toEqual(['key [hidden] at https://a.example?[hidden]', 'no']);
	});
});

test.each<[says: boolean, code: string, status: number, isOfService: boolean]>([
	[true, 'PUBLIC_API_NOT_FOUND', 404, false],
	[true, 'CLUSTER_NODE_LOST', 404, false],
	[false, 'NEW', 500, false],
	[true, 'HTTP_404', 404, true],
	[true, 'HTTP_410', 410, true],
	[false, 'HTTP_409', 409, true],
	[false, 'HTTP_404', 404, false],
	[false, 'NODE_A', 404, false],
])('whether the service says 404 or 410: %s, of %s', (says, code, status, isOfService) => {
	const failure = refusal('A', 'no', 'try').with({ code, status }, { isOfService });
	expect(serviceSays(failure, 404, 410)).toBe(says);
});

describe("n8n's error", () => {
	const of = (details: ConstructorParameters<typeof Failure>[0], item?: number) =>
		toNodeError(node, new Failure(details), item) as any;
	const base = { code: 'CODE', message: 'Message', hint: 'Hint' };

	test('a refusal of ours is an operation error, all else one of the API', () => {
		const own = of({ ...base, code: 'NODE_A' }, 3);
		expect(own).toBeInstanceOf(NodeOperationError);
		expect(own).toMatchObject({ message: 'Message', description: 'Hint', level: 'warning' });
		expect(own.context.itemIndex).toBe(3);
		for (const details of [{}, { code: 'NODE_A', status: 400 }, { code: 'NODE_A', retryable: true }])
			expect(of({ ...base, ...details })).toBeInstanceOf(NodeApiError);
		expect(of({ ...base, status: 418 }).httpCode).toBe('418');
		expect(of(base, 3).context.itemIndex).toBe(3);
	});

	test('codes and IDs stand in the details, in a fixed order, nothing undefined, and not below the message', () => {
		const known = { ...base, status: 429, retryable: false, retry_after_seconds: 0 };
		const details = { ...known, request_id: undefined };
		const error = of({ idempotency_key: 'k', ...details }, 0);
		expect(error.description).toBe('Hint');
		expect(error.context.data).toEqual({ ...known, idempotency_key: 'k' });
		expect(Object.keys(toErrorItem({ platform: 'x', ...details }))).toEqual([
			...['message', 'hint', 'code', 'status', 'retryable', 'platform', 'retry_after_seconds'],
		]);
	});

	test('what is no failure of ours stays as it is', () => {
		const own = new NodeOperationError(node, 'mine');
		expect(toNodeError(node, own)).toBe(own);
		const ofTheApi = new NodeApiError(node, { message: 'mine' });
		expect(toNodeError(node, ofTheApi)).toBe(ofTheApi);
		const other = toNodeError(node, new Error('other'), 2);
		expect(other).toBeInstanceOf(NodeOperationError);
		expect(other.context.itemIndex).toBe(2);
	});

	// Codes for which n8n has messages of its own.
	test.each([
		...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'ERRADDRINUSE', 'EADDRNOTAVAIL'],
		...['ECONNABORTED', 'EHOSTUNREACH', 'EAI_AGAIN', 'ENOENT', 'EISDIR', 'ENOTDIR', 'EACCES', 'EEXIST'],
		...['EPERM', 'GETADDRINFO'],
	])('a message with %s in it stays our message, as an error of either class', (code) => {
		const text = fc.tuple(anyText(8), fc.constantFrom(code, code.toLowerCase()), anyText(8));
		fc.assert(
			fc.property(text, fc.constantFrom(0, 404), (parts, status) => {
				const message = `The field ${parts.join('')} was canceled`;
				const error = of({ ...base, code: 'NODE_A', status, message });
				expect(error.message).toBe(message.replace('canceled', 'cancelled'));
			}),
			runs(200),
		);
	});

	test('no message says `canceled`, by which n8n would store the execution as canceled: any case is kept', () => {
		const cased = fc
			.array(fc.boolean(), { minLength: 8, maxLength: 8 })
			.map((upper) => [...'canceled'].map((c, i) => (upper[i] ? c.toUpperCase() : c)).join(''));
		const word = fc.oneof(cased, anyText(8), fc.constantFrom('cancel', 'cance', 'led', ' $1 ', '<b>'));
		const kinds: Array<(message: string) => unknown> = [
			(message) => new Failure({ ...base, message, code: 'NODE_A' }),
			(message) => new Failure({ ...base, message, status: 409 }),
			(message) => Object.assign(new ManualExecutionCancelledError('7'), { message }),
			(message) => new NodeOperationError(node, message),
			(message) => new NodeApiError(node, { message }, { message }),
		];
		fc.assert(
			fc.property(fc.array(word, { minLength: 1 }), fc.constantFrom(...kinds), (words, kind) => {
				const message = `Post '${words.join('|')}'`;
				const error = toNodeError(node, kind(message));
				expect(error.message).toBe(message.replace(/(cance)(l)(ed)/gi, '$1$2$2$3'));
				expect(error.message).not.toMatch(/canceled/i);
				expect(error.name).not.toMatch(/cancelled/i);
			}),
			runs(2000),
		);
	});
});

test('lines of a hint are lines in the panel, which shows HTML, and line breaks in an item', () => {
	const error = toNodeError(
		node,
		new Failure({ code: 'NODE_A', message: 'm', hint: 'Row 1: <b> & c\nRow 2' }),
	);
	expect(error.description).toBe('Row 1: &lt;b> &amp; c<br>Row 2');
	expect(error.context.data).toMatchObject({ hint: 'Row 1: <b> & c\nRow 2' });
});
