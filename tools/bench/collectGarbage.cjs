// Loaded into n8n: without it, memory would grow by what V8 hasn't collected yet, mostly of n8n's start.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
setInterval(runInNewContext('gc'), 1_000).unref();
