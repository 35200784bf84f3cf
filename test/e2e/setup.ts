import type { N8n } from '../n8n/instance';
import { lookForNeeds } from '../n8n/requires';
import { isOtherRelease } from '../n8n/releases';
import { keepShared, startShared } from './shared';

declare global {
	var sharedInstance: N8n | undefined;
}

/** Before all end-to-end tests: one n8n for those that don't stop or kill theirs. Those of other releases have their own. */
export default async function setup(): Promise<void> {
	await lookForNeeds();
	if (isOtherRelease) return;
	globalThis.sharedInstance = await startShared();
	keepShared(globalThis.sharedInstance);
}
