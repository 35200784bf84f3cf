import { uniqBy } from 'lodash';
import { relative } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import ts from 'typescript';

import { SocialPublishingApi } from '../../credentials/SocialPublishingApi.credentials';
import { properties as actionProperties } from '../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../nodes/SocialPublishing/resources';
import { triggerProperties } from '../../nodes/SocialPublishingTrigger/properties';
import { examples } from '../../test/n8n/examples';
import { table } from './markdown';
import { nodesIn, root, sources, textOf } from './sources';

/** `npm run texts` prints every text that a person meets, to be read in a row. */

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
	const once = uniqBy(rows, ([, ...texts]) => JSON.stringify(texts));
	return table(['Where', 'Label', 'Description', 'Hint', 'Placeholder'], once);
};

/** Neither labels and descriptions, which the tables above have, nor names of modules and types. */
const isNotSaid = (node: ts.Node): boolean =>
	ts.isImportDeclaration(node) ||
	ts.isTypeNode(node) ||
	(ts.isPropertyAssignment(node) &&
		/^(displayName|description|hint|placeholder|name|action|type|searchHint)$/.test(node.name.getText()) &&
		ts.isStringLiteralLike(node.initializer));

/** Texts of several words in a source file: errors, hints, log lines. */
const said = (file: ts.SourceFile): string[] =>
	nodesIn(file, isNotSaid)
		.filter((node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
		.map((node) => textOf(node as ts.Expression))
		.filter((text) => /[A-Za-z]{2,} .*[a-z]{2,}/.test(text));

const inCode = (): string =>
	table(
		['File', 'Text'],
		sources.flatMap((file) => {
			const texts = [...new Set(said(file))];
			return texts.map((text, i) => [i === 0 ? relative(root, file.fileName) : '', text]);
		}),
	);

const notes = (): string =>
	[...examples().values()]
		.flatMap(({ name, nodes }) => {
			const texts = nodes
				.filter(({ type }: any) => type.endsWith('.stickyNote'))
				.map(({ parameters }: any) =>
					parameters.content.replace(/^#+ (.*)$/gm, '**$1**').replace(/^/gm, '> '),
				);
			return [`### ${name}`, ...texts];
		})
		.join('\n\n');

export const textsPage = (): string => `# Texts

Everything that the package says, in one place, to be read in a row. \`…\` stands for a value. The errors, with their codes,
are in docs/errors.md, too.

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

if (require.main === module) process.stdout.write(textsPage());
