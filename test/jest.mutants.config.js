const { projects } = require('./jest.config');

/** What Stryker runs: the unit tests (`npm run mutants`). */
module.exports = projects.find(({ displayName }) => displayName === 'unit');
