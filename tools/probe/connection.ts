import { setTimeout as sleep } from 'node:timers/promises';
import mapValues from 'lodash/mapValues';
import type { IDataObject } from 'n8n-workflow';

import { readAddress, readApiKey } from '../../nodes/api/address';
import { type Answer, readAnswer } from '../../nodes/api/answers';
import { headers, listNames } from '../../nodes/api/contract';
import { Failure } from '../../nodes/api/failure';
import { type Listed, readList } from '../../nodes/api/pages';

export interface Request {
	qs?: IDataObject;
	body?: IDataObject;
	/** Another path of the API than the one that was given. */
	apiUrl?: string;
	withoutWorkspace?: boolean;
}

const TIMEOUT_MS = 30_000;
const LONGEST_WAIT_S = 60;
const PAUSE_MS = 500;

/** The service, read as the package reads it; the key goes to its own address alone. */
export class Connection {
	readonly apiUrl: string;
	private readonly workspaceId: string;
	private readonly key: string;

	constructor(given: { url: string; key: string; workspace?: string; apiPath?: string }) {
		const { url: baseUrl, workspace: workspaceId = '', apiPath = '/api/public/v1' } = given;
		const address = readAddress({ baseUrl, workspaceId, apiPath });
		this.apiUrl = address.apiUrl;
		this.workspaceId = String(address.workspaceId ?? '');
		this.key = readApiKey(given.key);
	}

	/** Hides the key wherever the service repeats it. */
	readonly withoutKey = (text: string): string => text.split(this.key).join('[key]');

	/** @throws Failure as the package has it; only reads are asked again */
	async ask(method: string, path: string, request: Request = {}): Promise<Answer> {
		const { apiUrl = this.apiUrl, qs = {}, body, withoutWorkspace } = request;
		const query = new URLSearchParams(mapValues(qs, String));
		const workspace = path === '/workspaces' || withoutWorkspace ? '' : this.workspaceId;
		for (let tries = 1; ; tries++) {
			const response = await fetch(`${apiUrl}${path}${query.size > 0 ? `?${query}` : ''}`, {
				method,
				redirect: 'manual',
				signal: AbortSignal.timeout(TIMEOUT_MS),
				headers: {
					authorization: `Bearer ${this.key}`,
					...(workspace ? { [headers.workspace]: workspace } : {}),
					...(method === 'GET' ? {} : { [headers.idempotencyKey]: `probe-${crypto.randomUUID()}` }),
					...(body ? { 'content-type': 'application/json' } : {}),
				},
				body: body && JSON.stringify(body),
			});
			const text = await response.text();
			const seconds = Number(response.headers.get('retry-after') ?? 5);
			if (method === 'GET' && response.status === 429 && tries < 4 && seconds <= LONGEST_WAIT_S) {
				await sleep(seconds * 1_000 + PAUSE_MS);
				continue;
			}
			const answer = readAnswer(
				{
					statusCode: response.status,
					headers: Object.fromEntries(response.headers),
					body: json(text),
				} as never,
				{},
				apiUrl,
				{ method },
			);
			if (answer instanceof Failure) throw answer;
			return answer;
		}
	}

	/** A list with its pages, and its first answer as it came. */
	async list(path: string, name: keyof typeof listNames, qs: IDataObject = {}) {
		let first: Answer | undefined;
		const ask = async (next: { path?: string; qs?: IDataObject }): Promise<Answer> => {
			const answer = await this.ask('GET', next.path ?? path, { qs: { ...qs, ...next.qs } });
			first ??= answer;
			return answer;
		};
		const listed: Listed = await readList(ask, this.apiUrl, { listNames: listNames[name], most: 200 });
		return { ...listed, data: first?.data };
	}
}

function json(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
