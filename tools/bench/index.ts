import { runAll } from './figures';
import * as posts from './posts.bench';
import * as trigger from './trigger.bench';

/** `npm run bench`: figures of speed and memory; `npm run bench -- trigger --scale=0.2` for a part of them. */
void runAll({ posts, trigger });
