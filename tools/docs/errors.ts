import groupBy from 'lodash/groupBy';
import map from 'lodash/map';
import memoize from 'lodash/memoize';
import uniq from 'lodash/uniq';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

import { answerFailure, texts } from '../../nodes/api/failureTexts';
import { isRetryable } from '../../nodes/api/retryPolicy';
import { errors } from '../../test/support/specification';
import { table } from './markdown';

/** docs/errors.md, made from the code: `npm run docs` writes it anew, a test compares. */

const root = resolve(__dirname, '../..');
export const errorsPath = join(root, 'docs', 'errors.md');

const yes = (value: boolean): string => (value ? 'yes' : 'no');

/** The codes of the specification, each with its status. */
function ofService(): string {
	const statuses = Object.assign({}, errors.auth, errors.request, ...Object.values(errors.endpoint));
	const rows = Object.entries(texts).map(([code, [message, hint]]) => {
		const status = statuses[code] as number;
		return [`\`${code}\``, String(status), message, hint, yes(isRetryable(status, code))];
	});
	return table(['Code', 'Status', 'What happened', 'What to do', 'Retried'], rows);
}

/** Answers without a code of the specification. */
function byStatus(): string {
	const rows = [302, 400, 401, 403, 404, 408, 409, 413, 429, 500, 503].map((status) => {
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

/** The nodes' source files. */
export const sources: ts.SourceFile[] = readdirSync(join(root, 'nodes'), {
	recursive: true,
	encoding: 'utf8',
})
	.filter((file) => file.endsWith('.ts'))
	.sort()
	.map((file) => {
		const path = join(root, 'nodes', file);
		return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
	});

/** A text as far as it stands in the code. */
export function textOf(node: ts.Expression, file: ts.SourceFile): string {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isParenthesizedExpression(node)) return textOf(node.expression, file);
	if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return textOf(node.body, file);
	if (ts.isTemplateExpression(node))
		return node.templateSpans.reduce(
			(text, { expression, literal }) => text + textOf(expression, file) + literal.text,
			node.head.text,
		);
	if (ts.isConditionalExpression(node)) {
		const both = [textOf(node.whenTrue, file), textOf(node.whenFalse, file)];
		return both.filter((text) => text !== '…').join(' *or* ') || '…';
	}
	if (ts.isBinaryExpression(node)) {
		const { kind } = node.operatorToken;
		if (kind === ts.SyntaxKind.QuestionQuestionToken) return textOf(node.right, file);
		if (kind === ts.SyntaxKind.PlusToken) return textOf(node.left, file) + textOf(node.right, file);
		return '…';
	}
	return (ts.isIdentifier(node) && constant(node.text, file)) || '…';
}

/** A constant text of the same file, else one that it imports. */
function constant(name: string, file: ts.SourceFile): string | undefined {
	const isImported = new RegExp(`^import [^;]*\\b${name}\\b`, 'm').test(file.text);
	for (const one of [file, ...(isImported ? sources : [])])
		for (const node of nodesIn(one)) {
			if (!ts.isVariableDeclaration(node) || node.name.getText() !== name) continue;
			const value = node.initializer;
			const isText = [ts.isStringLiteralLike, ts.isTemplateExpression, ts.isConditionalExpression];
			if (value && isText.some((is) => is(value))) return textOf(value, one);
		}
	return undefined;
}

const nodesIn = memoize((file: ts.SourceFile): ts.Node[] => {
	const nodes: ts.Node[] = [];
	const visit = (node: ts.Node): void => {
		nodes.push(node);
		ts.forEachChild(node, visit);
	};
	visit(file);
	return nodes;
});

/** What `refusal(…)`, objects with one of our codes and rows of a table say in a file. */
const writtenIn = (file: ts.SourceFile): Written[] =>
	nodesIn(file).flatMap((node) => {
		const say = (code: string, message?: ts.Expression, hint?: ts.Expression): Written => ({
			code,
			message: message ? textOf(message, file) : '…',
			hint: hint ? textOf(hint, file) : '…',
		});
		if (ts.isCallExpression(node) && node.expression.getText() === 'refusal') {
			const [code, message, hint] = node.arguments;
			return code && ts.isStringLiteral(code) ? [say(`NODE_${code.text}`, message, hint)] : [];
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
	const each = (texts: string[]): string => uniq(texts.filter((text) => /[a-z]/.test(text))).join('<br>');
	const rows = Object.keys(byCode)
		.sort()
		.map((code) => [
			`\`${code}\``,
			each(map(byCode[code], 'message')) || 'What n8n says of it',
			each(map(byCode[code], 'hint')) || 'What the error says',
		]);
	return table(['Code', 'What happened', 'What to do'], rows);
}

/** A failed item, as the node gives it. */
function example() {
	const code = 'PUBLIC_API_POST_NOT_FOUND';
	const status = errors.endpoint['GET /posts/{id}'][code];
	const [message, hint] = texts[code]!;
	return { message, hint, code, status, retryable: isRetryable(status, code), request_id: 'req_7f3a' };
}

export const errorsPage = (): string => `# Errors

<!-- Written by \`npm run docs\` from the code. -->

An error says what happened, whether anything was sent, and what to do. Its code is in \`code\`: under *Error details* in
the panel, and in \`json.error\` of an item when the node continues on errors. Branch on the code, not on the message. Such an
item looks like this:

\`\`\`json
${JSON.stringify({ error: example() }, null, '\t')}
\`\`\`

A write that may have reached the service without an answer begins with "Not confirmed as sent". Retry that execution: the
same idempotency key makes sure that nothing is sent twice.

## Codes of the service

"Retried": the node itself tries again, with growing pauses and the same idempotency key.

${ofService()}

A code that is not in this list is judged by its HTTP status, like an answer without a code:

${byStatus()}

## Codes of this package

They start with \`NODE_\`. Where no status is given (0), nothing was sent or no answer came. A \`…\` stands for a value.

${own()}
`;

if (require.main === module) writeFileSync(errorsPath, errorsPage());
