const { transformSync } = require('esbuild');

/** What jest runs of a TypeScript file: types are stripped here, `npm run lint` checks them. */
module.exports = {
	process: (source, path) =>
		transformSync(source, {
			loader: 'ts',
			format: 'cjs',
			target: 'es2022',
			// jest's modules know no native `import()`.
			supported: { 'dynamic-import': false },
			sourcefile: path,
			sourcemap: 'external',
		}),
};
