import { isEmpty, mapValues, pick } from 'lodash';

import { pathSegment } from '../../../api/address';
import { refusal } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { iso } from '../../../api/postRange';
import { readPost } from '../../../api/records';
import { leftOverWarnings } from '../../../api/texts';
import { openPostId } from '../../lookups/posts';
import { operation } from '../../engine/operation';
import { apiFieldsOf, kindsOfPosts, onlyRetries } from '../../engine/options';
import { timeFields } from '../../writes/key';
import { textEntry, timeEntry } from '../fields';
import { pastTime, publishAt, withUtcTimes } from '../time';
import { namedRow } from './columns';
import { mediaWarnings, textWarnings } from './networks';
import { contentBody, refuseLostText } from './plan';

/** Spec: `PATCH /posts/{id}`: changes only the fields sent. */
export const update = operation({
	name: 'Update',
	value: 'update',
	action: 'Update post',
	description: 'Change the text, time or status of a post that is not published yet',
	method: 'PATCH',
	// A change that was set back in between may be made again: its content says nothing of that.
	duplicates: { ...onlyRetries, custom: kindsOfPosts.custom },
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
					...timeEntry,
					displayName: 'Scheduled At',
					name: 'scheduledAt',
					description: "When to publish the post, in the workflow's time zone",
				},
				{
					displayName: 'Status',
					name: 'status',
					type: 'options',
					default: 'scheduled',
					allowArbitraryValues: true,
					description:
						'New status of the post. The service decides which changes it allows. Use an expression for one that is not in the list.',
					options: [
						{ name: 'Draft', value: 'draft' },
						{ name: 'Scheduled', value: 'scheduled' },
					],
				},
				{ ...textEntry, description: 'New text of the post' },
			],
		},
	],
	request: ({ postId: id, updateFields, options }, at) => {
		const { postFormat, zone, now } = at;
		const { status, text, scheduledAt } = updateFields;
		const utc = scheduledAt && publishAt(scheduledAt, at, 'Scheduled At');
		for (const warning of leftOverWarnings(text ?? '')) at.hint(warning);
		const body = {
			...(status ? { status } : {}),
			...contentBody(postFormat, { text: text || undefined, scheduledAt: utc }),
		};
		const added = apiFieldsOf(options);
		refuseLostText(body, added);
		if (isEmpty({ ...body, ...added }))
			throw refusal(
				'NOTHING_TO_UPDATE',
				"'Update Fields' is empty",
				"Add at least one field to 'Update Fields', or enter a value in one that is there.",
			);
		return {
			path: `/posts/${pathSegment(id, 'Post')}`,
			body,
			finish: (merged) => {
				const sent = withUtcTimes(merged, at, 'API Fields');
				const time = readPost(sent).scheduledAt;
				if (!time || Date.parse(time) > Date.now()) return sent;
				const past = pastTime(time, zone, time === utc ? 'Scheduled At' : 'API Fields', now);
				if (past) throw past;
				// The service wants a time in the future: a moment ago means in a moment.
				const soon = Math.floor(Date.now() / 1000) * 1000 + 60_000;
				return { ...sent, ...mapValues(pick(sent, timeFields), () => iso(soon)) };
			},
		};
	},
	shape: async (data, { postId: id, updateFields: { text = '' } }, item) => {
		// Only the answer says where the post goes.
		for (const warning of readPost(data).platforms.flatMap((one) => textWarnings(one, text)))
			item.hint(warning);
		const { media } = { ...(isRecord(data.content) ? data.content : {}), ...data };
		const networks = media !== undefined && isEmpty(media) ? readPost(data).platforms : [];
		for (const warning of networks.flatMap((one) => mediaWarnings(one, [])))
			item.hint(`The update may have lost the media. ${warning}`);
		return await namedRow({ id, ...data }, item);
	},
});
