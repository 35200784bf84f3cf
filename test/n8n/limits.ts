/**
 * How long one step may take in a real n8n, or in its editor: a request, a page, a start, an event on its way. In ms. A wait
 * ends with what it waits for, so that a generous limit costs only a run that fails.
 */
export const STEP_TIMEOUT_MS = 120_000;

/** A whole test: more steps than any has. It says only that something hangs; what hangs, a step says before that. */
export const TEST_TIMEOUT_MS = 900_000;
