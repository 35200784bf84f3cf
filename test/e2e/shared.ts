import { type N8nAddress, N8nClient } from '../n8n/client';

const variable = 'SOCIAL_PUBLISHING_SHARED_N8N';

/** Leaves the shared n8n's address and login where the test files find it. */
export function keepShared({ url, webhookUrl, email, password, version }: N8nAddress): void {
	process.env[variable] = JSON.stringify({ url, webhookUrl, email, password, version });
}

/** The n8n that all tests of this project share: use it, don't stop it, and leave no published workflow behind. */
export async function sharedN8n(): Promise<N8nClient> {
	const address = process.env[variable];
	if (!address) throw new Error('The shared n8n is started by test/e2e/setup.ts (jest project e2e)');
	return await N8nClient.connect(JSON.parse(address));
}
