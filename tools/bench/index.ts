import { runModules } from '../figures';

/** `npm run bench`: figures of speed and memory; `npm run bench -- trigger --scale=0.2` for a part of them. */
void runModules(__dirname, '.bench.ts');
