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
	/** What is asked for now goes out with the write's key. */
	| 'send'
	/** What is asked for now goes out with its next key. */
	| 'sendChanged'
	/** What went out first goes out again, with its key. */
	| 'repeat'
	/** Nothing goes out: what came of it is told again. Where that was not kept, `repeat`. */
	| 'giveBack';

interface Row {
	/** What is done where the content asked for is the one that went out, and where it is another one. */
	action: Record<'same' | 'changed', Action>;
	/** The state after what was sent came to a result. */
	next: Record<Result, Exclude<State, 'new'>>;
}

const row = (
	[same, changed]: [Action, Action],
	[answered, persisted, refused, unclear]: [Result, Result, Result, Result],
): Row => ({ action: { same, changed }, next: { answered, persisted, refused, unclear } });

// prettier-ignore
export const transitions: Readonly<Record<State, Row>> = {
	//              asked for: the same, another      came of it: 2xx, 422, certain refusal, anything else
	new:       row(['send',     'send'       ], ['answered', 'persisted', 'refused',   'unclear'  ]),
	refused:   row(['send',     'sendChanged'], ['answered', 'persisted', 'refused',   'unclear'  ]),
	unclear:   row(['repeat',   'repeat'     ], ['answered', 'persisted', 'unclear',   'unclear'  ]),
	answered:  row(['giveBack', 'giveBack'   ], ['answered', 'answered',  'answered',  'answered' ]),
	persisted: row(['giveBack', 'giveBack'   ], ['answered', 'persisted', 'persisted', 'persisted']),
};
