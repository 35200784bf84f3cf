import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { canonical, hashOf, timeFields } from '../../writes/key';

/** *Approved Code*: what a person saw in a preview, in a code of one part for each thing that may change. */

/** What a code is made of, in its order. */
const parts = ['target', 'text', 'files', 'fields', 'time'] as const;
const PART_LENGTH = 8;

/**
 * The code of exactly this request: it changes whenever anything that would be sent changes, the user's own fields too.
 * @param body with the identities of files as their addresses
 */
export function approvalCode(
	workspaceId: string,
	posts: ReadonlyArray<{ accountId?: string; text: string }>,
	body: IDataObject,
	time: unknown,
): string {
	const { platform, platforms, account_id, content, media, ...fields } = body;
	const own = isRecord(content) ? content : {};
	const accounts = posts.map(({ accountId }) => account_id ?? accountId ?? '').sort();
	const said: Record<(typeof parts)[number], unknown> = {
		target: [workspaceId, [platform, platforms].flat().sort(), accounts],
		text: posts[0]!.text,
		files: [media, own.media],
		fields: [isRecord(content), omit(fields, timeFields), omit(own, 'text', 'media')],
		time,
	};
	return parts.map((part) => hashOf(canonical(said[part])).slice(0, PART_LENGTH)).join('.');
}

/**
 * Refuses what has none of the approved codes, comma-separated.
 * @throws Failure naming what changed
 */
export function refuseUnapproved(
	approved: string,
	requests: ReadonlyArray<{ approvalCode?: string; sent?: unknown }>,
): void {
	const codes = approved.split(',').map((one) => one.trim());
	for (const { approvalCode: code = '', sent } of requests) {
		if (sent || codes.includes(code)) continue;
		const now = code.split('.');
		const meant = codes.map((one) => one.split('.')).find(([target]) => target === now[0]);
		const changed = parts.filter((_, index) => meant && meant[index] !== now[index]);
		throw refusal(
			'NOT_APPROVED',
			changed.length > 0
				? `This isn't what was approved: the ${changed.join(' and the ')} changed`
				: "This isn't what was approved: 'Approved Code' has no code for this platform, account and workspace",
			"Run the preview again and let a person approve the new 'approval_code', or set the post back.",
		);
	}
}
