import type { INodeProperties } from 'n8n-workflow';

import { eventOptions } from '../shared/events';
import { workspaceId } from '../shared/workspaces';

/** How far a delivery's send time may be off (spec, "Signature" 4). */
export const DEFAULT_TOLERANCE_S = 300;
/** More than 22 hours (the service's last retry) of one account. */
export const DEFAULT_REMEMBERED = 5000;

/** How often the trigger checks its subscription. */
export const DEFAULT_CHECK_EVERY_MINUTES = 15;

/** What the user sets. Names are fixed: saved workflows hold them. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['post.published', 'post.failed'],
		options: eventOptions,
	},
	{
		displayName: 'Include Post',
		name: 'includePost',
		type: 'boolean',
		default: true,
		description: "Whether to fetch the full post of a post's event and put it into the field 'post'",
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Additional Events',
				name: 'additionalEvents',
				type: 'string',
				default: '',
				placeholder: 'e.g. post.archived, inbox.item.deleted',
				description: 'Names of events that are not in the list, comma-separated',
			},
			{
				displayName: 'Brand IDs',
				name: 'brandIds',
				type: 'string',
				default: '',
				placeholder: 'e.g. brand_1, brand_2',
				description: 'Only these brands start the workflow, comma-separated. Leave empty for all.',
			},
			{
				displayName: 'Catch Up',
				name: 'catchUp',
				type: 'boolean',
				default: true,
				description:
					"Whether to retrieve events that the service could not deliver, at every start of n8n and as often as 'Check Every (Minutes)' says. They are marked 'recovered'.",
			},
			{
				displayName: 'Catch Up From Posts',
				name: 'catchUpFromPosts',
				type: 'boolean',
				default: false,
				description:
					"Whether 'Catch Up' also reads the posts, if the service's deliveries don't name their event or the subscription was gone. The end of a post (published, failed, canceled) then starts the workflow once, from an event or from the post.",
			},
			{
				displayName: 'Check Every (Minutes)',
				name: 'checkEvery',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 1440 },
				default: 15,
				description: 'How often to check the subscription at the service, and to repair it',
			},
			{
				displayName: 'Description',
				name: 'description',
				type: 'string',
				default: '',
				placeholder: 'e.g. n8n: tell the team',
				description: "What the subscription is called at the service. If empty: n8n and the workflow's name.",
			},
			{
				displayName: 'Remember Events',
				name: 'rememberEvents',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 100000 },
				default: 5000,
				description:
					"How many of the latest events n8n's database keeps, so that a repeated one does not start the workflow again, not even after a restart",
			},
			{
				displayName: 'Tolerance',
				name: 'tolerance',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 300,
				description:
					"How many seconds a delivery's send time may differ from this computer's clock. Others are refused.",
			},
			{
				...workspaceId,
				description: "Workspace whose events are delivered, instead of the credential's",
			} as unknown as INodeProperties,
		],
	},
];
