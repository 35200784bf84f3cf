import type { IDataObject } from 'n8n-workflow';

import type { Row } from './checkRows';
import type { PostFormat } from '../../api/contract';
import type { Operation } from './operation';
import type { RunContext } from './runContext';

/** A shorter wait is not worth a word, in ms. */
const NOTICEABLE = 10_000;

/**
 * Says how long the run will take, in n8n's log at once and at the node, as soon as an answer of the service has told the
 * limit; nothing where there is next to no wait. What an earlier try has sent is not counted.
 */
export async function announceDuration(run: RunContext, operation: Operation, rows: Row[]): Promise<void> {
	const client = await run.client.catch(() => undefined);
	if (!client) return;
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
		const message = `${left + 1} requests at ${limiter.limitOf(kind)} a minute: about ${inWords(ms)}.`;
		run.context.logger.info(`${run.context.getNode().name}: ${message}`);
		run.context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
	});
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
	const minutes = Math.max(1, Math.round(ms / 60_000));
	return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
