import { isEqual } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import { connect, credentialName, type Client } from '../../api/client';
import { limitConcurrency, type Limit } from '../../api/concurrency';
import { refusal } from '../../api/failure';
import type { WriteOperation } from '../writes/write';
import { Writer } from '../writes/writer';
import { Report } from './report';
import { isToolRun } from './toolRun';

/** Rows that go out, and uploads of all rows together, at the same time. */
export const CONCURRENCY = 5;

/** What all rows of one run share. */
export class Run {
	/** When it began, in ms. */
	readonly now = Date.now();
	readonly report: Report;
	readonly uploadLimit: Limit = limitConcurrency(CONCURRENCY);
	readonly shared = new Map<string, unknown>();
	/** As it is for the first item. */
	private credential?: Promise<unknown>;

	private constructor(
		readonly n8n: IExecuteFunctions,
		readonly client: Client,
		/** Left out: the operation writes nothing. */
		readonly writer: Writer | undefined,
	) {
		this.report = new Report(n8n, client, writer);
	}

	/** @throws Failure where the credential is wrong */
	static async open(n8n: IExecuteFunctions, operation: WriteOperation): Promise<Run> {
		const client = await connect(n8n);
		const writes = operation.method !== 'GET';
		return new Run(
			n8n,
			client,
			writes ? await Writer.open(n8n, client, operation, isToolRun(n8n)) : undefined,
		);
	}

	/** How many rows there are: n8n hands a tool its parameters, but no item. */
	get count(): number {
		return this.n8n.getInputData().length || (isToolRun(this.n8n) ? 1 : 0);
	}

	/**
	 * n8n sends all requests with what the credential is for the first item: an expression in it may give a row another key,
	 * or another workspace. @throws Failure of such a row
	 */
	async refuseOtherCredential(index: number): Promise<void> {
		if (index === 0) return;
		this.credential ??= this.n8n.getCredentials(credentialName, 0);
		if (isEqual(await this.credential, await this.n8n.getCredentials(credentialName, index))) return;
		throw refusal(
			'CREDENTIAL_DIFFERS',
			'An expression in the credential gives this row a different value than the first row, and n8n would use that of the first row for all',
			'For several workspaces, set Options → Workspace instead. For several keys, send one item at a time, with a Loop Over Items node.',
		);
	}
}
