import { runAll } from '../figures';
import { sequences, services } from './random';
import * as trigger from './trigger.soak';
import * as writes from './writes.soak';

/** `npm run soak`: the long reliability runs; `npm run soak -- trigger --scale=0.1` for a part of them. */
void runAll({ dialects: { services }, model: { sequences }, trigger, writes });
