/** A part of a test that goes on where the part before it ended. What goes wrong in it is reported under its name. */
export async function step(name: string, run: () => Promise<void>): Promise<void> {
	try {
		await run();
	} catch (error) {
		// jest shows the stack, which begins with the message.
		if (error instanceof Error) error.stack = `In the step "${name}":\n\n${error.stack}`;
		throw error;
	}
}
