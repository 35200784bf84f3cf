import type { Resource } from '../engine/operation';
import { account } from './account';
import { analytics } from './analytics';
import { approval } from './approval';
import { inbox } from './inbox';
import { media } from './media';
import { post } from './post';
import { socialConnection } from './socialConnection';
import { usage } from './usage';
import { webhook } from './webhook';
import { workspace } from './workspace';

/** The table of operations: dropdowns, fields and dispatch are derived from it. In the order in which people need them. */
export const resources: readonly Resource[] = [
	post,
	inbox,
	media,
	analytics,
	account,
	approval,
	socialConnection,
	usage,
	workspace,
	webhook,
];
