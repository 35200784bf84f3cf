import { PackageDirectoryLoader } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { ICredentialsHelper, NodeHelpers } from 'n8n-workflow';
import { join } from 'node:path';

/** The built package, loaded the way n8n does. `npm run build` first. */

export const loader: any = new PackageDirectoryLoader(join(__dirname, '..', '..'));
let loaded: Promise<void> | undefined;
export const load = async (): Promise<void> => await (loaded ??= loader.loadAll());

const start = {
	description: {
		displayName: 'Start',
		name: 'start',
		group: ['trigger'],
		version: 1,
		inputs: [],
		outputs: ['main'],
		defaults: {},
		properties: [],
	},
	async execute(this: any) {
		return [this.getInputData()];
	},
};

/** The node as n8n gives it to agents: under another name, by which n8n knows that it is a tool. */
const toolOf = (node: any): any =>
	Object.create(node, {
		description: { value: { ...node.description, name: `${node.description.name}Tool` } },
	});

/** A node type by its full or bare name; `start`, and n8n's trigger of a sub-workflow, hand on what they are given. */
export const find = (type: string): any => {
	if (type === 'start' || type.endsWith('.executeWorkflowTrigger')) return start;
	if (type.endsWith('Tool')) return toolOf(find(type.slice(0, -'Tool'.length)));
	return loader.nodeTypes[type.split('.').pop()!].type;
};

export const nodeTypes: any = {
	getByName: find,
	getByNameAndVersion: (type: string, version: number) =>
		NodeHelpers.getVersionedNodeType(find(type), version),
};

/** n8n's credentials helper with one credential in it, authenticating as the built credential says. */
class Credentials extends (ICredentialsHelper as any) {
	constructor(private readonly read: () => IDataObject) {
		super();
	}
	async authenticate(data: any, _type: string, options: any) {
		return await loader.credentialTypes.socialPublishingApi.type.authenticate(data, options);
	}
	async preAuthentication() {
		return undefined;
	}
	async getDecrypted() {
		return this.read();
	}
	getParentTypes() {
		return [];
	}
	isCredentialUsableByNode() {
		return true;
	}
}

/** @param read what the credential says at the moment */
export const credentialsHelper = (read: () => IDataObject): any => new (Credentials as any)(read);
