import { type N8nAddress, N8nClient } from '../n8n/client';
import { accountOf } from '../n8n/examples';
import { N8n, type N8nOptions, startN8n } from '../n8n/instance';
import { wantedRelease } from '../n8n/releases';
import { type Service, startService } from '../service';
import type { ServiceOptions } from '../service/types';
import { Field } from '../support/e2e/field';
import type { Workflow } from '../support/e2e/flow';
import { useService } from '../support/store';

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

export interface Scene {
	n8n: N8nClient;
	service: Service;
	/** A credential for the service, as `createWorkflow` takes it. */
	account: { socialPublishingApi: string };
	/** Saves a workflow that goes with the test, or the block, that saves it; its ID. */
	save(workflow: Workflow, credentials?: Record<string, string>): Promise<string>;
}

/** The shared n8n and a service for all tests of a block; before each the service is as after its start. */
export function useScene(options: ServiceOptions = {}): Scene {
	const saved: string[] = [];
	let ofBlock: number | undefined;
	const remove = async (ids: string[]) => {
		for (const id of ids.reverse()) await scene.n8n.deleteWorkflow(id);
	};
	const scene = {
		async save(workflow, credentials = scene.account) {
			const id = await scene.n8n.createWorkflow(workflow, credentials);
			saved.push(id);
			return id;
		},
	} as Scene;
	// Before the service goes.
	afterAll(async () => await remove(saved));
	const service = useService(options);
	beforeAll(async () => {
		const n8n = await sharedN8n();
		Object.assign(scene, { n8n, service: service(), account: await accountOf(n8n, service()) });
	});
	beforeEach(() => void (ofBlock ??= saved.length));
	afterEach(async () => await remove(saved.splice(ofBlock ?? 0)));
	return scene;
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

/** A field for the tests of a file, with a service of its own. */
export function useField<N extends N8nClient>(
	n8nOf: () => Promise<N>,
	options?: Record<string, unknown>,
	serviceOptions?: ServiceOptions,
): Field<N> {
	const field = Object.create(Field.prototype) as Field<N>;
	beforeAll(async () => {
		Object.assign(field, await Field.set(await n8nOf(), await startService(serviceOptions), options));
	});
	afterAll(async () => {
		const { n8n, service } = field;
		if (n8n instanceof N8n) await n8n.stop();
		else await field.close();
		await service.close();
	});
	return field;
}
