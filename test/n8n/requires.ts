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

const present = {
	browser: async () => browserPath() !== undefined,
	postgres: async () => await listens(postgres.host, postgres.port),
	redis: async () => await listens(redis.host, redis.port),
};

const help = {
	browser: 'a Chromium (`apt-get install chromium`, or CHROMIUM_PATH)',
	postgres: `PostgreSQL on ${postgres.host}:${postgres.port} (user ${postgres.user}, no password)`,
	redis: `Redis on ${redis.host}:${redis.port}`,
};

type Need = keyof typeof present;

/** Where `lookForNeeds` leaves its finding for the test files, which must decide without waiting. */
const finding = 'SOCIAL_PUBLISHING_MISSING';

/** Looks once, before all tests (jest's global set-up). */
export async function lookForNeeds(): Promise<void> {
	const needs = Object.keys(present) as Need[];
	const found = await Promise.all(needs.map(async (need) => await present[need]()));
	process.env[finding] = needs.filter((_, i) => !found[i]).join(',');
}

/** `test` where all `needs` are there: `requiring('browser')('shows …', async () => { … })`. */
export function requiring(...needs: Need[]): jest.It {
	const missing = (process.env[finding] ?? '').split(',');
	const absent = needs.filter((need) => missing.includes(need)).map((need) => help[need]);
	if (absent.length === 0) return test;
	const why = `it needs ${absent.join(' and ')}`;
	if (process.env.CI === 'true') throw new Error(`A test cannot run: ${why}`);
	const { skip } = test;
	return ((name: string, ...rest: [jest.ProvidesCallback, number?]) => {
		process.stderr.write(`Skipped "${name}": ${why}\n`);
		skip(name, ...rest);
	}) as jest.It;
}

async function listens(host: string, port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = createConnection({ host, port, timeout: 2000 });
		const end = (answer: boolean) => {
			socket.destroy();
			resolve(answer);
		};
		socket.once('connect', () => end(true));
		socket.once('timeout', () => end(false));
		socket.once('error', () => end(false));
	});
}
