import { type N8nAddress, N8nClient } from '../n8n/client';
import { accountOf } from '../n8n/examples';
import { N8n, type N8nOptions, startN8n } from '../n8n/instance';
import { wantedRelease } from '../n8n/releases';
import { startService } from '../service';
import type { ServiceOptions } from '../service/types';
import { Field } from '../support/e2e/field';

/** `SCALE=20 NIGHTLY=1 npm run test:e2e -- trigger-kills`: a long test with so many times more events, posts or kills. */
export const scaled = (count: number): number => Math.round(count * Number(process.env.SCALE ?? 1));

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

/** Nobody waits: checks come often; n8n gives up publishing after 28 s, not 84, and goes on after a crash in 40 s, not 120. */
const impatient: N8nOptions = {
	fastChecks: true,
	env: {
		N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '40',
		N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
	},
};

/** The n8n to share, and one to stop and to kill. */
export const startShared = async (): Promise<N8n> => await startN8n({ ...impatient, editor: true });
export const ownN8n = async (more: N8nOptions = {}): Promise<N8n> =>
	await startN8n({ ...impatient, ...more, release: wantedRelease() });

/** A field for the tests of a file or block, with a service of its own. */
export function useField<N extends N8nClient>(
	n8nOf: () => Promise<N>,
	options?: Record<string, unknown>,
	serviceOptions?: ServiceOptions,
): Field<N> {
	const field = new Field<N>(options);
	beforeAll(async () => void (await field.set(await n8nOf(), await startService(serviceOptions))));
	afterAll(async () => {
		const { n8n, service } = field;
		if (n8n instanceof N8n) await n8n.stop();
		else await field.close();
		await service.close();
	});
	return field;
}

/** A field in the shared n8n whose service is as after its start before each test; what a test saves goes with it. */
export function useScene(options?: ServiceOptions): Field {
	const field = useField(sharedN8n, undefined, options);
	// With a key that the service has after its start.
	beforeAll(async () => (field.credentials = await accountOf(field.n8n, field.service)));
	beforeEach(() => field.service.reset());
	afterEach(async () => await field.clear());
	return field;
}
