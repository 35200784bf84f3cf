import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import ts from 'typescript';

import { SocialPublishingApi } from '../../credentials/SocialPublishingApi.credentials';
import { properties as actionProperties } from '../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../nodes/SocialPublishing/resources';
import { triggerProperties } from '../../nodes/SocialPublishingTrigger/properties';
import { sources, textOf } from './errors';
import { table } from './markdown';

/** docs/texts.md: every text that a person meets, to be read in a row. `npm run docs` writes it anew, a test compares. */

const root = resolve(__dirname, '../..');
export const textsPath = join(root, 'docs', 'texts.md');

/** A field's texts, then those of its choices and of the fields in it; `where` names resource and operation. */
function rowsOf(property: INodeProperties, inside = ''): string[][] {
	const { displayName, description = '', hint = '', placeholder = '', displayOptions } = property;
	const { resource = [], operation = [] } = displayOptions?.show ?? {};
	const where = inside || [resource.join(', '), operation.join(', ')].filter(Boolean).join(': ');
	const path = inside ? `${inside} › ${displayName}` : displayName;
	const choices = (property.options ?? []).flatMap((one) => {
		if ('values' in one) return one.values.flatMap((value) => rowsOf(value, `${path} › ${one.displayName}`));
		if ('displayName' in one) return rowsOf(one as INodeProperties, path);
		const {
			name,
			action,
			description: text,
		} = one as { name: string; action?: string; description?: string };
		return [[path, [name, action].filter(Boolean).join(' / '), text ?? '', '', '']];
	});
	return [[where, displayName, description, hint, placeholder], ...choices];
}

/** Fields that stand in several operations with the same texts are listed once. */
const panel = (properties: INodeProperties[]): string => {
	const rows = properties.flatMap((one) => rowsOf(one));
	const seen = new Set<string>();
	const once = rows.filter(([, ...texts]) => {
		const key = JSON.stringify(texts);
		return seen.has(key) ? false : seen.add(key);
	});
	return table(['Where', 'Label', 'Description', 'Hint', 'Placeholder'], once);
};

/** Texts of several words in a source file that are no labels, descriptions or imports: errors, hints, log lines. */
function said(file: ts.SourceFile): string[] {
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		const isPanel =
			ts.isPropertyAssignment(node) &&
			/^(displayName|description|hint|placeholder|name|action|type|searchHint)$/.test(node.name.getText()) &&
			ts.isStringLiteralLike(node.initializer);
		if (isPanel || ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
		if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
			const text = textOf(node, file);
			if (/[A-Za-z]{2,} .*[a-z]{2,}/.test(text)) found.push(text);
			if (ts.isStringLiteralLike(node)) return;
		}
		ts.forEachChild(node, visit);
	};
	visit(file);
	return found;
}

const inCode = (): string =>
	table(
		['File', 'Text'],
		sources.flatMap((file) => {
			const texts = [...new Set(said(file))];
			return texts.map((text, i) => [i === 0 ? relative(join(root, 'nodes'), file.fileName) : '', text]);
		}),
	);

/** The notes of the examples. */
const notes = (): string =>
	readdirSync(join(root, 'examples'))
		.filter((file) => file.endsWith('.json'))
		.sort()
		.flatMap((file) => {
			const { name, nodes } = JSON.parse(readFileSync(join(root, 'examples', file), 'utf8'));
			const texts = nodes
				.filter(({ type }: { type: string }) => type.endsWith('.stickyNote'))
				.map(({ parameters }: { parameters: { content: string } }) =>
					parameters.content.replace(/^#+ (.*)$/gm, '**$1**').replace(/^/gm, '> '),
				);
			return [`### ${name}`, ...texts];
		})
		.join('\n\n');

export const textsPage = (): string => `# Texts

<!-- Written by \`npm run docs\` from the code. -->

Everything that the package says, in one place, to be read in a row. \`…\` stands for a value. The errors, with their codes,
are in [errors.md](errors.md), too.

## Credential

${panel(new SocialPublishingApi().properties)}

## Action node

${panel(actionProperties(resources))}

## Trigger node

${panel(triggerProperties)}

## Errors, hints and log lines

${inCode()}

## Notes of the examples

${notes()}
`;

if (require.main === module) writeFileSync(textsPath, textsPage());
