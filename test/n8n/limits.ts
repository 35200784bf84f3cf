/**
 * How long one step may take in a real n8n, or in its editor: a request, a page, a start, an event on its way. In ms.
 *
 * A wait ends with what it waits for, so that a generous limit costs only a run that fails. This one is kept by a machine
 * with two cores and a load of 15, which takes ten times as long as an idle one. After an n8n's start, checks of several
 * triggers share 12 reads a minute: the last one may be done after five minutes.
 */
export const STEP_TIMEOUT_MS = 600_000;

/** A whole test: more steps than any has. It says only that something hangs; what hangs, a step says before that. */
export const TEST_TIMEOUT_MS = 3_600_000;
