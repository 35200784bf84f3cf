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

/** A node type by its full or bare name; `start`, and n8n's trigger of a sub-workflow, hand on what they are given. */
export const find = (type: string): any =>
	type === 'start' || type.endsWith('.executeWorkflowTrigger')
		? start
		: loader.nodeTypes[type.split('.').pop()!].type;

export const nodeTypes: any = {
	getByName: find,
	getByNameAndVersion: (type: string, version: number) =>
		NodeHelpers.getVersionedNodeType(find(type), version),
	getKnownTypes: () => ({}),
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
	getCredentialsProperties() {
		return loader.credentialTypes.socialPublishingApi.type.properties;
	}
	isCredentialUsableByNode() {
		return true;
	}
}

/** @param read what the credential says at the moment */
export const credentialsHelper = (read: () => IDataObject): any => new (Credentials as any)(read);
