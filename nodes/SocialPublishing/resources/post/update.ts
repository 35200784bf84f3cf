import isEmpty from 'lodash/isEmpty';
import { DateTime } from 'luxon';

import { pathSegment } from '../../../api/address';
import { refusal } from '../../../api/failure';
import { openPostId } from '../../lookups/posts';
import { operation } from '../../engine/operation';
import { refusePast, toUtc } from '../time';
import { asRow } from './columns';
import { contentBody } from './plan';

/** Spec: `PATCH /posts/{id}`: changes only the fields sent. */
export const update = operation({
	name: 'Update',
	value: 'update',
	action: 'Update post',
	description: 'Change the text, time or status of a post that is not published yet',
	method: 'PATCH',
	fields: [
		openPostId,
		{
			displayName: 'Update Fields',
			name: 'updateFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				{
					displayName: 'Scheduled At',
					name: 'scheduledAt',
					type: 'dateTime',
					default: '',
					description: "When to publish the post, in the workflow's time zone",
				},
				{
					displayName: 'Status',
					name: 'status',
					type: 'string',
					default: '',
					placeholder: 'e.g. scheduled',
					description: 'New status of the post. The service decides which changes it allows.',
				},
				{
					displayName: 'Text',
					name: 'text',
					type: 'string',
					typeOptions: { rows: 4 },
					default: '',
					description: 'New text of the post',
				},
			],
		},
	],
	request: ({ postId: id, updateFields: { status, text, scheduledAt }, options }, context) => {
		const { postFormat, zone, now } = context;
		const utc = scheduledAt && toUtc(scheduledAt, zone, 'Scheduled At');
		const body = {
			...(status ? { status } : {}),
			...contentBody(postFormat, { text, scheduledAt: utc }),
		};
		if (Object.keys(body).length === 0 && isEmpty(options.additionalFields))
			throw refusal(
				'NOTHING_TO_UPDATE',
				"'Update Fields' is empty",
				"Add at least one field to 'Update Fields'.",
			);
		return {
			path: `/posts/${pathSegment(id, 'Post')}`,
			body,
			finish: (sent) => {
				if (!utc || Date.parse(utc) > Date.now()) return sent;
				refusePast(utc, zone, 'Scheduled At', now);
				// The service wants a time in the future: a moment ago means in a moment.
				const soon = DateTime.utc()
					.plus({ minutes: 1 })
					.startOf('second')
					.toISO({ suppressMilliseconds: true });
				return { ...sent, ...contentBody(postFormat, { scheduledAt: soon }) };
			},
		};
	},
	shape: (data, _params, { zone }) => asRow(data, zone),
});
