import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { N8nHost } from './install';

/** What queue mode needs around n8n: a database of its own, a part of Redis, and one address for several webhook processors. */

export const postgres = { host: '127.0.0.1', port: 5432, user: 'postgres' };
export const redis = { host: '127.0.0.1', port: 6379 };

const prefix = 'n8n_social_';

/** n8n brings the client libraries along; the package needs none of them. */
const fromHost = (host: N8nHost, name: string) => createRequire(join(host.n8nFolder, 'package.json'))(name);

async function withPostgres<T>(
	host: N8nHost,
	use: (query: (sql: string) => Promise<any[]>) => Promise<T>,
): Promise<T> {
	const { Client } = fromHost(host, 'pg');
	const client = new Client({ ...postgres, database: 'postgres', password: '' });
	await client.connect();
	try {
		return await use(async (sql) => (await client.query(sql)).rows);
	} finally {
		await client.end();
	}
}

/** A fresh database; those that runs before left behind when they were killed are dropped. */
export async function createDatabase(host: N8nHost): Promise<string> {
	const name = `${prefix}${process.pid}_${randomBytes(3).toString('hex')}`;
	const all = `SELECT datname FROM pg_database WHERE datname LIKE '${prefix}%'`;
	for (const { datname } of await withPostgres(host, async (query) => await query(all)))
		if (!isAlive(parseInt(datname.slice(prefix.length)))) await dropDatabase(host, datname);
	await withPostgres(host, async (query) => await query(`CREATE DATABASE "${name}"`));
	return name;
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

/** Also what its n8n left in Redis: all keys there have the database's name. */
export async function dropDatabase(host: N8nHost, name: string): Promise<void> {
	await withPostgres(host, async (query) => await query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
	const Redis = fromHost(host, 'ioredis');
	const client = new Redis(redis);
	const keys: string[] = await client.keys(`*${name}*`);
	if (keys.length > 0) await client.del(...keys);
	client.disconnect();
}

export interface Listener {
	close(): Promise<void>;
}

export async function listenAt(port: number, take: (client: Socket) => void): Promise<Listener> {
	const sockets = new Set<Socket>();
	const server = createServer((client) => {
		sockets.add(client);
		client.on('error', () => client.destroy());
		client.once('close', () => sockets.delete(client));
		take(client);
	});
	await once(server.listen(port, '127.0.0.1'), 'listening');
	return {
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Spreads connections over the webhook processors, as the load balancer before them does; passes by one that is down. */
export async function startBalancer(port: number, targets: number[]): Promise<Listener> {
	let next = 0;
	const forward = (client: Socket, triesLeft: number): void => {
		const upstream = createConnection({ host: '127.0.0.1', port: targets[next++ % targets.length]! });
		let connected = false;
		upstream.once('connect', () => {
			connected = true;
			client.pipe(upstream).pipe(client);
		});
		upstream.once('error', () => {
			if (!connected && triesLeft > 1) forward(client, triesLeft - 1);
			else client.destroy();
		});
		upstream.once('close', () => connected && client.destroy());
		client.once('close', () => upstream.destroy());
	};
	return await listenAt(port, (client) => forward(client, targets.length));
}
