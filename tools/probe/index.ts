import { parseArgs } from 'node:util';
import { attempt, mapValues } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { authenticated, readAddress, readApiKey } from '../../nodes/api/address';
import { Client, type Transport } from '../../nodes/api/client';
import { toFailure } from '../../nodes/api/failure';
import { isRecord, listIn } from '../../nodes/api/lists';
import { Pace } from '../../nodes/api/pace';
import { readAccounts, readDelivery, readPost, readSubscription } from '../../nodes/api/records';
import { redactor } from '../../nodes/api/redaction';

const HELP = `npm run probe -- --url https://… [options]

Asks a service what docs/spec-gaps.md assumes. Only reads; prints no name, text or ID of the service.

  --url URL          address of the service
  --key KEY          API key; better in the environment, as SOCIAL_PUBLISHING_API_KEY
  --workspace ID
  --api-path PATH    /api/public/v1 (default) or /v1`;

interface Given {
	url: string;
	key: string;
	workspace?: string;
	apiPath?: string;
}

type Records = IDataObject[];

/** Whether an answer is as assumed; undefined: it has nothing that says. */
type Expected = (data: unknown) => boolean | undefined;

/** Of a list: undefined without records, which could be in any form. */
const each =
	(isAsAssumed: (record: Records[number], all: Records) => boolean): Expected =>
	(data) => {
		const list = listIn(data) as Records | undefined;
		return list?.length === 0 ? undefined : list?.every((one) => isAsAssumed(one, list));
	};

const hasId = each(({ id }) => id !== undefined);

/** Number in docs/spec-gaps.md, what is asked for, what is expected; `:webhook` and `:post` are the first listed ones. */
export const rows: ReadonlyArray<readonly [number: string, path: string, Expected]> = [
	[
		'1',
		'/posts?status=scheduled',
		each((one) => Boolean(readPost(one).dueAt && readPost(one).platforms.length > 0)),
	],
	['2', '/approvals', each(isRecord)],
	['3', '/webhooks', each((one) => Boolean(readSubscription(one).id && readSubscription(one).url))],
	['4', '/webhooks/:webhook/deliveries', each((one) => readDelivery(one).eventId !== undefined)],
	['5', '/analytics/insights', each(({ impact }) => ['high', 'medium'].includes(String(impact)))],
	[
		'6',
		'/posts/:post/analytics?granularity=weekly',
		(data) => isRecord(data) && Array.isArray(data.weekly_series),
	],
	['7', '/social-connections', hasId],
	['8', '/posts', each((one) => readPost(one).status !== 'unknown')],
	['13', '/workspaces', hasId],
	['14', '/accounts', each((_one, all) => readAccounts(all).length === all.length)],
	['20', '/social-connections', each(isRecord)],
	['21', '/usage', isRecord],
	['22', '/webhooks', (data) => listIn(data) !== undefined],
	['23', '/webhooks/:webhook/deliveries', (data) => listIn(data) !== undefined],
	['24', '/analytics', (data) => isRecord(data) && isRecord(data.by_platform)],
	['25', '/inbox', each(({ id, text }) => id !== undefined && typeof text === 'string')],
];

/** The service, asked as the package asks it; the key goes to its own address alone. */
function clientOf({ url: baseUrl, workspace: workspaceId = '', apiPath, key: apiKey }: Given): Client {
	const credential = { baseUrl, workspaceId, apiPath: apiPath ?? '/api/public/v1', apiKey };
	const send: Transport = async (options) => {
		const { method, url, qs, headers, abortSignal } = authenticated(credential, options);
		const query = new URLSearchParams(mapValues(qs ?? {}, String));
		const response = await fetch(`${url}${query.size > 0 ? `?${query}` : ''}`, {
			...{ method, redirect: 'manual', signal: abortSignal as AbortSignal },
			headers: headers as Record<string, string>,
		});
		const text = await response.text();
		const parsed: unknown = attempt(JSON.parse, text);
		return {
			...{ statusCode: response.status, headers: Object.fromEntries(response.headers) },
			body: (parsed instanceof Error ? text : parsed) as never,
		};
	};
	return new Client(send, readAddress(credential), new Pace(), redactor([readApiKey(apiKey)]));
}

/** @returns by row: `as assumed`, `differs`, or `not seen` and why */
export async function probe(given: Given): Promise<Array<{ row: string; path: string; verdict: string }>> {
	const client = clientOf(given);
	const ask = async (path: string): Promise<unknown> => {
		const [name = '', query] = path.split('?');
		const qs = Object.fromEntries(new URLSearchParams(query));
		const workspace = name === '/workspaces' ? { workspaceId: null } : {};
		return (await client.send({ method: 'GET', path: name, qs, ...workspace }, 60_000)).data;
	};
	const firstId = async (path: string): Promise<string> => {
		const [first] = (listIn(await ask(path).catch(() => [])) ?? []) as Records;
		return String(first?.id ?? '');
	};
	const ids = { ':webhook': await firstId('/webhooks'), ':post': await firstId('/posts?status=completed') };
	const verdictOf = async (path: string, expected: Expected): Promise<string> => {
		const [name = '', id] = Object.entries(ids).find(([one]) => path.includes(one)) ?? [];
		if (id === '') return 'not seen: there are none';
		try {
			const isAsAssumed = expected(await ask(path.replace(name, encodeURIComponent(id ?? ''))));
			return isAsAssumed === undefined ? 'not seen: there are none' : isAsAssumed ? 'as assumed' : 'differs';
		} catch (error) {
			const { status } = toFailure(error).details;
			return `not seen: ${status ? `HTTP ${status}` : 'no answer'}`;
		}
	};
	const found = [];
	for (const [row, path, expected] of rows)
		found.push({ row, path, verdict: await verdictOf(path, expected) });
	return found;
}

async function main(): Promise<void> {
	const text = { type: 'string' } as const;
	const options = {
		url: text,
		key: text,
		workspace: text,
		'api-path': text,
		help: { type: 'boolean' },
	} as const;
	const { values } = parseArgs({ options });
	const { url, key = process.env.SOCIAL_PUBLISHING_API_KEY, workspace, 'api-path': apiPath } = values;
	if (values.help || !url || !key) {
		console.log(HELP);
		process.exitCode = values.help ? 0 : 2;
		return;
	}
	for (const { row, path, verdict } of await probe({ url, key, workspace, apiPath }))
		console.log(`${row.padStart(3)}  GET ${path.padEnd(44)}  ${verdict}`);
}

if (require.main === module)
	main().catch(() => {
		// The message may quote what was typed, such as the key.
		console.error('The probe failed: check --url and --key.');
		process.exitCode = 1;
	});
