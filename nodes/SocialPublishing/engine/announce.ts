import type { IDataObject } from 'n8n-workflow';

import type { Row } from './checkRows';
import type { PostFormat } from '../../api/contract';
import type { Operation } from './operation';
import type { RunContext } from './runContext';

/** A shorter wait is not worth a word, in ms. */
const NOTICEABLE = 10_000;

/**
 * Logs how long the run will take as soon as an answer of the service has told the limit; nothing where there is next to no
 * wait. What an earlier try has sent is not counted.
 * @returns says at the node, after the run, why it took so long
 */
export async function announceDuration(
	run: RunContext,
	operation: Operation,
	rows: Row[],
): Promise<() => void> {
	let explain = (): void => undefined;
	const client = await run.client.catch(() => undefined);
	if (!client) return explain;
	const { limiter, address } = client;
	const kind = operation.method === 'GET' ? 'read' : 'write';
	const count = rows
		.filter(({ failure, params }) => !failure && params)
		.reduce((sum, { params }) => sum + countOf(operation, params!, address.postFormat), 0);
	limiter.whenKnown(kind, () => {
		// The one that was answered is done.
		const left = count - run.replayedCount - 1;
		const ms = limiter.estimate(kind, left) ?? 0;
		if (ms < NOTICEABLE) return;
		const requests = left + 1;
		const limit = limiter.limitOf(kind);
		const { context } = run;
		context.logger.info(
			`${context.getNode().name}: ${requests} requests, ${limit} a minute allowed: about ${inWords(ms)}`,
		);
		explain = () => {
			const took = inWords(limiter.now() - run.now);
			const message = `${requests} requests took ${took} because your plan allows ${limit} a minute.`;
			context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
		};
	});
	return () => explain();
}

/** A wrong list of files is told where the item is worked on. */
function countOf({ countRequests }: Operation, params: IDataObject, postFormat: PostFormat): number {
	try {
		return countRequests?.(params as never, postFormat) ?? 1;
	} catch {
		return 1;
	}
}

function inWords(ms: number): string {
	const seconds = Math.round(ms / 1000);
	return seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
}
