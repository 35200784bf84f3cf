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

/** The table of operations: dropdowns, fields and dispatch are derived from it. Alphabetical, as n8n shows it. */
export const resources: readonly Resource[] = [
	account,
	analytics,
	approval,
	inbox,
	media,
	post,
	socialConnection,
	usage,
	webhook,
	workspace,
];
