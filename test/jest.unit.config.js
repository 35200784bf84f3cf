const config = require('./jest.config');

// A developer's loop tries a tenth of the random cases; `npm test` tries all of them, and so does who repeats a failure.
if (!process.env.PROPERTY_SEED) process.env.PROPERTY_SHARE ??= '0.1';

/** `npm run test:unit`. */
module.exports = {
	...config,
	maxWorkers: '100%',
	projects: config.projects.filter(({ displayName }) => displayName === 'unit'),
};
