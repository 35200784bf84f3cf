import type { IDataObject } from 'n8n-workflow';

import { checkedWorkspace } from '../../api/address';
import type { Answer } from '../../api/answers';
import type { ApiRequest, Client } from '../../api/client';
import type { PostFormat } from '../../api/contract';
import type { RetryBudget } from '../../api/pace';
import type { Listed, ListOptions } from '../../api/pages';
import { Uploads } from '../media/uploads';
import { timeZoneOf } from '../../shared/timeZone';
import { customKey, keyWarnings, type KeyMode } from '../writes/key';
import type { SentWrite, Write, Writer, WriteItem } from '../writes/write';
import { apiFieldsOf, type CommonOptions } from './options';
import { isToolRun, type Run } from './run';

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
	/** Those for every request. */
	readonly apiFields: IDataObject;
	readonly ownKey?: string;
	readonly workspaceId: string;
	readonly continueOnFail: boolean;
	/** Of operations that write. */
	readonly writer: Writer;
	readonly uploads: Uploads;

	constructor(
		private readonly run: Run,
		readonly index: number,
		readonly options: CommonOptions,
	) {
		const { address } = run.client;
		this.postFormat = address.postFormat;
		this.apiUrl = address.apiUrl;
		this.zone = timeZoneOf(run.n8n);
		this.now = run.now;
		this.maxWaitMs = (options.maxRetryWait ?? DEFAULT_MAX_RETRY_WAIT_S) * 1000;
		this.isPreview = (options.preview ?? 'off') !== 'off';
		const { mode = 'execution', id = '' } = options.avoidDuplicates?.by ?? {};
		this.keyMode = mode;
		if (mode === 'custom') this.ownKey = customKey(id);
		this.apiFields = apiFieldsOf(options, '', this.hint);
		for (const warning of keyWarnings(this.ownKey)) this.hint(warning);
		// Before any row is sent.
		if (options.workspaceId) checkedWorkspace(options.workspaceId, "'Workspace'");
		this.workspaceId = options.workspaceId || address.workspaceId;
		this.continueOnFail = run.n8n.continueOnFail();
		this.writer = run.writer!;
		this.uploads = new Uploads(this, run.n8n, run.client.pace, {
			limit: async (task) => await run.uploadLimit(task),
			// Of a call or a later run, a file has another place, or another signed link.
			isByContent: this.keyMode !== 'execution' || run.writer?.isByContent === true,
		});
	}

	/** Whether a model reads the result. */
	get isOfTool(): boolean {
		return isToolRun(this.run.n8n);
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
	shared<T>(name: string, make: (client: Client, aborted: AbortSignal) => T): T {
		const { shared, client, aborted } = this.run;
		if (!shared.has(name)) shared.set(name, make(client, aborted.signal));
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

	/** Sends a write, or gives back what an earlier try of the execution sent; with `idempotency_key` and `request_id`. */
	async write(write: Write): Promise<SentWrite> {
		return await this.writer.send(this, write);
	}

	/** What an earlier try of the execution uploaded from a place, by its name. */
	uploaded(place: string): IDataObject | undefined {
		return this.writer.uploaded(this, place);
	}

	/** Says something at the node after the run, once; a warning is of the item's post. */
	readonly hint = (message: string, type: 'info' | 'warning' = 'warning'): void =>
		this.run.report.hint(message, type, type === 'info' ? undefined : this.index);
}
