/** One project a kind of test: unit needs nothing, integration the built package, e2e a real n8n. */
const project = (name, testTimeout) => ({
	displayName: name,
	rootDir: '..',
	roots: [`<rootDir>/test/${name}`],
	testMatch: ['**/*.test.ts'],
	testEnvironment: 'node',
	transform: { '\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.json', isolatedModules: true, diagnostics: false }] },
	modulePathIgnorePatterns: ['<rootDir>/dist/package.json', '<rootDir>/test/n8n/node_modules'],
	testTimeout,
});

module.exports = {
	rootDir: '..',
	testTimeout: 60_000,
	projects: [project('unit'), project('integration'), project('e2e')].map(({ testTimeout, ...rest }) => rest),
};
