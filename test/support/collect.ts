/** What a test file gives jest while it loads; nothing of it runs. */
type Define = (name: string, ...rest: unknown[]) => void;

/**
 * The names of the tests that files register when jest loads them, each after those of its `describe` blocks. What is
 * skipped is left out; a name of `test.each` comes once a row, as it is written.
 */
export function testsOf(files: string[]): string[] {
	const found: string[] = [];
	const path: string[] = [];
	const note: Define = (name) => void found.push([...path, name].join(' › '));
	const within: Define = (name, body) => {
		path.push(name);
		(body as () => void)();
		path.pop();
	};
	const nothing = () => undefined;
	const each = (define: Define, passRow: boolean) => (rows: unknown[]) => (name: string, body: any) => {
		for (const row of rows) define(name, passRow ? () => body(...[row].flat()) : body);
	};
	const skipped = Object.assign(nothing, { each: () => nothing });
	const test = Object.assign(note, { each: each(note, false), skip: skipped, failing: note });
	const describe = Object.assign(within, { each: each(within, true), skip: skipped });
	const stand: Record<string, unknown> = { test, it: test, describe, xtest: nothing, xit: nothing };
	for (const hook of ['beforeAll', 'beforeEach', 'afterEach', 'afterAll']) stand[hook] = nothing;

	const before = Object.fromEntries(Object.keys(stand).map((name) => [name, Reflect.get(globalThis, name)]));
	Object.assign(globalThis, stand);
	try {
		// `require` as jest has it: the files get its globals, which stand in for the real ones now.
		for (const file of files) jest.isolateModules(() => void jest.requireActual(file));
	} finally {
		Object.assign(globalThis, before);
	}
	return found;
}
