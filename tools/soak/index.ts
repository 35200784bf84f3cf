import { runModules } from '../figures';

/** `npm run soak`: the long reliability runs; `npm run soak -- trigger --scale=0.1` for a part of them. */
void runModules(__dirname, '.soak.ts');
