import { union } from 'lodash';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';

import { SocialPublishingApi } from '../../credentials/SocialPublishingApi.credentials';

/** tools/docs/surface.txt: what saved workflows rest on, a line each. It may only grow. */

/** A parameter with its type and default, which n8n does not save; then its values and the parameters in it. */
function linesOf(
	{ name, type, default: value, options, modes, typeOptions }: INodeProperties,
	path: string,
): string[] {
	const here = `${path} ${name}`;
	const inner = [...(options ?? []), ...(modes ?? [])].flatMap((one) => {
		if ('values' in one) return one.values.flatMap((each) => linesOf(each, `${here} > ${one.name} >`));
		if ('value' in one) return [`${here} = ${JSON.stringify(one.value)}`];
		return 'type' in one && modes === undefined
			? linesOf(one as INodeProperties, `${here} >`)
			: [`${here}: mode ${one.name}`];
	});
	const many = typeOptions?.multipleValues ? '[]' : '';
	return [`${here}: ${type}${many}, default ${JSON.stringify(value)}`, ...inner];
}

function panelOf(node: string, properties: INodeProperties[]): string[] {
	const lines = properties.flatMap((property) => {
		const { resource = [''], operation = [''] } = property.displayOptions?.show ?? {};
		return resource.flatMap((one) =>
			operation.flatMap((each) => linesOf(property, [node, one, each].filter(Boolean).join(' '))),
		);
	});
	return [...new Set(lines)];
}

function nodeLines(node: string): string[] {
	// With its ending: tsx takes `….node` for the codex beside it.
	const path = join(__dirname, `../../nodes/${node}/${node}.node.ts`);
	const exported: Record<string, new () => INodeType> = createRequire(__filename)(path);
	const { name, version, inputs, outputs, credentials = [], properties } = new exported[node]!().description;
	const facts = { version, inputs, outputs, credentials: credentials.map((one) => one.name) };
	const about = Object.entries(facts).map(([key, value]) => `${name}: ${key} ${JSON.stringify(value)}`);
	return [...about, ...panelOf(name, properties)];
}

const credentialLines = ({ name, properties }: ICredentialType) => panelOf(name, properties);

export const surface = (): string[] => [
	...['SocialPublishing', 'SocialPublishingTrigger'].flatMap(nodeLines),
	...credentialLines(new SocialPublishingApi()),
];

/** Lines that went stay until somebody takes them out by hand: `documents.test.ts` fails until then. */
export const surfacePage = (now: string): string =>
	`${union(surface(), now.split('\n').filter(Boolean)).join('\n')}\n`;
