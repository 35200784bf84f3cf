import type { IDataObject } from 'n8n-workflow';

import type { PostFormat } from '../../../api/contract';

/** What a post says, in either body shape of the spec ("Post (input on create)"); only what is given is sent. */
export interface Content {
	text?: string;
	/** `read_url`s of uploads. */
	media?: string[];
	/** UTC, ending in `Z`. */
	scheduledAt?: string;
}

/** Text, media and time of a post as the service takes them. The quick-start shape shows no media: `media` is our choice. */
export function contentBody(format: PostFormat, { text, media = [], scheduledAt }: Content): IDataObject {
	const hasText = text !== undefined;
	const hasMedia = media.length > 0;
	if (format === 'quickStart')
		return {
			...(hasText ? { content: text } : {}),
			...(hasMedia ? { media } : {}),
			...(scheduledAt ? { schedule_at: scheduledAt } : {}),
		};
	return {
		...(hasText || hasMedia
			? { content: { ...(hasText ? { text } : {}), ...(hasMedia ? { media } : {}) } }
			: {}),
		...(scheduledAt ? { scheduled_at: scheduledAt } : {}),
	};
}
