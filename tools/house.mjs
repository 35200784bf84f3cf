// `npm run lint` ends with this: how many lines of code each folder has, and how many branches in 100 of them. A branch is
// an if, ?:, loop, case, catch, &&, || or ??. Fails above the limits, which only go down.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const limits = {
	'nodes and credentials': { lines: 11_290, branches: 17.3 },
	'test and tools': { lines: 28_640, branches: 8.5 },
};

const branches = new Set(
	[
		...['IfStatement', 'ConditionalExpression', 'CaseClause', 'CatchClause'],
		...['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoStatement'],
		...['AmpersandAmpersandToken', 'BarBarToken', 'QuestionQuestionToken'],
	].map((name) => ts.SyntaxKind[name]),
);

const countBranches = (node) => {
	let count = branches.has(node.kind) ? 1 : 0;
	ts.forEachChild(node, (child) => void (count += countBranches(child)));
	return count;
};

/** Lines in all, lines that are neither empty nor comments, and branches. */
function measure(path) {
	const text = readFileSync(path, 'utf8');
	const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
	const code = text
		.replace(/^\s*(\/\*\*?[^]*?\*\/|\/\/.*)$/gm, '')
		.split('\n')
		.filter((line) => line.trim());
	return { lines: text.split('\n').length - 1, code: code.length, branches: countBranches(source) };
}

function folderOf(path) {
	const parts = path.split('/').slice(0, -1);
	return parts.slice(0, parts[1] === 'SocialPublishing' ? 3 : 2).join('/');
}
const wholeOf = (path) => (/^(nodes|credentials)\//.test(path) ? 'nodes and credentials' : 'test and tools');

const paths = ['nodes', 'credentials', 'test', 'tools']
	.flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => join(folder, path)))
	.filter((path) => /\.[cm]?[jt]s$/.test(path));

const table = {};
for (const path of paths) {
	const { lines, code, branches } = measure(path);
	for (const name of [folderOf(path), wholeOf(path)]) {
		const row = (table[name] ??= { files: 0, lines: 0, code: 0, branches: 0 });
		row.files++;
		row.lines += lines;
		row.code += code;
		row.branches += branches;
	}
}
for (const row of Object.values(table)) row['per 100'] = Number(((100 * row.branches) / row.code).toFixed(1));
const names = Object.keys(table).sort();
console.table(Object.fromEntries(names.map((name) => [name, table[name]])));

for (const [name, { lines, branches }] of Object.entries(limits)) {
	const found = table[name];
	if (found.lines <= lines && found['per 100'] <= branches) continue;
	console.error(`${name}: more than ${lines} lines, or than ${branches} branches per 100 lines`);
	process.exitCode = 1;
}
