import { map, omitBy } from 'lodash';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { findChromium } from './chromium';
import { postgres, redis } from './queue';

/** What some tests need beside n8n. Without it they are skipped with a printed line; with CI=true that is a failure. */

/** Each with how somebody gets it. */
const needs = {
	browser: 'a Chromium or Chrome (CHROMIUM_PATH says where)',
	postgres: `PostgreSQL on ${postgres.host}:${postgres.port} (user ${postgres.user}, no password)`,
	redis: `Redis on ${redis.host}:${redis.port}`,
};

/** Where `lookForNeeds` leaves its finding for the test files, which must decide without waiting. */
const finding = 'SOCIAL_PUBLISHING_MISSING';

/** Looks once, before all tests (jest's global set-up), and prints what it found. */
export async function lookForNeeds(): Promise<void> {
	const found = {
		browser: (await findChromium())?.executablePath,
		postgres: await listening(postgres),
		redis: await listening(redis),
	};
	const lines = map(found, (what, need) => `  ${need}: ${what ?? 'not found, its tests are skipped'}`);
	console.log(['What some end-to-end tests need:', ...lines].join('\n'));
	process.env[finding] = Object.keys(omitBy(found, Boolean)).join();
}

/** `test` where all that it needs is there: `requiring('browser')('shows …', async () => { … })`. */
export function requiring(...wanted: Array<keyof typeof needs>): jest.It {
	const missing = (process.env[finding] ?? '').split(',');
	const absent = wanted.filter((need) => missing.includes(need)).map((need) => needs[need]);
	if (absent.length === 0) return test;
	const why = `it needs ${absent.join(' and ')}`;
	if (process.env.CI === 'true') throw new Error(`A test cannot run: ${why}`);
	return ((name: string, ...rest: [jest.ProvidesCallback, number?]) => {
		process.stderr.write(`Skipped "${name}": ${why}\n`);
		test.skip(name, ...rest);
	}) as jest.It;
}

async function listening({ host, port }: { host: string; port: number }): Promise<string | undefined> {
	const socket = createConnection({ host, port });
	try {
		await once(socket, 'connect');
		return `${host}:${port}`;
	} catch {
		return undefined;
	} finally {
		socket.destroy();
	}
}
