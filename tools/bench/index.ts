import { runAll } from '../figures';
import * as posts from './posts.bench';
import * as redaction from './redaction.bench';
import * as scale from './scale.bench';
import * as trigger from './trigger.bench';
import * as workers from './workers.bench';

/** `npm run bench`: figures of speed and memory; `npm run bench -- trigger --scale=0.2` for a part of them. */
void runAll({ posts, redaction, scale, trigger, workers });
