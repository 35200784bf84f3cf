import type { IDataObject } from 'n8n-workflow';

/** The platforms of a post, or of a request for one, in either form of the spec ("Post (input on create)"). */
export const platformsOf = ({ platform, platforms }: IDataObject): string[] =>
	[platform ?? platforms ?? []]
		.flat()
		.map((one) => (typeof one === 'string' ? one : (one as IDataObject | null)?.platform))
		.filter((name): name is string => typeof name === 'string');

/** What a post, or a request for one, says, in either form. */
export function textOf({ text, content }: IDataObject): string | undefined {
	const said = text ?? (typeof content === 'object' ? (content as IDataObject | null)?.text : content);
	return typeof said === 'string' ? said : undefined;
}

/** When a post is scheduled, in either form; null where the record says that it has no time. */
export function scheduledTimeOf({ scheduled_at, schedule_at }: IDataObject): unknown {
	const given = [scheduled_at, schedule_at].filter((time) => time !== undefined);
	return given.find((time) => time !== null) ?? given[0];
}
