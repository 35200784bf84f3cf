import { join, resolve } from 'node:path';
import ts from 'typescript';

/** The code of the package, to read the texts in it. */

export const root = resolve(__dirname, '../..');

const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config;
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram(fileNames, options);
export const checker = program.getTypeChecker();

/** The source files of the nodes and the credential. */
export const sources = fileNames
	.filter((file) => file.endsWith('.ts'))
	.sort()
	.map((file) => program.getSourceFile(file)!);

/** The node and all nodes in it; `skipped` ones are left out, with what is in them. */
export const nodesIn = (node: ts.Node, skipped: (node: ts.Node) => boolean = () => false): ts.Node[] => {
	if (skipped(node)) return [];
	const inner: ts.Node[] = [];
	ts.forEachChild(node, (child) => void inner.push(...nodesIn(child, skipped)));
	return [node, ...inner];
};

/** A text as far as it stands in the code; `…` where a value goes. */
export function textOf(node: ts.Expression): string {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
	if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return textOf(node.body);
	if (ts.isTemplateExpression(node))
		return node.templateSpans.reduce(
			(text, { expression, literal }) => text + textOf(expression) + literal.text,
			node.head.text,
		);
	if (ts.isConditionalExpression(node)) {
		const both = [textOf(node.whenTrue), textOf(node.whenFalse)];
		return both.filter((text) => text !== '' && text !== '…').join(' *or* ') || '…';
	}
	if (ts.isBinaryExpression(node)) {
		const { kind } = node.operatorToken;
		if (kind === ts.SyntaxKind.QuestionQuestionToken) return textOf(node.right);
		return kind === ts.SyntaxKind.PlusToken ? textOf(node.left) + textOf(node.right) : '…';
	}
	return valueOf(node);
}

/** The text of a constant, as the compiler knows it or where it stands. */
function valueOf(node: ts.Expression): string {
	const type = checker.getTypeAtLocation(node);
	if (type.isStringLiteral()) return type.value;
	const constant = checker.getSymbolAtLocation(node)?.valueDeclaration;
	const value = constant && ts.isVariableDeclaration(constant) && constant.initializer;
	return value ? textOf(value) : '…';
}
