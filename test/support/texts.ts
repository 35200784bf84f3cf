/** All that an error says, to look for what it must not say: its message, its own fields and its stack. */
export const textOf = (error: unknown): string => {
	const { message, stack } = error as Error;
	return `${message}\n${stack}\n${JSON.stringify(error)}`;
};
