import { attempt, mapValues } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { authenticated, readAddress, readApiKey } from '../../nodes/api/address';
import type { Answer } from '../../nodes/api/answers';
import { Client, type ApiRequest, type Transport } from '../../nodes/api/client';
import { Pace } from '../../nodes/api/pace';
import { type ListOptions, type NextPage, readList } from '../../nodes/api/pages';
import { redactor, type Redact } from '../../nodes/api/redaction';

type Request = Pick<ApiRequest, 'qs' | 'workspaceId'> & { body?: IDataObject };
interface Given {
	url: string;
	key: string;
	workspace?: string;
	apiPath?: string;
	headers?: Record<string, string>;
}

/** A list of the service, and its names in an answer. */
export type ProbedList = Pick<ListOptions, 'listNames'> & { path: string };

const READ_WITHIN_MS = 60_000;
const MOST_RECORDS = 200;

/** The service, asked as the package asks it; the key goes to its own address alone. */
export class Connection {
	readonly apiUrl: string;
	/** Hides the key wherever the service repeats it. */
	readonly withoutKey: Redact;
	private readonly client: Client;

	constructor(private readonly given: Given) {
		const { url: baseUrl, workspace: workspaceId = '', apiPath = '/api/public/v1', key: apiKey } = given;
		const credential = { baseUrl, workspaceId, apiPath, apiKey };
		const address = readAddress(credential);
		this.apiUrl = address.apiUrl;
		this.withoutKey = redactor([readApiKey(apiKey)]);
		const send: Transport = async (options) => {
			const { method, url, qs, headers, body, abortSignal } = authenticated(credential, options);
			const query = new URLSearchParams(mapValues(qs ?? {}, String));
			const response = await fetch(`${url}${query.size > 0 ? `?${query}` : ''}`, {
				...{ method, redirect: 'manual', signal: abortSignal as AbortSignal },
				headers: { ...(headers as Record<string, string>), ...given.headers },
				body: body ? JSON.stringify(body) : undefined,
			});
			const text = await response.text();
			const parsed = attempt(JSON.parse, text) as IDataObject | Error;
			return {
				statusCode: response.status,
				headers: Object.fromEntries(response.headers),
				body: parsed instanceof Error ? text : parsed,
			};
		};
		this.client = new Client(send, address, new Pace(), this.withoutKey);
	}

	as(more: Partial<Given>): Connection {
		return new Connection({ ...this.given, ...more });
	}

	/** @throws Failure as the package has it; only reads are asked again */
	async ask(method: 'GET' | 'POST' | 'DELETE', path: string, request: Request = {}): Promise<Answer> {
		const isRead = method === 'GET';
		const once = isRead ? {} : { idempotencyKey: `probe-${crypto.randomUUID()}` };
		const asked = { ...(path === '/workspaces' ? { workspaceId: null } : {}), ...request, ...once };
		return await this.client.send({ method, path, ...asked }, isRead ? READ_WITHIN_MS : 0);
	}

	/** A list with its pages, and its first answer as it came. */
	async list({ path, listNames }: ProbedList, qs: IDataObject = {}) {
		let first: Answer | undefined;
		const ask = async (next: NextPage): Promise<Answer> => {
			const answer = await this.ask('GET', next.path ?? path, { qs: { ...qs, ...next.qs } });
			first ??= answer;
			return answer;
		};
		const listed = await readList(ask, this.apiUrl, { listNames, most: MOST_RECORDS });
		return { ...listed, data: first?.data };
	}
}
