import { omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { refusal, type Failure } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { canonical, hashOf, timeFields } from '../../writes/key';

/** *Approved Code*: what a person saw in a preview, in a code of one part for each thing that may change. */

/** What a code is made of, in its order. */
const parts = ['target', 'text', 'files', 'fields', 'time'] as const;
const PART_LENGTH = 8;

/** The code of exactly this request, of all that would be sent; `body` has the identities of files as their addresses. */
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

/** Comma-separated codes. */
export const codesIn = (approved: string): string[] => approved.split(',').map((one) => one.trim());

/** Why a request may not be sent: its code isn't approved, or was `used` as often as it was. */
export function unapproved(
	codes: readonly string[],
	code: string,
	used: Readonly<Record<string, number>>,
): Failure | undefined {
	const approved = codes.filter((one) => one === code).length;
	if (approved > (used[code] ?? 0)) return undefined;
	const now = code.split('.');
	const meant = codes.map((one) => one.split('.')).find(([target]) => target === now[0]);
	const changed = parts.filter((_, index) => meant && meant[index] !== now[index]);
	const what =
		approved > 0
			? `'Approved Code' has approved this ${approved === 1 ? 'once' : `${approved} times`}, and this is one more`
			: changed.length > 0
				? `This isn't what was approved: the ${changed.join(' and the ')} changed`
				: "This isn't what was approved: 'Approved Code' has no code for this platform, account and workspace";
	return refusal(
		'NOT_APPROVED',
		what,
		"Run the preview again and let a person approve the new 'approval_code', or set the post back.",
	);
}
