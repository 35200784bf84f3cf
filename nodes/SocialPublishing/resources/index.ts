import type { Resource } from '../operation';
import { media } from './media';
import { post } from './post';

/** The table of operations: dropdowns, fields and dispatch are derived from it. Alphabetical, as n8n shows it. */
export const resources: readonly Resource[] = [media, post];
