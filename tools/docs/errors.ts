import { groupBy, map, uniq } from 'lodash';
import ts from 'typescript';

import { answerFailure, wordsOf } from '../../nodes/api/failureTexts';
import { isRetryable } from '../../nodes/api/retryPolicy';
import { errors } from '../../test/support/specification';
import { table } from './markdown';
import { nodesIn, sources, textOf } from './sources';

const yes = (value: boolean): string => (value ? 'yes' : 'no');

/** The codes of the specification, each with its status. */
function ofService(): string {
	const statuses = Object.assign({}, errors.auth, errors.request, ...Object.values(errors.endpoint));
	const rows = Object.entries(wordsOf).map(([code, [message, hint]]) => {
		const status = statuses[code] as number;
		return [`\`${code}\``, String(status), message, hint, yes(isRetryable(status, code))];
	});
	return table(['Code', 'Status', 'What happened', 'What to do', 'Retried'], rows);
}

/** Answers without a code of the specification. */
function byStatus(): string {
	const rows = [302, 400, 401, 402, 403, 404, 408, 409, 413, 429, 500, 503].map((status) => {
		const { code, message, hint, retryable } = answerFailure(status, undefined).details;
		return [`\`${code}\``, message, hint, yes(retryable)];
	});
	return table(['Code', 'What happened', 'What to do', 'Retried'], rows);
}

/** A failure as it is written in the code; `…` where a value goes. */
interface Written {
	code: string;
	message: string;
	hint: string;
}

/** What `refusal(…)`, objects with one of our codes and rows of a table say in a file. */
const writtenIn = (file: ts.SourceFile): Written[] =>
	nodesIn(file).flatMap((node) => {
		const say = (code: string, message?: ts.Expression, hint?: ts.Expression): Written => ({
			code,
			message: message ? textOf(message) : '…',
			hint: hint ? textOf(hint) : '…',
		});
		if (ts.isCallExpression(node) && node.expression.getText() === 'refusal') {
			const [code, message, hint] = node.arguments;
			const names = code?.getText().matchAll(/'([A-Z_]+)'/g) ?? [];
			return [...names].map(([, name]) => say(`NODE_${name}`, message, hint));
		}
		if (ts.isArrayLiteralExpression(node)) {
			const [, code, message, hint] = node.elements;
			const isRow = code && ts.isStringLiteral(code) && code.text.startsWith('NODE_');
			return isRow ? [say(code.text, message, hint)] : [];
		}
		if (!ts.isObjectLiteralExpression(node)) return [];
		const written: Record<string, ts.Expression> = {};
		for (const one of node.properties)
			if (ts.isPropertyAssignment(one)) written[one.name.getText()] = one.initializer;
		const { code, message = written.reason, hint } = written;
		const codes = code?.getText().match(/\bNODE_[A-Z_]*[A-Z]\b/g) ?? [];
		return codes.map((name) => say(name, message, hint));
	});

/** Our own codes; one that stands in several places has what each says. */
function own(): string {
	const byCode = groupBy(sources.flatMap(writtenIn), 'code');
	const each = (texts: string[]): string => uniq(texts.filter((text) => /[a-z]{3}/.test(text))).join('<br>');
	const rows = Object.keys(byCode)
		.sort()
		.map((code) => [
			`\`${code}\``,
			each(map(byCode[code], 'message')) || 'It depends: see the message',
			each(map(byCode[code], 'hint')) || 'What the error says',
		]);
	return table(['Code', 'What happened', 'What to do'], rows);
}

/** A failed item, as the node gives it. */
function example() {
	const code = 'PUBLIC_API_POST_NOT_FOUND';
	const status = errors.endpoint['GET /posts/{id}'][code];
	const [message, hint] = wordsOf[code]!;
	const ids = { request: 'GET /posts/post_8f3k2m', request_id: 'req_7f3a' };
	return { message, hint, code, status, retryable: isRetryable(status, code), ...ids };
}

export const errorsPage = (): string => `# Errors

<!-- Written by \`npm run docs\` from the code. -->

An error says what happened, whether anything was sent, and what to do. Its code is in \`code\`: under *Error details* in
the panel, and in \`json.error\` of an item when the node continues on errors. Branch on the code, not on the message. Such an
item looks like this:

\`\`\`json
${JSON.stringify({ error: example() }, null, '\t')}
\`\`\`

\`request\` is the method and path of the request that failed, if one was sent; the service's support finds it by \`request_id\`. A failed
row of *Post: Create* also has \`sent\`: the posts of this row that went out; and \`failures\`: what failed on each platform.

If a write may have reached the service but no answer came, its message begins with "Not confirmed as sent". Retry that
execution: the same idempotency key makes sure that nothing is sent twice. After *On Error: Continue*, which leaves nothing to
retry, route the item back to the node in the same execution, with its field \`error\`.

Without *On Error: Continue*, no further row is begun after one that failed. A row that had failed in an earlier try holds no other
row back, so each retry gets further than the last. If several rows failed, the error names their numbers, and \`failures\` has up to
ten of them.

## Codes of the service

"Retried": the node itself tries again, with increasing delays and the same idempotency key.

${ofService()}

To post again after an idempotency conflict in *My Own ID*, give the post another ID.

If a code isn't in this list, or an answer has no code, its HTTP status decides:

${byStatus()}

## Codes of this package

They start with \`NODE_\`. Status 0 doesn't mean that nothing was sent: see the message, and \`sent\`. A \`…\` stands for a value.

${own()}
`;
