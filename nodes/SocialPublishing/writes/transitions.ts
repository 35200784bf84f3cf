/**
 * The states of a write and everything that changes them: the table of docs/idempotency.md. The rule above all: a request
 * that may have been carried out is never followed by another key for the same write; a write that was not sent is never
 * reported as done; what is reported is what was sent.
 */

/** What came of sending a write. */
export type Result =
	/** 2xx in the form of the service. */
	| 'succeeded'
	/** 422: the service kept the post, though publishing it failed. */
	| 'keptAsFailed'
	/** The service certainly didn't carry it out: 3xx, 400, 401, 403, 404, 429 …, or no connection was made. */
	| 'rejected'
	/** Anything else: it may have been carried out. */
	| 'inDoubt';

/** What is known of a write; `new`: the journal has no entry, since there was none or it was rejected. */
export type State = 'new' | Exclude<Result, 'rejected'>;

export type Action =
	/** What is asked for now goes out. */
	| 'send'
	/** What went out first goes out again, with its key. */
	| 'resend'
	/** Nothing goes out: what came of it is reported again. Where that was not kept, `resend`. */
	| 'replay';

interface Transition {
	/** What happens when it is asked for, with the same content or other content. */
	action: Action;
	/** The state after what went out came to a result. */
	next: Record<Result, State>;
}

const row = (
	action: Action,
	[succeeded, keptAsFailed, rejected, inDoubt]: [State, State, State, State],
): Transition => ({ action, next: { succeeded, keptAsFailed, rejected, inDoubt } });

// prettier-ignore
export const transitions: Readonly<Record<State, Transition>> = {
	//                asked for   result: 2xx,   422,            certain refusal, anything else
	new:          row('send',   ['succeeded', 'keptAsFailed', 'new',          'inDoubt'     ]),
	inDoubt:      row('resend', ['succeeded', 'keptAsFailed', 'inDoubt',      'inDoubt'     ]),
	succeeded:    row('replay', ['succeeded', 'succeeded',    'succeeded',    'succeeded'   ]),
	keptAsFailed: row('replay', ['succeeded', 'keptAsFailed', 'keptAsFailed', 'keptAsFailed']),
};
