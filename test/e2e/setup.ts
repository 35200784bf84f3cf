import type { N8n } from '../n8n/instance';
import { lookForNeeds } from '../n8n/requires';
import { keepShared, startShared } from './shared';

declare global {
	var sharedInstance: N8n | undefined;
}

/** Before all end-to-end tests: one n8n for those that don't stop or kill theirs. */
export default async function setup(): Promise<void> {
	await lookForNeeds();
	globalThis.sharedInstance = await startShared();
	keepShared(globalThis.sharedInstance);
}
