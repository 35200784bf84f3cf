/** `test/unit/` and `test/integration/` mirror `nodes/`, `credentials/` and `test/service/`: a test is found by its name. */

/** What a module is called there: `nodes/a/b.ts` is `a/b`, `nodes/a/index.ts` is `a`, `test/service/c.ts` is `service/c`. */
export const moduleName = (path: string): string =>
	path
		.replace(/^(nodes|test)\//, '')
		.replace(/\.ts$/, '')
		.replace(/\/index$/, '');

/** `test/unit/a/b.test.ts` is `a/b`. */
const testName = (path: string): string =>
	path.replace(/^test\/(unit|integration)\//, '').replace(/\.test\.ts$/, '');

/** `a/b.test.ts` tests `a/b.ts`. So does `a/b.retries.test.ts`: a part of the tests may have a file of its own. */
const isTestOf = (test: string, module: string): boolean => test === module || test.startsWith(`${module}.`);

/** The modules without a test of their name. What the index of a folder lists may be tested with the folder above it. */
export function untested(modules: string[], tests: string[]): string[] {
	const names = tests.map(testName);
	const accepted = (module: string) =>
		module.endsWith('/index.ts')
			? [moduleName(module), moduleName(module).split('/').slice(0, -1).join('/')]
			: [moduleName(module)];
	return modules.filter(
		(module) => !names.some((name) => accepted(module).some((one) => isTestOf(name, one))),
	);
}

/** The tests that have no module's name. */
export function strays(modules: string[], tests: string[]): string[] {
	const names = modules.map(moduleName);
	return tests.filter((test) => !names.some((name) => isTestOf(testName(test), name)));
}
