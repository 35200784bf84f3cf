const { dest, parallel, src } = require('gulp');

// What tsc does not carry over: icons, beside each compiled class as `file:` paths expect, and output schemas.
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const schemas = () => src('nodes/**/__schema__/**/*.json', { base: 'nodes', allowEmpty: true }).pipe(dest('dist/nodes'));
// n8n looks in the folder of exactly a node's type version; what comes out of all versions looks the same.
const schemasOf11 = () =>
	src('nodes/SocialPublishing/__schema__/v1.0.0/**/*.json', { allowEmpty: true }).pipe(
		dest('dist/nodes/SocialPublishing/__schema__/v1.1.0'),
	);

exports.build = parallel(icons, schemas, schemasOf11);
