import { isEqual } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import { connect, credentialName, type Client } from '../../api/client';
import { limitConcurrency, type Limit } from '../../api/concurrency';
import { Failure, isFailure, redacted, refusal, type Outcome } from '../../api/failure';
import { Writer, type WriteOperation } from '../writes/write';
import { Report, type Words } from './report';

/** Items, and uploads of all items together, at the same time. */
const CONCURRENCY = 5;

/** Whether n8n runs the node as a model's tool. */
export const isToolRun = (n8n: IExecuteFunctions): boolean =>
	n8n.isToolExecution?.() || n8n.getNode().type.endsWith('Tool');

/** What all items of one run share. */
export class Run {
	/** When it began, in ms. */
	readonly now = Date.now();
	readonly report: Report;
	/** It has failed, and the others' results would be dropped. */
	readonly aborted = new AbortController();
	limit: Limit = limitConcurrency(CONCURRENCY);
	readonly uploadLimit: Limit = limitConcurrency(CONCURRENCY);
	readonly shared = new Map<string, unknown>();
	/** As it is for the first item. */
	private credential?: Promise<unknown>;

	private constructor(
		readonly n8n: IExecuteFunctions,
		readonly client: Client,
		/** Left out: the operation writes nothing. */
		readonly writer: Writer | undefined,
		private readonly words: Words,
	) {
		this.report = new Report(n8n, client, writer, words);
	}

	/** @throws Failure where the credential is wrong */
	static async open(n8n: IExecuteFunctions, operation: WriteOperation, words: Words): Promise<Run> {
		const client = await connect(n8n);
		const writes = operation.method !== 'GET';
		const writer = writes ? await Writer.open(n8n, client, operation, isToolRun(n8n)) : undefined;
		return new Run(n8n, client, writer, words);
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
			"For several workspaces, set 'Workspace' in the node's options instead. For several keys, send one item at a time, with a Loop Over Items node.",
		);
	}

	/** One row after another. */
	sendInOrder(): void {
		this.limit = limitConcurrency(1);
	}

	/** A round has ended: a run by hand that failed is remembered, see `manualRerun.ts`. */
	endRound(outcomes: Outcome[]): void {
		const failures = outcomes.filter(isFailure);
		const unpublished = new Map(
			failures.map((one) => [one.details.idempotency_key ?? '', this.words.unpublished(one)]),
		);
		this.writer?.endRound(failures.length > 0, unpublished);
	}

	/** A failure without the API key: n8n's own words for it, or a parameter in it, may hold it. */
	withoutKey<T extends Outcome>(outcome: T): T {
		return (outcome instanceof Failure ? redacted(outcome, this.client.redact) : outcome) as T;
	}
}
