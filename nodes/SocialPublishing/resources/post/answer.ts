import type { IDataObject } from 'n8n-workflow';

import { readPost } from '../../../api/records';
import { filled } from '../../../api/texts';

/** A service may round a time. */
const SAME_TIME_MS = 60_000;

/** What the answer to a new post says otherwise than its request did: the item shows what the answer says. */
export function answerHints(sent: IDataObject, answer: IDataObject): string[] {
	const asked = readPost(sent);
	const { status, scheduledAt, dueAt } = readPost(answer);
	if (asked.dueAt === undefined || asked.dueAt <= Date.now()) return [];
	const isOpen = sent.status === undefined;
	const isOther = saysTime(answer) && Math.abs((dueAt ?? Infinity) - asked.dueAt) >= SAME_TIME_MS;
	return filled([
		isOpen && status === 'draft' && 'The service keeps this post as a draft, so it may not be published',
		status === 'completed' &&
			`The service says that this post is published, although it is due ${asked.scheduledAt}`,
		isOther &&
			`This post was to go out at ${asked.scheduledAt}, and the service says ${scheduledAt ?? 'no time'}`,
	]);
}

/** Whether an answer repeats a time, or says that there is none. */
export const saysTime = (answer: IDataObject): boolean => 'scheduled_at' in answer || 'schedule_at' in answer;
