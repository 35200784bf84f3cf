/**
 * The states of a write and everything that changes them: the table of docs/idempotency.md. The rule above all: a request
 * that may have been carried out is never followed by another key for the same wish; a wish that was not sent is never
 * reported as done; what is reported is what was sent.
 */

/** What came of sending a write. */
export type Result =
	/** 2xx in the form of the service. */
	| 'answered'
	/** 422: the service kept the post, though publishing it failed. */
	| 'persisted'
	/** The service certainly did not carry it out: 3xx, 400, 401, 403, 404, 429 …, or no connection came about. */
	| 'refused'
	/** Anything else: it may have been carried out. */
	| 'unclear';

/** What is known of a write; `new`: there is no record of it. */
export type State = 'new' | Result;

export type Action =
	/** What is asked for now goes out. */
	| 'send'
	/** What went out first goes out again, with its key. */
	| 'repeat'
	/** Nothing goes out: what came of it is told again. Where that was not kept, `repeat`. */
	| 'giveBack';

interface Row {
	/** What is done when it is asked for, with the same content or another one. */
	action: Action;
	/** The state after what went out came to a result. */
	next: Record<Result, Exclude<State, 'new'>>;
}

const row = (
	action: Action,
	[answered, persisted, refused, unclear]: [Result, Result, Result, Result],
): Row => ({ action, next: { answered, persisted, refused, unclear } });

// prettier-ignore
export const transitions: Readonly<Record<State, Row>> = {
	//             asked for    came of it: 2xx, 422, certain refusal, anything else
	new:       row('send',     ['answered', 'persisted', 'refused',   'unclear'  ]),
	refused:   row('send',     ['answered', 'persisted', 'refused',   'unclear'  ]),
	unclear:   row('repeat',   ['answered', 'persisted', 'unclear',   'unclear'  ]),
	answered:  row('giveBack', ['answered', 'answered',  'answered',  'answered' ]),
	persisted: row('giveBack', ['answered', 'persisted', 'persisted', 'persisted']),
};
