import type { IDataObject } from 'n8n-workflow';

import { checkedWorkspace } from '../../api/address';
import type { Answer } from '../../api/answers';
import type { ApiRequest, Client } from '../../api/client';
import type { PostFormat } from '../../api/contract';
import type { RetryBudget } from '../../api/pace';
import type { Listed, ListOptions } from '../../api/pages';
import { Uploads } from '../media/uploads';
import { timeZoneOf } from '../../shared/timeZone';
import { ownIdWarnings, ownKeyOf, type KeyMode } from '../writes/key';
import type { WriteItem } from '../writes/write';
import type { Writer } from '../writes/writer';
import { apiFieldsOf, type CommonOptions } from './options';
import type { Run } from './run';
import { isToolRun } from './toolRun';

const DEFAULT_MAX_RETRY_WAIT_S = 60;

export type ReadRequest = Pick<ApiRequest, 'path' | 'qs' | 'workspaceId' | 'expects'>;

export type ListRequest = ReadRequest & ListOptions;

/** How long to wait for what only makes the output easier to read, and may be missing. */
export const aside: RetryBudget = { withinMs: 5_000 };

/** Says that a list isn't all. */
export function hintOfMore({ hint }: Pick<Item, 'hint'>, { records, hasMore }: Listed): void {
	if (hasMore)
		hint(
			`The service says that it has more than these ${records.length} results, in a form that this node doesn't follow`,
		);
}

/** What a pure `request` may need to know of the run. */
export type RequestContext = Pick<Item, 'postFormat' | 'apiUrl' | 'zone' | 'now' | 'hint'>;

/** One input item's way to the service: workspace, rate limit, retries and idempotency keys are handled. */
export class Item implements WriteItem {
	readonly postFormat: PostFormat;
	/** Address of the service, with its API path. */
	readonly apiUrl: string;
	/** The workflow's time zone, an IANA name. */
	readonly zone: string;
	/** When the run began, in ms. */
	readonly now: number;
	readonly maxWaitMs: number;
	readonly isPreview: boolean;
	readonly keyMode: KeyMode;
	readonly ownId?: string;
	/** Those for every request. */
	readonly apiFields: IDataObject;
	readonly workspaceId: string;
	readonly continueOnFail: boolean;
	/** Whether a model reads the result. */
	readonly isOfTool: boolean;
	/** Of operations that write. */
	readonly writer: Writer;
	readonly uploads: Uploads;

	/** @throws Failure where an option can't be used */
	constructor(
		private readonly run: Run,
		readonly index: number,
		readonly options: CommonOptions,
	) {
		const { n8n, client, now } = run;
		this.postFormat = client.address.postFormat;
		this.apiUrl = client.address.apiUrl;
		this.zone = timeZoneOf(n8n);
		this.now = now;
		this.continueOnFail = n8n.continueOnFail();
		this.isOfTool = isToolRun(n8n);
		this.maxWaitMs = (options.maxRetryWait ?? DEFAULT_MAX_RETRY_WAIT_S) * 1000;
		this.isPreview = (options.preview ?? 'off') !== 'off';
		const { mode = 'execution', id = '' } = options.avoidDuplicates?.by ?? {};
		this.keyMode = mode;
		if (mode === 'custom') this.ownId = ownKeyOf(id) && id;
		this.apiFields = apiFieldsOf(options, '', this.hint);
		for (const warning of ownIdWarnings(this.ownId)) this.hint(warning);
		// Before any row is sent.
		this.workspaceId = options.workspaceId
			? checkedWorkspace(options.workspaceId, "'Workspace'")
			: checkedWorkspace(client.address.workspaceId);
		this.writer = run.writer!;
		this.uploads = new Uploads(this, n8n, client.pace, run.uploadLimit);
	}

	async get(request: ReadRequest, budget: RetryBudget = this.maxWaitMs): Promise<Answer> {
		return await this.run.client.send({ ...this.read, ...request }, budget);
	}

	async list(request: ListRequest, budget: RetryBudget = this.maxWaitMs): Promise<Listed> {
		return await this.run.client.list({ ...this.read, ...request }, budget);
	}

	private get read() {
		return { method: 'GET', workspaceId: this.options.workspaceId } as const;
	}

	/** What all items of the run share, made once. */
	shared<T>(name: string, make: (client: Client) => T): T {
		const { shared, client } = this.run;
		if (!shared.has(name)) shared.set(name, make(client));
		return shared.get(name) as T;
	}

	/** What `read` makes of a list that only makes the output easier to read: asked for, and read, once a run. */
	async listAside<T>(request: ListRequest, read: (listed: Listed) => T): Promise<T | undefined> {
		const make = async () => read(await this.list(request, aside));
		return await this.once(`aside ${request.path}`, make).catch(() => undefined);
	}

	/** What is asked for once a run and workspace, such as a list; a failure is remembered, too. */
	async once<T>(name: string, make: () => Promise<T>): Promise<T> {
		return await this.shared(`${name} ${this.workspaceId}`, make);
	}

	/** Says something at the node after the run, once; a warning is of the item's post. */
	readonly hint = (message: string, type: 'info' | 'warning' = 'warning'): void =>
		this.run.report.hint(message, type, type === 'info' ? undefined : this.index);
}
