const { join, sep } = require('node:path');

const root = join(__dirname, '..', '..');
const ours = ['dist', 'nodes', 'credentials'].map((folder) => join(root, folder) + sep);

/** The package's `zod` is zod 4, as where a neighbour brings it along; that of n8n and of the embedded service stays. */
module.exports = (request, options) => {
	const isOurs = ours.some((folder) => (options.basedir + sep).startsWith(folder));
	return options.defaultResolver(request === 'zod' && isOurs ? 'zod-4' : request, options);
};
