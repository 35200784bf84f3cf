import omitBy from 'lodash/omitBy';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { postgres, redis } from './queue';

/** What some tests need beside n8n. Without it they are skipped with a printed line; with CI=true that is a failure. */

const browsers = [
	process.env.CHROMIUM_PATH ?? '',
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const browserPath = (): string | undefined => browsers.find((path) => path && existsSync(path));

/** Each with how somebody gets it. */
const needs = {
	browser: 'a Chromium (`apt-get install chromium`, or CHROMIUM_PATH)',
	postgres: `PostgreSQL on ${postgres.host}:${postgres.port} (user ${postgres.user}, no password)`,
	redis: `Redis on ${redis.host}:${redis.port}`,
};

/** Where `lookForNeeds` leaves its finding for the test files, which must decide without waiting. */
const finding = 'SOCIAL_PUBLISHING_MISSING';

/** Looks once, before all tests (jest's global set-up). */
export async function lookForNeeds(): Promise<void> {
	const there = {
		browser: browserPath() !== undefined,
		postgres: await listens(postgres),
		redis: await listens(redis),
	};
	process.env[finding] = Object.keys(omitBy(there, Boolean)).join();
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

async function listens({ host, port }: { host: string; port: number }): Promise<boolean> {
	const socket = createConnection({ host, port });
	return await once(socket, 'connect').then(
		() => Boolean(socket.destroy()),
		() => false,
	);
}
