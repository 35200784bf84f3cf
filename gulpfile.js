const { dest, parallel, src } = require('gulp');

// What tsc does not carry over: icons, beside each compiled class as `file:` paths expect, and output schemas.
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const schemas = () =>
	src('nodes/**/__schema__/**/*.json', { base: 'nodes', allowEmpty: true }).pipe(dest('dist/nodes'));

exports.build = parallel(icons, schemas);
